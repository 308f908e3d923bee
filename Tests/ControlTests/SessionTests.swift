import Control
import JSON
import MediaWorker
import Meeting
import Testing

extension ControlTests {
    @Suite struct SessionTests {
        @Test func `joining answers with the whole state before any event`() async throws {
            try await TestServer.with { server in
                let (alice, first) = try await server.joined(
                    "alice", settings: ["displayName": "Alice", "deviceId": "phone"], offer: "v=0\nseats 2")
                #expect(first["answer"]?.stringValue == "v=0\nanswer")
                #expect(first["session"]?["sessionId"]?.stringValue == "room")
                #expect(first["session"]?["settings"]?["maxParticipants"]?.integerValue == 50)
                #expect(first["participant"]?["name"]?.stringValue == "Alice")
                #expect(first["participant"]?["state"]?.stringValue == "joined")
                #expect(first["seq"]?.integerValue == 0)
                #expect(first["seats"]?.arrayValue?.count == 4)
                #expect(first["iceServers"]?.arrayValue?.isEmpty == true)
                #expect(first["resumeToken"]?.stringValue?.isEmpty == false)
                let (bob, second) = try await server.joined("bob", offer: "v=0\nseats 2")
                #expect(second["participants"]?.arrayValue?.count == 2)
                #expect(second["seats"]?[0]?["participantId"] == first["participant"]?["participantId"])
                #expect(second["session"]?["meetingId"] == first["session"]?["meetingId"])
                let joined = try await alice.event("participantJoined")
                #expect(joined["data"]?["participant"]?["uid"]?.stringValue == "bob")
                #expect(joined["sessionId"]?.stringValue == "room")
                let seats = try await alice.event("seatsChanged")
                #expect(
                    seats["data"]?["seats"]?[0]?["participantId"] == second["participant"]?["participantId"])
                #expect(seats["seq"]?.integerValue ?? 0 > joined["seq"]?.integerValue ?? 0)
                #expect(bob.read { $0.order.first } == "answer")
                #expect(try await bob.event("sessionJoined")["seq"]?.integerValue == 1)
            }
        }

        @Test func `an invalid offer names its line, and the socket stays usable`() async throws {
            try await TestServer.with({ $0.meeting.maxParticipants = 1 }) { server in
                let client = try await server.client()
                let token = JSONValue.string(TestServer.callToken("u"))
                do {
                    try await client.request("joinSession", ["callToken": token, "offer": "v=0\nbad"])
                    Issue.record("not refused")
                } catch let refusal as Refusal {
                    #expect(refusal.code == "ERR_INVALID_OFFER")
                    #expect(refusal.details?["line"]?.integerValue == 2)
                }
                // The place that the refused join held is free again.
                try await client.request("joinSession", ["callToken": token, "offer": "v=0"])
                await expectRefusal("ERR_INVALID_OFFER") {
                    try await client.request("negotiate", ["offer": "x"])
                }
                let again = try await client.request("negotiate", ["offer": "v=0\nseats 1"])
                #expect(again["answer"]?.stringValue == "v=0\nanswer")
            }
        }

        @Test func `mute, pause, hands, screen and name are told to everyone and answered`() async throws {
            try await TestServer.with { server in
                let (alice, result) = try await server.joined("alice")
                let (bob, _) = try await server.joined("bob")
                let me = result["participant"]?["participantId"]
                let steps: [(method: String, params: JSONValue, event: String)] = [
                    ("muteAudio", [:], "participantAudioMuted"),
                    ("unmuteAudio", [:], "participantAudioUnmuted"),
                    ("pauseVideo", [:], "participantVideoPaused"),
                    ("resumeVideo", [:], "participantVideoResumed"),
                    ("startScreenSharing", ["mid": "7", "audioMid": "8"], "participantStartedScreenShare"),
                    ("stopScreenSharing", [:], "participantStoppedScreenShare"),
                    ("raiseHand", [:], "participantHandRaised"), ("lowerHand", [:], "participantHandLowered"),
                    ("setDisplayName", ["displayName": "A."], "participantUpdated"),
                ]
                for step in steps {
                    let answer = try await alice.request(step.method, step.params)
                    let event = try await bob.event(step.event)
                    #expect(event["data"]?["participant"]?["participantId"] == me)
                    if step.method == "raiseHand" {
                        #expect(answer["hands"]?[0]?["participantId"] == me)
                        #expect(event["data"]?["hands"] == answer["hands"])
                    }
                    _ = try await alice.event(step.event)
                }
                // What the screen's m-lines carry goes into the next offer.
                try await alice.request("negotiate", ["offer": "v=0"])
                #expect(server.media.read { $0.negotiated.last } == ["7": .screen, "8": .screenAudio])
            }
        }

        @Test func `an answer comes after its effect and after the events`() async throws {
            try await TestServer.with { server in
                let (alice, _) = try await server.joined("alice")
                let (bob, _) = try await server.joined("bob")
                server.media.hold()
                let id = try alice.post("muteAudio")
                try await eventually("the effect to begin") {
                    server.media.read { $0.held.isEmpty ? nil : true }
                }
                #expect(alice.read { $0.answers[id] == nil })
                #expect(bob.read { !$0.order.contains("participantAudioMuted") })
                server.media.release()
                _ = try await alice.answer(to: id)
                #expect(alice.read { $0.order.suffix(2) } == ["participantAudioMuted", "answer"])
                _ = try await bob.event("participantAudioMuted")
            }
        }

        @Test func `messages reach everyone or those listed`() async throws {
            try await TestServer.with { server in
                let (alice, _) = try await server.joined("alice")
                let (bob, second) = try await server.joined("bob")
                let (carol, _) = try await server.joined("carol")
                let data: JSONValue = ["a": [1, 2.5, nil, "ü"]]
                let sent = try await alice.request("sendMessage", ["type": "reaction", "data": data])
                let event = try await carol.event("message")
                #expect(event["data"]?["message"] == sent["message"])
                #expect(event["data"]?["message"]?["data"] == data)
                #expect(event["data"]?["message"]?["category"]?.stringValue == "custom")
                #expect(event["data"]?["message"]?["sender"]?["uid"]?.stringValue == "alice")
                _ = try await bob.event("message")
                let to = JSONValue.array([second["participant"]?["participantId"] ?? .null])
                try await alice.request("sendMessage", ["type": "chat", "text": "psst", "to": to])
                #expect(try await bob.event("message")["data"]?["message"]?["text"]?.stringValue == "psst")
                try await carol.request("ping")
                #expect(carol.read { !$0.events.contains { $0["event"]?.stringValue == "message" } })
                await expectRefusal("ERR_BAD_REQUEST", field: "data") {
                    let large = JSONValue.string(String(repeating: "x", count: 10_300))
                    return try await alice.request("sendMessage", ["type": "chat", "data": large])
                }
                await expectRefusal("ERR_PARTICIPANT_NOT_FOUND") {
                    try await alice.request("sendMessage", ["type": "chat", "text": "x", "to": ["nobody"]])
                }
            }
        }

        @Test func `scope and grants limit what is published`() async throws {
            try await TestServer.with { server in
                let (viewer, result) = try await server.joined("v", scope: .viewer)
                #expect(result["participant"]?["audioMuted"]?.boolValue == true)
                await expectRefusal("ERR_PUBLISH_NOT_ALLOWED") { try await viewer.request("unmuteAudio") }
                let (speaker, _) = try await server.joined("s", grants: Grants(publish: [.microphone]))
                await expectRefusal("ERR_PUBLISH_NOT_ALLOWED") {
                    try await speaker.request("startScreenSharing")
                }
                try await speaker.request("muteAudio")
                let allowed = server.media.read { $0.permissions.values.map(\.publish) }
                #expect(Set(allowed) == [[], [.microphone]])
            }
        }

        @Test func `hidden participants see, and aren't seen`() async throws {
            try await TestServer.with { server in
                let (alice, _) = try await server.joined("alice")
                let (ghost, result) = try await server.joined("g", grants: Grants(hidden: true))
                #expect(result["participants"]?.arrayValue?.count == 1)
                let roster = try await alice.request("getParticipants")
                #expect(roster["participants"]?.arrayValue?.count == 1)
                try await alice.request("raiseHand")
                _ = try await ghost.event("participantHandRaised")
                #expect(alice.read { !$0.order.contains("participantJoined") })
            }
        }

        @Test func `hidden participants publish nothing, and can be removed by those who know of them`()
            async throws
        {
            try await TestServer.with { server in
                let mia = try await server.person("mia", scope: .moderator)
                let ann = try await server.person("ann", scope: .admin)
                let all = Grants(publish: Set(Source.allCases), hidden: true)
                let ghost = try await server.person("g", scope: .moderator, grants: all)
                #expect(ghost.joined["participant"]?["audioMuted"]?.boolValue == true)
                #expect(server.published.last == [])
                for method in ["unmuteAudio", "resumeVideo", "startScreenSharing"] {
                    await expectRefusal("ERR_PUBLISH_NOT_ALLOWED") { try await ghost.request(method) }
                }
                let path = "/v1/sessions/room/participants/\(ghost.id.stringValue ?? "")"
                #expect(try await server.backEnd("GET", path).json["uid"]?.stringValue == "g")
                expect(try await server.user("mia", "GET", path), refuses: "ERR_PARTICIPANT_NOT_FOUND")
                await expectRefusal("ERR_PARTICIPANT_NOT_FOUND") {
                    try await mia.request("removeParticipant", ghost)
                }
                try await ann.request("removeParticipant", ghost)
                #expect(try await ghost.client.closed() == 4003)
                let second = try await server.person("h", grants: all)
                let other = "/v1/sessions/room/participants/\(second.id.stringValue ?? "")"
                #expect(try await server.backEnd("POST", other + "/remove", "{}").status == 200)
                #expect(try await second.client.closed() == 4003)
                expect(try await server.backEnd("GET", other), refuses: "ERR_PARTICIPANT_NOT_FOUND")
            }
        }

        @Test func `the same device again replaces the first with 4009`() async throws {
            try await TestServer.with({ $0.meeting.maxParticipants = 2 }) { server in
                let (first, one) = try await server.joined("u", settings: ["deviceId": "phone"])
                let (other, _) = try await server.joined("v")
                let (second, two) = try await server.joined("u", settings: ["deviceId": "phone"])
                #expect(try await first.closed() == 4009)
                #expect(one["participant"]?["participantId"] != two["participant"]?["participantId"])
                let left = try await other.event("participantLeft")
                #expect(left["data"]?["reason"]?.stringValue == "replaced")
                let roster = try await second.request("getParticipants")
                #expect(roster["participants"]?.arrayValue?.count == 2)
                #expect(try await first.event("sessionLeft")["data"]?["reason"]?.stringValue == "replaced")
            }
        }

        @Test func `leaving is idempotent, and the next meeting has a new id`() async throws {
            try await TestServer.with { server in
                let (client, first) = try await server.joined("u")
                await expectRefusal("ERR_ALREADY_IN_SESSION") { try await client.request("joinSession") }
                try await client.request("leaveSession")
                try await client.request("leaveSession")
                await expectRefusal("ERR_NOT_IN_SESSION") { try await client.request("raiseHand") }
                let second = try await client.request("startSession")
                #expect(first["session"]?["meetingId"] != second["session"]?["meetingId"])
                try await client.request("leaveSession")
                try await eventually("media to be dropped") {
                    server.media.read { $0.sessions.isEmpty && $0.permissions.isEmpty } ? true : nil
                }
            }
        }

        @Test func `what the workers report becomes events`() async throws {
            try await TestServer.with { server in
                let (alice, first) = try await server.joined("alice", offer: "v=0")
                let ids = server.media.read { ($0.home.keys.first, $0.sessions.first) }
                let (speaker, session) = (try #require(ids.0), try #require(ids.1))
                server.media.emit(.dominantSpeakerChanged(session, speaker))
                let event = try await alice.event("dominantSpeakerChanged")
                #expect(
                    event["data"]?["participant"]?["participantId"] == first["participant"]?["participantId"])
                let speaking = try await alice.request("getSession")
                #expect(speaking["session"]?["dominantSpeaker"] == first["participant"]?["participantId"])
                let shown = try await server.backEnd("GET", "/v1/sessions/room")
                #expect(shown.json["dominantSpeaker"] == first["participant"]?["participantId"])
                // ICE may come and go while the socket lives.
                server.media.emit(.disconnected(speaker))
                server.media.emit(.dominantSpeakerChanged(session, nil))
                #expect(try await alice.event("dominantSpeakerChanged")["data"]?["participant"] == .null)
                let all = try await alice.request("getParticipants")
                #expect(all["participants"]?[0]?["state"]?.stringValue == "joined")
                let own = try await alice.request("getSession")
                #expect(own["session"]?["participantCount"]?.integerValue == 1)
                #expect(own["session"]?["dominantSpeaker"] == nil)
            }
        }
    }
}
