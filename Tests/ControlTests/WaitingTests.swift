import Control
import JSON
import MediaWorker
import Meeting
import Storage
import Testing

extension ControlTests {
    /// The waiting room, from the socket's side.
    @Suite struct WaitingTests {
        private static let room = #"{"waitingRoom":true}"#

        private func token(_ uid: String, expiresIn seconds: Int64 = 600) -> JSONValue {
            ["callToken": .string(TestServer.callToken(uid, expiresIn: seconds))]
        }

        /// A server with a waiting room, and a moderator in it.
        private func with(
            _ settings: String = WaitingTests.room, _ change: (inout ControlSettings) -> Void = { _ in },
            _ body: (TestServer, _ host: Person) async throws -> Void
        ) async throws {
            try await TestServer.with(change) { server in
                try await server.make(settings)
                try await body(server, try await server.person("host", scope: .moderator))
            }
        }

        @Test func `who waits has no place and sees nothing, is told when it is let in, and then comes in`()
            async throws
        {
            try await with { server, host in
                let guest = try await server.person("guest")
                #expect(guest.joined["state"]?.stringValue == "waiting")
                #expect(guest.joined["participant"]?["state"]?.stringValue == "waiting")
                #expect(guest.joined["session"]?["sessionId"]?.stringValue == "room")
                #expect(guest.joined["resumeToken"] == nil && guest.joined["answer"] == nil)
                #expect(
                    try await host.event("waitingParticipant")["participant"]?["participantId"] == guest.id)
                #expect(await server.metric("rostrum_participants") == 1)
                #expect(server.media.read { $0.permissions.count } == 1)
                for method in ["getParticipants", "getSession", "raiseHand"] {
                    await expectRefusal("ERR_NOT_IN_SESSION") { try await guest.request(method) }
                }
                await expectRefusal("ERR_NOT_IN_SESSION") {
                    try await guest.request("negotiate", ["offer": "v=0"])
                }
                // Asking again before the time changes nothing.
                #expect(try await guest.request("joinSession")["state"]?.stringValue == "waiting")
                #expect(try await host.request("admitParticipant", guest) == ["affected": 1])
                let admitted = try await guest.client.event("admitted")
                #expect(admitted["seq"]?.integerValue == 1)
                #expect(admitted["data"]?["by"] == host.author)
                let inside = try await guest.request("joinSession", ["offer": "v=0\nseats 1"])
                #expect(inside["state"]?.stringValue == "joined" && inside["seq"]?.integerValue == 1)
                #expect(inside["answer"]?.stringValue == "v=0\nanswer")
                #expect(inside["participant"]?["participantId"] == guest.id)
                #expect(inside["participants"]?.arrayValue?.count == 2)
                #expect(try await guest.client.event("sessionJoined")["seq"]?.integerValue == 2)
                #expect(
                    try await host.event("participantJoined")["participant"]?["participantId"] == guest.id)
                #expect(await server.metric("rostrum_participants") == 2)
                await expectRefusal("ERR_ALREADY_IN_SESSION") { try await guest.request("joinSession") }
            }
        }

        @Test func `a moderator who joins learns who waits already, others don't`() async throws {
            try await TestServer.with { server in
                try await server.make(Self.room)
                let early = try await server.person("early")
                #expect(early.joined["state"]?.stringValue == "waiting")
                let host = try await server.person("host", scope: .moderator)
                #expect(host.joined["waiting"]?[0]?["participantId"] == early.id)
                _ = try await host.request("admitParticipant", early)
                let inside = try await early.request("joinSession")
                #expect(inside["waiting"] == nil && inside["answer"] == nil)
            }
        }

        @Test func `somebody who is sent away is told by whom, and may ask again on the same socket`()
            async throws
        {
            try await with { server, host in
                let guest = try await server.person("guest")
                #expect(try await host.request("denyParticipant", guest) == ["affected": 1])
                #expect(try await guest.event("denied")["by"] == host.author)
                await expectRefusal("ERR_PARTICIPANT_NOT_FOUND") {
                    try await host.request("admitParticipant", guest)
                }
                let again = try await guest.request("joinSession", token("guest"))
                #expect(again["state"]?.stringValue == "waiting")
                #expect(again["participant"]?["participantId"] != guest.id)
                try await guest.request("leaveSession")
                let gone = try await host.event("denied")
                #expect(gone["participant"]?["participantId"] == guest.id)
                let left = try await host.event("denied")
                #expect(left["participant"]?["participantId"] == again["participant"]?["participantId"])
                #expect(left["by"] == nil)
            }
        }

        @Test func `whoever loses its socket waits no longer`() async throws {
            try await with { server, host in
                let guest = try await server.person("guest")
                _ = try await host.event("waitingParticipant")
                guest.client.drop()
                let gone = try await host.event("denied")
                #expect(gone["participant"]?["participantId"] == guest.id && gone["by"] == nil)
                await expectRefusal("ERR_PARTICIPANT_NOT_FOUND") {
                    try await host.request("admitParticipant", guest)
                }
            }
        }

        @Test func `the end of the session ends the wait with 4004`() async throws {
            try await with { server, host in
                let guest = try await server.person("guest")
                try await host.request("endSession", ["reason": "enough"])
                #expect(try await guest.event("sessionEnded")["reason"]?.stringValue == "enough")
                #expect(try await guest.client.closed() == 4004)
                #expect(try await host.client.closed() == 4004)
            }
        }

        @Test func `who is kicked from the group while it waits is sent away, and can't ask again`()
            async throws
        {
            try await TestServer.with { server in
                try await server.group(["mia": .moderator, "pat": .participant, "vic": .viewer])
                try await server.make("team", Self.room)
                let mia = try await server.person("mia", session: "team")
                let pat = try await server.person("pat", session: "team")
                #expect(pat.joined["state"]?.stringValue == "waiting")
                #expect(try await server.user("mia", "DELETE", "/v1/groups/team/members/pat").status == 204)
                _ = try await pat.event("denied")
                let own = JSONValue.string(TestServer.callToken("pat", session: "team"))
                await expectRefusal("ERR_NOT_GROUP_MEMBER") {
                    try await pat.request("joinSession", ["callToken": own])
                }
                // One who was admitted and hasn't come in yet is put out like those who are in.
                let vic = try await server.person("vic", session: "team")
                try await mia.request("admitParticipant", vic)
                #expect(try await server.user("mia", "DELETE", "/v1/groups/team/members/vic").status == 204)
                #expect(try await vic.client.closed() == 4003)
                #expect(try await server.roster("team") == ["mia"])
            }
        }

        @Test func `a scope that changes while somebody waits holds when it comes in`() async throws {
            try await TestServer.with { server in
                try await server.group(["mia": .moderator, "pat": .participant])
                try await server.make("team", Self.room)
                let mia = try await server.person("mia", session: "team")
                let pat = try await server.person("pat", session: "team")
                _ = try await server.backEnd("PUT", "/v1/groups/team/members/pat", #"{"scope":"viewer"}"#)
                try await mia.request("admitParticipant", pat)
                let inside = try await pat.request("joinSession", ["offer": "v=0"])
                #expect(inside["participant"]?["scope"]?.stringValue == "viewer")
                #expect(inside["participant"]?["audioMuted"]?.boolValue == true)
                #expect(server.published.last == [])
            }
        }

        @Test func `nobody is admitted without a place, and goes on waiting`() async throws {
            try await with(#"{"waitingRoom":true,"maxParticipants":2}"#) { server, host in
                let (one, two) = (try await server.person("one"), try await server.person("two"))
                #expect(
                    try await host.request("admitParticipant", ["participantId": "all"]) == ["affected": 1])
                do {
                    try await host.request("admitParticipant", two)
                    Issue.record("not refused")
                } catch let refusal as Refusal {
                    #expect(refusal.code == "ERR_CALL_FULL")
                    #expect(refusal.details?["maxParticipants"]?.integerValue == 2)
                }
                #expect(try await one.request("joinSession")["state"]?.stringValue == "joined")
                #expect(try await two.request("joinSession")["state"]?.stringValue == "waiting")
                try await one.request("leaveSession")
                try await host.request("admitParticipant", two)
                #expect(try await two.request("joinSession")["state"]?.stringValue == "joined")
            }
        }

        @Test func `who was admitted and doesn't come in loses the place, and can ask again`() async throws {
            let settings = #"{"waitingRoom":true,"maxParticipants":2}"#
            try await with(settings, { $0.meeting.enterWithinMs = 50 }) { server, host in
                let guest = try await server.person("guest")
                try await host.request("admitParticipant", guest)
                #expect(try await guest.event("sessionLeft")["reason"]?.stringValue == "timeout")
                let again = try await guest.request("joinSession", token("guest"))
                #expect(again["state"]?.stringValue == "waiting")
                #expect(await server.metric("rostrum_participants") == 1)
            }
        }

        @Test func `who was admitted and leaves, or loses its socket, gives the place back at once`()
            async throws
        {
            try await with(#"{"waitingRoom":true,"maxParticipants":2}"#) { server, host in
                for how in ["leave", "drop"] {
                    let guest = try await server.person("guest-\(how)")
                    try await host.request("admitParticipant", guest)
                    _ = try await guest.event("admitted")
                    if how == "leave" { try await guest.request("leaveSession") } else { guest.client.drop() }
                    let next = try await server.person("next-\(how)")
                    try await eventually("a place") {
                        (try? await host.request("admitParticipant", next)) != nil ? true : nil
                    }
                    #expect(try await next.request("joinSession")["state"]?.stringValue == "joined")
                    try await next.request("leaveSession")
                }
                #expect(await server.metric("rostrum_participants") == 1)
            }
        }

        @Test
        func `an offer that can't be used gives the place back, a token that has expired doesn't matter`()
            async throws
        {
            try await with { server, host in
                let client = try await server.client()
                let short = token("guest", expiresIn: 2)
                let waiting = try await client.request("joinSession", short)
                let guest = Person(client: client, joined: waiting)
                let expiry = TestServer.seconds(fromNow: 2)
                try await eventually("the token to expire") {
                    TestServer.seconds(fromNow: 0) > expiry ? true : nil
                }
                await expectRefusal("ERR_CALL_TOKEN_EXPIRED") {
                    try await server.client().request("joinSession", short)
                }
                try await host.request("admitParticipant", guest)
                var params = short.objectValue ?? JSONObject()
                params["offer"] = "v=0\nseats 1"
                params["settings"] = ["displayName": "Gus", "startAudioMuted": true]
                let inside = try await guest.request("joinSession", .object(params))
                #expect(inside["participant"]?["name"]?.stringValue == "Gus")
                #expect(inside["participant"]?["audioMuted"]?.boolValue == true)
                let second = try await server.person("second")
                try await host.request("admitParticipant", second)
                await expectRefusal("ERR_INVALID_OFFER") {
                    try await second.request("joinSession", ["offer": "nonsense"])
                }
                #expect(await server.metric("rostrum_participants") == 2)
                #expect(
                    try await second.request("joinSession", token("second"))["state"]?.stringValue
                        == "waiting"
                )
            }
        }

        @Test func `a socket that waits for one session doesn't join another`() async throws {
            try await with { server, _ in
                let guest = try await server.person("guest")
                let elsewhere = JSONValue.string(TestServer.callToken("guest", session: "elsewhere"))
                for params: JSONValue in [["sessionId": "elsewhere"], ["callToken": elsewhere]] {
                    await expectRefusal("ERR_ALREADY_IN_SESSION") {
                        try await guest.request("joinSession", params)
                    }
                }
                try await guest.request("leaveSession")
                let inside = try await guest.request("joinSession", ["callToken": elsewhere])
                #expect(inside["state"]?.stringValue == "joined")
            }
        }
    }
}
