import Configuration
import Control
import JSON
import Meeting
import Storage
import Testing

extension ControlTests {
    /// The session that a call leads to.
    @Suite struct CallSessionTests {
        private func token(
            _ uid: String, _ session: String, _ server: TestServer
        ) async throws
            -> TestServer.Answer
        {
            try await server.user(uid, "POST", "/v1/call-tokens", #"{"sessionId":"\#(session)"}"#)
        }

        /// Joins with a call token that the server made.
        private func join(_ uid: String, _ session: String, _ server: TestServer) async throws -> TestClient {
            let token = try await token(uid, session, server).json["callToken"] ?? .null
            let client = try await server.client()
            try await client.request("joinSession", ["callToken": token, "settings": ["deviceId": "d"]])
            return client
        }

        private func states(_ entry: JSONValue) -> [String] {
            entry["participants"]?.arrayValue?.compactMap { $0["state"]?.stringValue } ?? []
        }

        @Test func `who is put out of the group, or deleted, while it rings is told, and the call ends`()
            async throws
        {
            try await TestServer.with { server in
                try await server.group(["anna": .participant, "bob": .participant])
                _ = try await server.backEnd("PUT", "/v1/users/eve", #"{"name":"Eve"}"#)
                let anna = try await server.device("anna")
                let bob = try await server.device("bob")
                let call: JSONValue = ["receiverId": "team", "receiverType": "group"]
                try await anna.request("initiateCall", call)
                _ = try await bob.event("incomingCallReceived")
                #expect(try await server.backEnd("DELETE", "/v1/groups/team/members/anna").status == 204)
                #expect(
                    try await anna.event("callEnded")["data"]?["call"]?["status"]?.stringValue == "cancelled")
                _ = try await bob.event("incomingCallCancelled")

                // The owner's turn to call: bob alone could answer.
                let owner = try await server.device("owner")
                try await owner.request("initiateCall", call)
                _ = try await bob.event("incomingCallReceived")
                #expect(try await server.backEnd("DELETE", "/v1/groups/team/members/bob").status == 204)
                let rejected = try await owner.event("outgoingCallRejected")
                #expect(rejected["data"]?["status"]?.stringValue == "unanswered")

                let session = try await server.call("eve", from: "anna")
                #expect(try await server.backEnd("DELETE", "/v1/users/eve").status == 204)
                _ = try await anna.event("outgoingCallRejected")
                let entry = try await server.backEnd("GET", "/v1/calls/\(session)")
                #expect(entry.json["status"]?.stringValue == "unanswered")
            }
        }

        @Test
        func `the parties alone may join, even where sessions need a group, the caller once it is answered`()
            async throws
        {
            try await TestServer.with({ $0.allowsAdHoc = false }) { server in
                try await server.users("bob")
                let session = try await server.call("bob", from: "anna")
                expect(try await token("anna", session, server), refuses: "ERR_CALL_NOT_STARTED")
                expect(try await token("eve", session, server), refuses: "ERR_CALL_NOT_A_PART")
                #expect(try await token("bob", session, server).status == 201)
                await expectRefusal("ERR_CALL_NOT_STARTED") {
                    try await server.joined("anna", session: session)
                }
                await expectRefusal("ERR_CALL_NOT_A_PART") {
                    try await server.joined("eve", session: session, scope: .owner)
                }
                await expectRefusal("ERR_CALL_SESSION_NOT_FOUND") {
                    try await server.joined("bob", session: String(session.dropLast()) + "_")
                }
                try await server.change("accept", session, by: "bob")
                #expect(try await token("anna", session, server).status == 201)
                let anna = try await server.device("anna")
                try await anna.request("joinSession", ["sessionId": .string(session)])
                try await server.change("end", session, by: "bob")
                expect(try await token("anna", session, server), refuses: "ERR_CALL_TERMINATED")
                expect(try await token("eve", session, server), refuses: "ERR_CALL_NOT_A_PART")
                await expectRefusal("ERR_CALL_TERMINATED") {
                    try await server.joined("bob", session: session)
                }
            }
        }

        @Test func `who comes and goes shows in the call, which ends when the last one has left`()
            async throws
        {
            try await TestServer.with { server in
                try await server.users("bob")
                let devices = try await [server.device("anna"), server.device("bob")]
                let session = try await server.call("bob", from: "anna")
                try await server.change("accept", session, by: "bob")
                let bob = try await join("bob", session, server)
                let meeting = try await server.entry(session) { $0["meetingId"] != nil }["meetingId"]
                let anna = try await join("anna", session, server)
                #expect(try await anna.request("getSession")["session"]?["meetingId"] == meeting)
                try await bob.request("leaveSession")
                _ = try await server.entry(session) { states($0) == ["ongoing", "ended"] }
                let again = try await join("bob", session, server)
                _ = try await server.entry(session) { states($0) == ["ongoing", "ended", "ongoing"] }
                try await anna.request("leaveSession")
                try await again.request("leaveSession")
                for device in devices { _ = try await device.event("callEnded") }
                let entry = try await server.backEnd("GET", "/v1/calls/\(session)").json
                #expect(entry["status"]?.stringValue == "ended" && entry["meetingId"] == meeting)
                #expect(states(entry) == ["ended", "ended", "ended"])
                #expect(entry["participants"]?[0]?["deviceId"]?.stringValue == "d")
                #expect(entry["durationSeconds"] != nil && entry["recordings"] == [])
                #expect(try await server.backEnd("GET", "/v1/calls").list("sessionId") == [session])
            }
        }

        @Test func `coming to the session answers the call`() async throws {
            try await TestServer.with { server in
                try await server.users("bob")
                let (anna, tablet) = try await (server.device("anna"), server.device("bob"))
                let session = try await server.call("bob", from: "anna")
                _ = try await join("bob", session, server)
                _ = try await anna.event("outgoingCallAccepted")
                #expect(
                    try await tablet.event("incomingCallCancelled")["data"]?["reason"]?.stringValue
                        == "answeredElsewhere")
                _ = try await server.entry(session) { $0["status"]?.stringValue == "ongoing" }
            }
        }

        @Test func `who hangs up ends the session for both, and is answered first`() async throws {
            try await TestServer.with { server in
                try await server.users("bob")
                let session = try await server.call("bob", from: "anna")
                try await server.change("accept", session, by: "bob")
                let bob = try await join("bob", session, server)
                let anna = try await server.device("anna")
                try await anna.request("joinSession", ["sessionId": .string(session)])
                let answer = try await anna.request("endCall", ["sessionId": .string(session)])
                #expect(answer["call"]?["status"]?.stringValue == "ended")
                for client in [anna, bob] {
                    _ = try await client.event("sessionEnded")
                    #expect(try await client.closed() == 4004)
                }
                #expect(await server.metric("rostrum_participants") == 0)
            }
        }

        @Test func `a group's call goes on without who leaves it or is put out of the group`() async throws {
            try await TestServer.with { server in
                try await server.group(["bob": .participant, "carol": .participant, "dora": .participant])
                let told = try await server.device("dora")
                let owner = try await server.device("owner")
                let session = try await server.call("team", from: "owner", isGroup: true)
                let call = try await told.event("incomingCallReceived")["data"]?["call"]
                #expect(call?["receiver"] == ["guid": "team", "name": "The team"])
                #expect(
                    try await told.request("getActiveCall", ["guid": "team"])["call"]?["sessionId"]
                        == .string(session))
                var inside: [String: TestClient] = [:]
                for uid in ["bob", "owner", "carol"] {
                    inside[uid] = try await join(uid, session, server)
                    if uid == "bob" { _ = try await owner.event("outgoingCallAccepted") }
                }
                _ = try await server.entry(session) { entry in
                    states(entry).filter { $0 == "ongoing" }.count == 3
                }
                #expect(try await server.change("end", session, by: "bob").status == 200)
                #expect(
                    try await inside["bob"]?.event("sessionLeft")["data"]?["reason"]?.stringValue == "left")
                #expect(
                    try await inside["owner"]?.event("participantLeft")["data"]?["participant"]?["uid"]?
                        .stringValue == "bob")
                let carol = try await server.device("carol")
                #expect(try await server.backEnd("DELETE", "/v1/groups/team/members/carol").status == 204)
                _ = try await carol.event("callEnded")
                _ = try await inside["carol"]?.event("sessionLeft")
                expect(try await token("carol", session, server), refuses: "ERR_CALL_NOT_A_PART")
                try await inside["owner"]?.request("leaveSession")
                _ = try await owner.event("callEnded")
                #expect(
                    try await told.event("incomingCallCancelled")["data"]?["reason"]?.stringValue
                        == "cancelled")
                let entry = try await server.backEnd("GET", "/v1/calls/\(session)").json
                #expect(entry["status"]?.stringValue == "ended")
                #expect(states(entry).sorted() == ["ended", "ended", "ended", "unanswered"])
                #expect(try await told.request("getActiveCall", ["guid": "team"]) == [:])
            }
        }
    }
}
