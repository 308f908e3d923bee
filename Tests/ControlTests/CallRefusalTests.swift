import Configuration
import Control
import JSON
import Meeting
import Storage
import Testing

extension ControlTests {
    /// What calls are refused with, on a socket and by REST.
    @Suite struct CallRefusalTests {
        /// Who asks for what, and what comes of it.
        private typealias Row = (uid: String, verb: String, body: String, code: String)

        private func check(_ row: Row, of call: String, _ server: TestServer) async throws {
            let what: Comment = "\(row.uid) \(row.verb) \(row.body)"
            let path = "/v1/calls/\(call)/\(row.verb)"
            let answer = try await server.user(row.uid, "POST", path, row.body)
            // libwebsockets takes two slashes for one, and the path without an id for another one.
            let code = call.isEmpty ? "ERR_METHOD_NOT_ALLOWED" : row.code
            #expect(answer.code == code && answer.status == ErrorTable.specified.statuses[code], what)
            let client = try await server.device(row.uid)
            var params = try JSON.parse(row.body).objectValue ?? JSONObject()
            params["sessionId"] = .string(call)
            do {
                try await client.request(row.verb + "Call", .object(params))
                Issue.record(what)
            } catch let refusal as Refusal {
                #expect(refusal.code == row.code, what)
            }
            client.drop()
        }

        @Test(
            arguments: [
                ("bob", "user", "", "ERR_CALL_BUSY_USER"), ("zoe", "user", "", "ERR_CALL_BUSY_USER"),
                ("anna", "user", "", "ERR_CALLING_SELF"), ("nobody", "user", "", "ERR_UID_NOT_FOUND"),
                ("team", "group", "", "ERR_CALL_BUSY_GROUP"), ("crew", "group", "", "ERR_GUID_NOT_FOUND"),
                ("club", "group", "", "ERR_NOT_GROUP_MEMBER"),
                ("bob", "room", "", "ERR_INVALID_RECEIVER_TYPE"), ("b b", "user", "", "ERR_BAD_REQUEST"),
                ("bob", "user", #","type":"smoke""#, "ERR_BAD_REQUEST"),
                ("bob", "user", #","deviceId":"a b""#, "ERR_BAD_REQUEST"),
                ("bob", "user", #","timeoutSeconds":"9""#, "ERR_BAD_REQUEST"),
                ("bob", "user", #","sessionId":"mine""#, "ERR_BAD_REQUEST"),
            ])
        func `a call that can't be made rings nobody`(
            receiver: String, type: String, more: String, code: String
        ) async throws {
            try await TestServer.with { server in
                try await server.users("anna", "bob", "zoe", "yan")
                try await server.group(["anna": .viewer, "yan": .viewer])
                try await server.group(guid: "club", owner: "yan")
                _ = try await server.call("bob", from: "zoe")
                _ = try await server.call("team", from: "yan", isGroup: true)
                let body = #"{"receiverId":"\#(receiver)","receiverType":"\#(type)"\#(more)}"#
                expect(try await server.user("anna", "POST", "/v1/calls", body), refuses: code)
                let anna = try await server.device("anna")
                await expectRefusal(code) { try await anna.request("initiateCall", try JSON.parse(body)) }
                #expect(try await server.backEnd("GET", "/v1/calls").list("sessionId").count == 2)
                // Who is called is busy with that, who waits for an answer too.
                for (uid, other) in [("bob", "anna"), ("zoe", "anna")] {
                    let body = #"{"receiverId":"\#(other)","receiverType":"user"}"#
                    expect(
                        try await server.user(uid, "POST", "/v1/calls", body), refuses: "ERR_CALL_BUSY_SELF")
                }
            }
        }

        @Test func `each change of a call of two that can't be has its code`() async throws {
            try await TestServer.with { server in
                try await server.users("bob")
                let call = try await server.call("bob", from: "anna")
                let rows: [Row] = [
                    ("anna", "end", "{}", "ERR_CALL_NOT_STARTED"),
                    ("bob", "end", "{}", "ERR_CALL_NOT_STARTED"),
                    ("anna", "accept", "{}", "AUTH_ERR_NO_ACCESS"),
                    ("anna", "reject", "{}", "AUTH_ERR_NO_ACCESS"),
                    ("bob", "cancel", "{}", "AUTH_ERR_NO_ACCESS"),
                    ("bob", "reject", #"{"status":"initiated"}"#, "ERR_CALL_INVALID_INIT"),
                    ("bob", "reject", #"{"status":"ended"}"#, "ERR_BAD_REQUEST"),
                    ("bob", "accept", #"{"status":"ongoing"}"#, "ERR_BAD_REQUEST"),
                    ("eve", "accept", "{}", "ERR_CALL_NOT_A_PART"),
                    ("eve", "reject", #"{"status":"initiated"}"#, "ERR_CALL_NOT_A_PART"),
                ]
                for row in rows { try await check(row, of: call, server) }
                for (id, code) in [("", "ERR_EMPTY_CALL_SESSION_ID"), ("none", "ERR_CALL_SESSION_NOT_FOUND")]
                {
                    for verb in ["accept", "reject", "cancel", "end"] {
                        try await check(("bob", verb, "{}", code), of: id, server)
                    }
                }
                #expect(
                    try await server.change("accept", call, by: "bob", #"{"deviceId":"phone"}"#).status == 200
                )
                for (verb, body) in [
                    ("accept", "{}"), ("reject", "{}"), ("reject", #"{"status":"busy"}"#), ("cancel", "{}"),
                    ("cancel", #"{"status":"unanswered"}"#),
                ] {
                    for uid in ["anna", "bob"] {
                        try await check((uid, verb, body, "ERR_CALL_ONGOING_TO_INVALID"), of: call, server)
                    }
                }
                #expect(try await server.change("end", call, by: "anna").status == 200)
                for verb in ["accept", "reject", "cancel", "end"] {
                    try await check(("bob", verb, "{}", "ERR_CALL_TERMINATED"), of: call, server)
                    try await check(("eve", verb, "{}", "ERR_CALL_NOT_A_PART"), of: call, server)
                }
            }
        }

        @Test func `each change of a group's call that can't be has its code`() async throws {
            try await TestServer.with { server in
                try await server.group(["bob": .participant, "carol": .participant])
                let call = try await server.call("team", from: "owner", isGroup: true)
                for body in ["{}", #"{"status":"busy"}"#] {
                    try await check(
                        ("bob", "reject", body, "ERR_CALL_GROUP_INVALID_STATUS"), of: call, server)
                }
                try await check(("owner", "accept", "{}", "ERR_CALL_GROUP_ALREADY_JOINED"), of: call, server)
                try await server.change("accept", call, by: "bob")
                try await check(("bob", "accept", "{}", "ERR_CALL_GROUP_ALREADY_JOINED"), of: call, server)
                try await check(("carol", "end", "{}", "ERR_CALL_GROUP_ALREADY_LEFT"), of: call, server)
                try await server.change("end", call, by: "bob")
                try await check(("bob", "end", "{}", "ERR_CALL_GROUP_ALREADY_LEFT"), of: call, server)
                try await check(("eve", "accept", "{}", "ERR_CALL_NOT_A_PART"), of: call, server)
                #expect(try await server.change("accept", call, by: "carol").status == 200)
                for uid in ["carol", "owner"] { try await server.change("end", call, by: uid) }
                try await check(("bob", "accept", "{}", "ERR_CALL_TERMINATED"), of: call, server)
            }
        }

        @Test func `a group that is too large to be rung is refused by name`() async throws {
            try await TestServer.with { server in
                try await server.group(["anna": .participant])
                let many = (0..<CallRequest.mostCalled).map { "u\($0)" }
                for uid in many { try await server.users(uid) }
                for start in stride(from: 0, to: many.count, by: 25) {
                    let some = many[start..<min(start + 25, many.count)]
                    try await server.store.addMembers(
                        some.map { Member(uid: $0, scope: .participant, joinedAt: 3) }, to: "team")
                }
                let call = #"{"receiverId":"team","receiverType":"group"}"#
                let answer = try await server.user("anna", "POST", "/v1/calls", call)
                expect(answer, refuses: "ERR_BAD_REQUEST", field: "receiverId")
                #expect(answer.json["error"]?["message"]?.stringValue?.contains("meet there") == true)
                // One less than that, and the caller, are rung.
                try await server.store.kick("u0", from: "team")
                #expect(try await server.user("anna", "POST", "/v1/calls", call).status == 201)
            }
        }

        @Test func `ringing needs an auth token`() async throws {
            try await TestServer.with { server in
                try await server.users("bob")
                let body = #"{"receiverId":"bob","receiverType":"user"}"#
                expect(
                    try await server.backEnd("POST", "/v1/calls", body),
                    refuses: "AUTH_ERR_AUTH_TOKEN_NOT_FOUND")
                let (client, _) = try await server.joined("anna")
                for method in ["initiateCall", "acceptCall", "getActiveCall"] {
                    let params: JSONValue =
                        switch method {
                        case "initiateCall": ["receiverId": "bob", "receiverType": "user"]
                        case "acceptCall": ["sessionId": "x"]
                        default: [:]
                        }
                    await expectRefusal("AUTH_ERR_NO_ACCESS") { try await client.request(method, params) }
                }
            }
        }
    }
}
