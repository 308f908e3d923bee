import Configuration
import Control
import JSON
import Meeting
import Storage
import Testing

extension ControlTests {
    /// Messages that are kept.
    @Suite struct MessageRouteTests {
        private func socket(_ uid: String, _ server: TestServer) async throws -> TestClient {
            let client = try await server.client(query: "?access_token=\(TestServer.authToken(uid))")
            try await client.request("ping")
            return client
        }

        @Test func `a meeting's card is completed, kept, and told to every other member`() async throws {
            try await TestServer.with { server in
                try await server.group(["pat": .participant, "vic": .viewer])
                let (pat, phone) = try await (socket("pat", server), socket("pat", server))
                let (owner, vic, out) = try await (
                    socket("owner", server), socket("vic", server), socket("out", server)
                )
                let sent = try await owner.request(
                    "sendCustomMessage",
                    ["receiverId": "team", "receiverType": "group", "type": "meeting", "metadata": [1]])
                let message = sent["message"]
                #expect(message?["customData"] == ["callType": "video", "sessionId": "team"])
                #expect(
                    message?["category"]?.stringValue == "custom" && message?["guid"]?.stringValue == "team")
                #expect(message?["sender"] == ["uid": "owner", "name": "OWNER"])
                for client in [pat, phone, vic] {
                    #expect(try await client.event("customMessageReceived")["data"]?["message"] == message)
                }
                for client in [owner, out] {
                    try await client.request("ping")
                    #expect(client.read { $0.events.isEmpty })
                }
                let card = try await owner.request(
                    "sendCustomMessage",
                    [
                        "receiverId": "team", "receiverType": "group", "type": "meeting",
                        "customData": ["callType": "audio", "sessionId": "other", "more": true],
                    ])
                #expect(
                    card["message"]?["customData"] == [
                        "callType": "audio", "sessionId": "other", "more": true,
                    ])
                let history = try await vic.request(
                    "fetchMessages", ["receiverId": "team", "receiverType": "group", "limit": 10])
                #expect(history["messages"] == [card["message"] ?? .null, message ?? .null])
            }
        }

        @Test(
            arguments: [
                ("team", "group", "meeting", ["callType": "smoke"], "ERR_BAD_REQUEST"),
                ("team", "group", "meeting", ["sessionId": "a b"], "ERR_BAD_REQUEST"),
                ("team", "group", "meeting", 7, "ERR_BAD_REQUEST"),
                ("team", "group", "", [:], "ERR_INVALID_MESSAGE_TYPE"),
                ("team", "room", "meeting", [:], "ERR_INVALID_RECEIVER_TYPE"),
                ("crew", "group", "meeting", [:], "ERR_GUID_NOT_FOUND"),
                ("nobody", "user", "wave", [:], "ERR_UID_NOT_FOUND"),
                ("a b", "user", "wave", [:], "ERR_BAD_REQUEST"),
            ] as [(String, String, String, JSONValue, String)])
        func `a message that can't be is refused and not kept`(
            receiver: String, receiverType: String, type: String, data: JSONValue, code: String
        ) async throws {
            try await TestServer.with { server in
                try await server.group()
                let owner = try await socket("owner", server)
                await expectRefusal(code) {
                    try await owner.request(
                        "sendCustomMessage",
                        [
                            "receiverId": .string(receiver), "receiverType": .string(receiverType),
                            "type": .string(type), "customData": data,
                        ])
                }
                let kept = try await server.store.history(HistoryRequest(of: .group("team")))
                #expect(kept.isEmpty)
            }
        }

        @Test func `outsiders neither write to a group nor read it, nor does a call token`() async throws {
            try await TestServer.with { server in
                try await server.group()
                let out = try await socket("out", server)
                let (member, _) = try await server.joined("owner", session: "team")
                for (client, code) in [(out, "ERR_NOT_GROUP_MEMBER"), (member, "AUTH_ERR_NO_ACCESS")] {
                    let params: JSONValue = ["receiverId": "team", "receiverType": "group"]
                    await expectRefusal(code) { try await client.request("fetchMessages", params) }
                    await expectRefusal(code) {
                        try await client.request(
                            "sendCustomMessage", ["receiverId": "team", "receiverType": "group", "type": "x"])
                    }
                }
            }
        }

        @Test func `two users have one history, whoever asks for it`() async throws {
            try await TestServer.with { server in
                try await server.group(["pat": .participant])
                let (owner, pat) = try await (socket("owner", server), socket("pat", server))
                _ = try await owner.request(
                    "sendCustomMessage",
                    ["receiverId": "pat", "receiverType": "user", "type": "wave", "customData": 1])
                let told = try await pat.event("customMessageReceived")["data"]?["message"]
                #expect(told?["receiverId"]?.stringValue == "pat")
                for (client, other) in [(owner, "pat"), (pat, "owner")] {
                    let history = try await client.request(
                        "fetchMessages", ["receiverId": .string(other), "receiverType": "user"])
                    #expect(history["messages"]?[0] == told)
                }
            }
        }

        @Test func `a group's messages are written over REST and read backwards, page by page`() async throws
        {
            try await TestServer.with { server in
                try await server.group(["pat": .participant])
                let path = "/v1/groups/team/messages"
                let pat = try await socket("pat", server)
                for index in 0..<5 {
                    let body = #"{"type":"chat","text":"\#(index)","data":{"n":\#(index)},"uid":"owner"}"#
                    #expect(try await server.backEnd("POST", path, body).status == 201)
                }
                let told = try await pat.event("textMessageReceived")["data"]?["message"]
                #expect(told?["text"]?.stringValue == "0" && told?["data"] == ["n": 0])
                let latest = try await server.user("pat", "GET", path + "?limit=2")
                #expect(latest.list("text") == ["4", "3"])
                let last = try #require(latest.list("id").last)
                let rest = try await server.user("pat", "GET", path + "?limit=2&before=\(last)")
                #expect(rest.list("text") == ["2", "1"])
                let time = try #require(latest.json["data"]?[1]?["sentAt"]?.integerValue)
                #expect(
                    try await server.backEnd("GET", path + "?before=\(time + 1_000)").list("text").count == 5)
                #expect(try await server.backEnd("GET", path + "?before=1").list("text").isEmpty)
                for (query, field) in [
                    ("limit=0", "limit"), ("limit=101", "limit"), ("before=nothing", "before"),
                    ("page=1", "page"),
                ] {
                    let refused = try await server.backEnd("GET", path + "?" + query)
                    expect(refused, refuses: "ERR_BAD_REQUEST", field: field)
                }
                expect(
                    try await server.backEnd("POST", path, #"{"type":"chat","text":"x"}"#),
                    refuses: "ERR_BAD_REQUEST", field: "uid")
                expect(
                    try await server.user("pat", "POST", path, #"{"type":"chat","text":"x","uid":"owner"}"#),
                    refuses: "AUTH_ERR_NO_ACCESS")
            }
        }

        @Test func `a group's messages go with it, and the next of its name begins with none`() async throws {
            try await TestServer.with { server in
                let old = StoredMessage(
                    id: "old", conversation: .group("team"), sender: .init(uid: "ada", name: "Ada"),
                    category: .text, type: "chat", text: "left behind", sentAt: 1)
                // As if the server had stopped while an earlier group of this name was deleted.
                try await server.store.addMessage(old)
                let path = "/v1/groups/team"
                for uid in ["ada", "eve"] { try await server.store.putUser(User(uid: uid, name: uid)) }
                for owner in ["ada", "eve"] {
                    let body = #"{"name":"Team","owner":"\#(owner)"}"#
                    #expect(try await server.backEnd("PUT", path, body).status == 201)
                    #expect(try await server.user(owner, "GET", path + "/messages").list("text") == [])
                    let secret = #"{"type":"chat","text":"secret"}"#
                    #expect(try await server.user(owner, "POST", path + "/messages", secret).status == 201)
                    #expect(try await server.backEnd("DELETE", path).status == 204)
                    #expect(try await server.store.history(HistoryRequest(of: .group("team"))) == [])
                }
            }
        }

        @Test func `a session's messages are told in it and kept, those to some aren't`() async throws {
            try await TestServer.with { server in
                let (ann, first) = try await server.joined("ann")
                let (ben, _) = try await server.joined("ben")
                let path = "/v1/sessions/room/messages"
                let posted = try await server.user("ann", "POST", path, #"{"type":"chat","text":"one"}"#)
                #expect(posted.status == 201)
                let told = try await ben.event("message")["data"]?["message"]
                #expect(told?["text"]?.stringValue == "one" && told?["id"] == posted.json["id"])
                #expect(told?["sender"]?["participantId"] == first["participant"]?["participantId"])
                _ = try await server.backEnd("POST", path, #"{"type":"note","customData":2,"uid":"robot"}"#)
                #expect(
                    try await ben.event("message")["data"]?["message"]?["sender"]?["uid"]?.stringValue
                        == "robot")
                try await ann.request("sendMessage", ["type": "chat", "text": "kept", "persist": true])
                try await ann.request("sendMessage", ["type": "chat", "text": "gone"])
                await expectRefusal("ERR_BAD_REQUEST", field: "persist") {
                    try await ann.request(
                        "sendMessage",
                        [
                            "type": "chat", "persist": true,
                            "to": [first["participant"]?["participantId"] ?? .null],
                        ])
                }
                let history = try await server.user("ben", "GET", path)
                #expect(history.list("type") == ["chat", "note", "chat"])
                #expect(history.list("text") == ["kept", "one"])
                expect(try await server.user("out", "GET", path), refuses: "ERR_CALL_NOT_A_PART")
                expect(
                    try await server.user("out", "POST", path, #"{"type":"x","text":"x"}"#),
                    refuses: "ERR_CALL_NOT_A_PART")
                for client in [ann, ben] { try await client.request("leaveSession") }
                expect(try await server.user("ben", "GET", path), refuses: "ERR_CALL_SESSION_NOT_FOUND")
                #expect(try await server.backEnd("GET", path).list("type").count == 3)
                expect(
                    try await server.backEnd("POST", path, #"{"type":"x","text":"x","uid":"u"}"#),
                    refuses: "ERR_CALL_SESSION_NOT_FOUND")
            }
        }
    }
}
