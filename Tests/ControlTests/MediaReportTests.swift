import Control
import JSON
import MediaWorker
import Meeting
import Testing

extension ControlTests {
    /// What the workers report, as clients are told.
    @Suite struct MediaReportTests {
        /// The media plane's name of whoever came as this number.
        private func media(_ server: TestServer, _ number: Int) -> MediaParticipantID {
            server.media.read { $0.home.keys.sorted { $0.rawValue < $1.rawValue }[number] }
        }

        @Test func `who speaks is told to whoever joined with activeSpeakers`() async throws {
            try await TestServer.with { server in
                let speaker = try await server.person("s")
                let curious = try await server.person("c", settings: ["activeSpeakers": true])
                let session = try #require(server.media.read { $0.sessions.first })
                server.media.emit(
                    .activeSpeakersChanged(
                        session, [SpeakerLevel(participant: media(server, 0), level: 93)]))
                let data = try await curious.event("activeSpeakersChanged")
                #expect(data["speakers"] == [["participantId": speaker.id, "level": 93]])
                server.media.emit(.dominantSpeakerChanged(session, media(server, 0)))
                // The next thing that the other one hears is the second.
                _ = try await speaker.event("dominantSpeakerChanged")
                let names = speaker.client.read { $0.events.map { $0["event"]?.stringValue } }
                #expect(!names.contains("activeSpeakersChanged"))
                await expectRefusal("ERR_BAD_REQUEST", field: "settings.activeSpeakers") {
                    try await server.person("x", settings: ["activeSpeakers": "yes"])
                }
            }
        }

        @Test func `a publisher is told which encodings to send`() async throws {
            try await TestServer.with { server in
                let publisher = try await server.person("p")
                server.media.emit(
                    .publishHint(
                        media(server, 0),
                        [
                            MediaEncodingHint(mid: "1", rid: "q", isActive: true, maxBitrate: 150_000),
                            MediaEncodingHint(mid: "1", rid: "f", isActive: false),
                            MediaEncodingHint(mid: "2", rid: nil, isActive: true),
                        ]))
                let data = try await publisher.event("publishHint")
                #expect(
                    data["encodings"] == [
                        ["mid": "1", "rid": "q", "active": true, "maxBitrateBps": 150_000],
                        ["mid": "1", "rid": "f", "active": false], ["mid": "2", "active": true],
                    ])
            }
        }

        @Test func `how well somebody is connected is told to all, and shown in the roster`() async throws {
            try await TestServer.with { server in
                let (one, other) = (try await server.person("a"), try await server.person("b"))
                server.media.emit(.connectionQuality(media(server, 0), 3))
                for person in [one, other] {
                    let data = try await person.event("connectionQuality")
                    #expect(data == ["participantId": one.id, "score": 3])
                }
                let id = try #require(one.id.stringValue)
                let shown = try await server.backEnd("GET", "/v1/sessions/room/participants/\(id)")
                #expect(shown.json["connectionQuality"]?.integerValue == 3)
            }
        }

        @Test func `a participant is shown with what it is sent and why, while it has media`() async throws {
            try await TestServer.with { server in
                let person = try await server.person("u")
                let id = try #require(person.id.stringValue)
                let path = "/v1/sessions/room/participants/\(id)"
                #expect(try await server.backEnd("GET", path).json["statistics"] == nil)
                var seat = ViewerStatistics.Seat(
                    state: SeatState(
                        mid: "2", kind: .video, occupant: media(server, 0), source: .camera, muted: false))
                seat.isSent = true
                seat.rid = "h"
                seat.reason = "bandwidth"
                seat.needed = 1_700_000
                var statistics = ViewerStatistics(seats: [seat])
                statistics.basis = "transportCC"
                statistics.estimate = 900_000
                server.media.setViewers(statistics)
                let shown = try await server.backEnd("GET", path)
                #expect(shown.json["uid"]?.stringValue == "u")
                let stats = shown.json["statistics"]
                #expect(stats?["link"]?["estimateBps"]?.integerValue == 900_000)
                #expect(stats?["seats"]?[0]?["layer"]?["rid"]?.stringValue == "h")
                #expect(stats?["seats"]?[0]?["reason"]?.stringValue == "bandwidth")
                #expect(stats?["seats"]?[0]?["neededBps"]?.integerValue == 1_700_000)
                let all = try await server.backEnd("GET", "/v1/sessions/room/participants")
                #expect(all.json["data"]?[0]?["statistics"] == nil)
            }
        }

        @Test func `how much one may send and be sent comes from the session's settings`() async throws {
            try await TestServer.with { server in
                try await server.make(#"{"maxBitrateUpBps":800000}"#)
                _ = try await server.person("u")
                func limits() -> [Int] { server.media.read { Array($0.sendLimits.values) } }
                #expect(limits() == [800_000])
                let changed = #"{"settings":{"maxBitrateUpBps":300000}}"#
                #expect(try await server.backEnd("PATCH", "/v1/sessions/room", changed).status == 200)
                #expect(limits() == [300_000])
            }
        }
    }
}
