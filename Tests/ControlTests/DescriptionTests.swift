import JSON
import Meeting
import Testing

@testable import Control

extension ControlTests {
    /// Whatever there is, is described, and nothing else.
    @Suite struct DescriptionTests {
        @Test func `each route has one description, with its credential`() {
            let routes = Route.all.map { "\($0.method.rawValue) \($0.path)" }
            #expect(Operation.all.map(\.id).sorted() == routes.sorted())
            for route in Route.all {
                let operation = Operation.of(route.method, route.path)
                #expect(operation?.credential == route.credential, "\(route.path)")
            }
            #expect(Set(Operation.all.map(\.name)).count == routes.count)
        }

        @Test func `each method of the socket has one description, older names included`() {
            let names = SocketMethod.all.flatMap { [$0.name] + $0.aliases }
            #expect(names.sorted() == Method.table.keys.sorted())
            for (name, method) in Method.table {
                #expect(SocketMethod.named(name)?.name == method.name)
            }
        }

        @Test func `each event of a session has one description, and no other is described`() throws {
            let source = try DescriptionSources.text(of: "Sources/Meeting/Session/SessionEvent.swift")
            let names = source.matches(of: /case \.\w+: "(\w+)"/).map { String($0.output.1) }
            #expect(names.count > 20)
            let described = SocketEvent.all.filter { $0.reach != .app }.map(\.name)
            #expect(described.sorted() == names.sorted())
            #expect(Set(SocketEvent.all.map(\.name)).count == SocketEvent.all.count)
            #expect(Set(Self.events.map(\.name)) == Set(names), "there is a sample of each")
        }

        @Test func `the code can say each app-wide event that is described`() throws {
            let code =
                try DescriptionSources.allText(below: "Sources/Control", except: "Description")
                + DescriptionSources.allText(below: "Sources/Meeting", except: "nothing")
            let words = Set(code.matches(of: /\w+/).map { String($0.output) })
            for event in SocketEvent.all where event.reach != .session {
                let isThere = words.contains(event.name)
                #expect(isThere, "\(event.name)")
            }
        }

        @Test func `each event has the data that is described`() throws {
            for event in Self.events {
                let value = try JSON.encodeValue(EventData(event: event, sessionID: "room"))
                let described = try #require(SocketEvent.named(event.name))
                #expect(Schema.object(described.data).faults(in: value).isEmpty, "\(event.name)")
            }
        }

        @Test func `each error code and close code says when it is given`() {
            for code in ErrorCode.allCases {
                #expect(code.meaning.hasSuffix(".") || code.meaning.hasSuffix("`"))
            }
            #expect(Set(ErrorCode.allCases.map(\.meaning)).count == ErrorCode.allCases.count)
            #expect(Set(CloseCode.allCases.map(\.meaning)).count == CloseCode.allCases.count)
        }

        @Test func `each object that is named exists, and each sample is what its schema takes`() {
            var schemas = Schema.objects.map(\.schema)
            schemas += Operation.all.flatMap { [$0.body] + $0.answers.map(\.schema) }.compactMap { $0 }
            schemas += SocketMethod.all.flatMap { [.object($0.parameters), $0.resultSchema] }
            schemas += SocketEvent.all.map { .object($0.data) }
            for schema in schemas { #expect(schema.faults(in: schema.sample).isEmpty) }
            #expect(Set(Schema.objects.map(\.name)).count == Schema.objects.count)
        }

        // MARK: - Parts

        /// At least one of each.
        private static let events: [SessionEvent] = {
            var meeting = MeetingSession(sessionID: "room", meetingID: "m", guid: "team", now: 1)
            let id = ParticipantID(rawValue: "p")
            let request = JoinRequest(
                id: id, uid: "ada", name: "Ada", avatar: "https://example.org/a", deviceID: "phone")
            guard let participant = try? meeting.beginJoin(request, now: 1) else { return [] }
            let session = meeting.session
            let hands = [Hand(participant: id, raisedAt: 1)]
            let author = Author.participant(id, uid: "ada")
            let seats = [
                Seat(mid: "0", kind: .audio, occupant: id, source: .microphone, muted: false),
                Seat(mid: "1", kind: .video, occupant: nil, source: nil, muted: false),
            ]
            return [
                .sessionJoined(session, participant), .sessionLeft(.left), .sessionUpdated(session),
                .sessionTimedOut, .sessionEnded(reason: "ended"), .participantJoined(participant),
                .participantLeft(participant, .timeout), .participantListChanged([participant]),
                .participantUpdated(participant, changed: ["name"]), .participantConnectionLost(participant),
                .participantConnectionRestored(participant), .participantAudioMuted(participant, by: author),
                .participantAudioMuted(participant, by: nil), .participantAudioUnmuted(participant),
                .participantVideoPaused(participant, by: author), .participantVideoResumed(participant),
                .participantStartedScreenShare(participant),
                .participantStoppedScreenShare(participant, by: .user(uid: "bob")),
                .participantHandRaised(participant, hands),
                .participantHandLowered(participant, hands, by: .backEnd),
                .dominantSpeakerChanged(participant), .dominantSpeakerChanged(nil), .seatsChanged(seats),
                .unmuteRequested(by: author), .removed(by: author, reason: "noise"),
                .removed(by: .backEnd, reason: nil), .waitingParticipant(participant),
                .admitted(participant, by: author), .denied(participant, by: nil),
                .idleWarning(secondsLeft: 60),
                .activeSpeakersChanged([ActiveSpeaker(participant: id, level: 80)]),
                .publishHint([
                    EncodingHint(mid: "1", rid: "f", active: false, maxBitrateBps: 500_000),
                    EncodingHint(mid: "2", rid: nil, active: true, maxBitrateBps: nil),
                ]),
                .connectionQuality(participant), .serverDraining(deadlineAt: 1),
            ] + messages(from: participant, in: &meeting)
        }()

        /// One with text, one with data.
        private static func messages(
            from participant: Participant, in meeting: inout MeetingSession
        ) -> [SessionEvent] {
            let drafts = [
                Message.Draft(type: "chat", text: "hello"), Message.Draft(type: "app", data: "[1]"),
            ]
            return drafts.compactMap { draft in
                let message = try? meeting.sendMessage(
                    draft, fromOutside: participant.uid, name: participant.name, messageID: "1", now: 1)
                return message.map(SessionEvent.message)
            }
        }
    }
}
