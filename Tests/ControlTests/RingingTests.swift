import Configuration
import Control
import JSON
import Meeting
import Storage
import Testing

extension ControlTests {
    /// Calls between two, as they are told.
    @Suite struct RingingTests {
        private static let toBob: JSONValue = [
            "receiverId": "bob", "receiverType": "user", "type": "audio", "metadata": ["k": 1],
        ]

        @Test func `a call rings on every device, and the one that accepts silences the others`() async throws
        {
            try await TestServer.with { server in
                try await server.users("anna", "bob")
                let (desk, other) = try await (server.device("anna"), server.device("anna"))
                let (phone, tablet) = try await (server.device("bob"), server.device("bob"))
                let out = try await server.device("eve")
                let call = try await desk.request("initiateCall", Self.toBob)["call"]
                let id = call?["sessionId"] ?? .null
                #expect(call?["status"]?.stringValue == "initiated" && call?["mode"]?.stringValue == "call")
                #expect(call?["receiver"] == ["uid": "bob", "name": "BOB"])
                #expect(try await server.backEnd("GET", "/v1/calls").list("status") == ["initiated"])
                for device in [phone, tablet] {
                    let told = try await device.event("incomingCallReceived")["data"]?["call"]
                    #expect(told?["sessionId"] == id && told?["type"]?.stringValue == "audio")
                    #expect(told?["initiator"] == ["uid": "anna", "name": "ANNA"])
                    #expect(told?["metadata"] == ["k": 1])
                }
                let accepted = try await phone.request("acceptCall", ["sessionId": id, "deviceId": "phone"])
                #expect(accepted["call"]?["status"]?.stringValue == "ongoing")
                let silenced = try await tablet.event("incomingCallCancelled")
                #expect(silenced["data"]?["reason"]?.stringValue == "answeredElsewhere")
                let told = try await desk.event("outgoingCallAccepted")
                #expect(told["data"]?["by"] == ["uid": "bob", "name": "BOB"])
                // The same device may ask again, another one comes too late.
                try await phone.request("acceptCall", ["sessionId": id])
                await expectRefusal("ERR_CALL_ONGOING_TO_INVALID") {
                    try await tablet.request("acceptCall", ["sessionId": id])
                }
                for client in [desk, other, phone, tablet, out] { try await client.expectNothing() }
                let entry = try await server.backEnd("GET", "/v1/calls/\(id.stringValue ?? "")").json
                #expect(entry["status"]?.stringValue == "ongoing" && entry["startedAt"] != nil)
                #expect(entry["participants"]?[0]?["deviceId"] == nil)
                #expect(entry["participants"]?[1]?["deviceId"]?.stringValue == "phone")

                try await desk.request("endCall", ["sessionId": id])
                for client in [desk, other, phone, tablet] {
                    let ended = try await client.event("callEnded")["data"]?["call"]
                    #expect(ended?["status"]?.stringValue == "ended" && ended?["participants"] == nil)
                }
                #expect(try await server.backEnd("GET", "/v1/calls").list("status") == ["ended"])
            }
        }

        @Test func `a device that comes at the moment of the call is told once`() async throws {
            try await TestServer.with({ $0.socket.requestsPerSecond = 100_000 }) { server in
                try await server.users("anna", "bob", "cai", "dee")
                let (anna, cai) = try await (server.device("anna"), server.device("cai"))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    // What else is written keeps the queue long.
                    group.addTask {
                        while !Task.isCancelled { try await Self.callAndCancel("dee", by: cai) }
                    }
                    for _ in 0..<40 {
                        let earlier = try await server.device("bob")
                        async let coming = server.device("bob")
                        let id = try await Self.callAndCancel("bob", by: anna)
                        let late = try await coming
                        try await earlier.expectCall(id, times: 1)
                        // It may have come when the call was over.
                        try await late.expectCall(id, times: nil)
                        for device in [earlier, late] { device.drop() }
                    }
                    group.cancelAll()
                }
            }
        }

        @discardableResult
        private static func callAndCancel(_ uid: String, by caller: TestClient) async throws -> JSONValue {
            let params: JSONValue = ["receiverId": .string(uid), "receiverType": "user"]
            let id = try await caller.request("initiateCall", params)["call"]?["sessionId"] ?? .null
            try await caller.request("cancelCall", ["sessionId": id])
            return id
        }

        @Test(
            arguments: [("rejected", "rejected"), ("busy", "busy"), (nil, "rejected")] as [(String?, String)])
        func `who turns a call down silences its other devices, and the caller is told why`(
            asked: String?, status: String
        ) async throws {
            try await TestServer.with { server in
                try await server.users("bob")
                let anna = try await server.device("anna")
                let (phone, tablet) = try await (server.device("bob"), server.device("bob"))
                let id = try await anna.request("initiateCall", Self.toBob)["call"]?["sessionId"] ?? .null
                for device in [phone, tablet] { _ = try await device.event("incomingCallReceived") }
                var params = JSONObject([("sessionId", id)])
                if let asked { params["status"] = .string(asked) }
                try await phone.request("rejectCall", .object(params))
                #expect(
                    try await anna.event("outgoingCallRejected")["data"]?["status"]?.stringValue == status)
                #expect(
                    try await tablet.event("incomingCallCancelled")["data"]?["reason"]?.stringValue
                        == "answeredElsewhere")
                for client in [anna, phone, tablet] { try await client.expectNothing() }
                #expect(
                    try await server.user("bob", "GET", "/v1/calls?status=" + status).list("status") == [
                        status
                    ])
            }
        }

        @Test(arguments: ["cancelled", "canceled", "unanswered", nil] as [String?])
        func `a caller gives up, and nobody is rung any more`(status: String?) async throws {
            try await TestServer.with { server in
                try await server.users("bob")
                let (anna, bob) = try await (server.device("anna"), server.device("bob"))
                let id = try await anna.request("initiateCall", Self.toBob)["call"]?["sessionId"] ?? .null
                _ = try await bob.event("incomingCallReceived")
                var params = JSONObject([("sessionId", id)])
                if let status { params["status"] = .string(status) }
                try await anna.request("cancelCall", .object(params))
                let reason = try await bob.event("incomingCallCancelled")["data"]?["reason"]?.stringValue
                #expect(reason == (status == "unanswered" ? "timeout" : "cancelled"))
                if status == "unanswered" { _ = try await anna.event("outgoingCallRejected") }
                for client in [anna, bob] { try await client.expectNothing() }
                let kept = status == "unanswered" ? "unanswered" : "cancelled"
                #expect(try await server.backEnd("GET", "/v1/calls").list("status") == [kept])
            }
        }

        @Test func `a call that nobody answers is unanswered for the caller and missed for the other`()
            async throws
        {
            try await TestServer.with { server in
                try await server.users("bob")
                let (anna, bob) = try await (server.device("anna"), server.device("bob"))
                let session = try await server.call("bob", from: "anna", #","timeoutSeconds":1.9"#)
                let begun = ContinuousClock().now
                let told = try await anna.event("outgoingCallRejected")["data"]
                // The fraction was cut; a wrong unit or the default would be far off.
                #expect(ContinuousClock().now - begun < .seconds(30))
                #expect(told?["status"]?.stringValue == "unanswered")
                #expect(
                    try await bob.event("incomingCallCancelled")["data"]?["reason"]?.stringValue == "timeout")
                for (uid, status, other) in [
                    ("anna", "unanswered", "missed"), ("bob", "missed", "unanswered"),
                ] {
                    let entry = try await server.user(uid, "GET", "/v1/calls/\(session)").json
                    #expect(entry["status"]?.stringValue == status)
                    let list = try await server.user(uid, "GET", "/v1/calls?status=\(status)")
                    #expect(list.list("status") == [status])
                    #expect(
                        try await server.user(uid, "GET", "/v1/calls?status=\(other)").list("status") == [])
                }
                #expect(
                    try await server.backEnd("GET", "/v1/calls?status=missed&uid=bob").list("sessionId") == [
                        session
                    ])
                #expect(
                    try await server.backEnd("GET", "/v1/calls?status=missed&uid=anna").list("sessionId")
                        == [])
            }
        }

        @Test func `a device that connects while it rings is told once`() async throws {
            try await TestServer.with { server in
                try await server.users("bob")
                let session = try await server.call("bob", from: "anna")
                let late = try await server.device("bob")
                let told = try await late.event("incomingCallReceived")["data"]?["call"]
                #expect(told?["sessionId"]?.stringValue == session)
                try await late.request("login", ["token": .string(TestServer.authToken("bob"))])
                try await server.change("cancel", session, by: "anna")
                _ = try await late.event("incomingCallCancelled")
                #expect(late.names == [])
                let later = try await server.device("bob")
                try await later.expectNothing()
            }
        }

        @Test func `a user finds its own call, made or rung for`() async throws {
            try await TestServer.with { server in
                try await server.users("bob")
                let (anna, bob) = try await (server.device("anna"), server.device("bob"))
                #expect(try await anna.request("getActiveCall") == [:])
                let session = try await server.call("bob", from: "anna")
                for client in [anna, bob] {
                    let call = try await client.request("getActiveCall")["call"]
                    #expect(call?["sessionId"]?.stringValue == session)
                }
                try await server.change("reject", session, by: "bob")
                for client in [anna, bob] { #expect(try await client.request("getActiveCall") == [:]) }
            }
        }

        @Test func `a call that can't be logged isn't made, one that goes on doesn't mind`() async throws {
            try await TestServer.with { server in
                try await server.users("bob")
                let (anna, bob) = try await (server.device("anna"), server.device("bob"))
                try await server.breakLog(true)
                await expectRefusal("ERR_EXCEPTION") { try await anna.request("initiateCall", Self.toBob) }
                try await server.breakLog(false)
                try await bob.expectNothing()
                let session = try await server.call("bob", from: "anna")
                try await server.breakLog(true)
                // It goes on, and nobody is told that it is on disk.
                expect(try await server.change("accept", session, by: "bob"), refuses: "ERR_EXCEPTION")
                _ = try await anna.event("outgoingCallAccepted")
                expect(try await server.change("accept", session, by: "bob"), refuses: "ERR_EXCEPTION")
                try await server.breakLog(false)
                // Who asks again is answered once it is.
                #expect(try await server.change("accept", session, by: "bob").status == 200)
                #expect(try await server.backEnd("GET", "/v1/calls/\(session)").json["status"] == "ongoing")
                let entry = try await server.entry(session) { $0["status"]?.stringValue == "ongoing" }
                #expect(entry["participants"]?.arrayValue?.count == 2)
                #expect(try await server.backEnd("GET", "/v1/calls").list("sessionId") == [session])
            }
        }
    }
}

extension TestClient {
    /// What came of one call: as many rings, if that is known, and as many ends.
    fileprivate func expectCall(_ id: JSONValue, times: Int?) async throws {
        func count(_ name: String) -> Int {
            read { state in
                state.events.count {
                    $0["event"]?.stringValue == name && $0["data"]?["call"]?["sessionId"] == id
                }
            }
        }
        try await request("ping")
        let rings = count("incomingCallReceived")
        #expect(times == nil ? rings <= 1 : rings == times)
        #expect(count("incomingCallCancelled") >= rings)
    }
}
