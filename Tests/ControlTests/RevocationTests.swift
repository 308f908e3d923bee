import Configuration
import Control
import JSON
import Meeting
import Storage
import Testing

extension ControlTests {
    /// Which credentials hold, and how long.
    @Suite struct RevocationTests {
        private static let current = "/v1/auth-tokens/current"

        @Test func `a revoked auth token opens nothing, and closes the sockets that live by it`() async throws
        {
            try await TestServer.with { server in
                let token = TestServer.authToken("u")
                let other = TestServer.authToken("u", expiresIn: 500)
                let idle = try await server.client(authorization: "Bearer \(token)")
                let member = try await server.client()
                try await member.request("login", ["token": .string(token)])
                let joined = try await member.request("joinSession", ["sessionId": "room"])
                let spared = try await server.client(query: "?access_token=\(other)")
                try await spared.request("joinSession", ["sessionId": "room"])
                for client in [idle, spared] { try await client.request("ping") }

                let answer = try await server.http("DELETE", Self.current, authorization: token)
                #expect(answer.status == 204)
                #expect(try await idle.closed() == 4001)
                #expect(try await member.closed() == 4001)
                _ = try await spared.event("participantLeft")
                try await spared.request("raiseHand")

                let late = try await server.client(query: "?access_token=\(token)")
                #expect(try await late.closed() == 4001)
                let open = try await server.client()
                await expectRefusal("AUTH_ERR_AUTH_TOKEN_NOT_FOUND") {
                    try await open.request("login", ["token": .string(token)])
                }
                await expectRefusal("ERR_NOT_IN_SESSION") {
                    try await open.request(
                        "resumeSession", ["resumeToken": joined["resumeToken"] ?? .null, "lastSeq": 0])
                }
                let body = #"{"sessionId":"room"}"#
                expect(
                    try await server.http("POST", "/v1/call-tokens", authorization: token, body: body),
                    refuses: "AUTH_ERR_AUTH_TOKEN_NOT_FOUND")
                expect(
                    try await server.http("DELETE", Self.current, authorization: token),
                    refuses: "AUTH_ERR_AUTH_TOKEN_NOT_FOUND")
                #expect(
                    try await server.http("POST", "/v1/call-tokens", authorization: other, body: body).status
                        == 201)
            }
        }

        @Test
        func `when an auth token expires its socket is closed, or only the user's if it is in a session`()
            async throws
        {
            try await TestServer.with { server in
                try await server.users("u", "v")
                let token = TestServer.authToken("u", expiresIn: 2)
                let idle = try await server.client(query: "?access_token=\(token)")
                let member = try await server.client(query: "?access_token=\(token)")
                try await member.request("joinSession", ["sessionId": "room"])
                let renewed = try await server.client(query: "?access_token=\(token)")
                try await renewed.request("login", ["token": .string(TestServer.authToken("u"))])
                let other = try await server.device("v")
                #expect(try await idle.closed() == 4001)

                let message: JSONValue = ["receiverId": "u", "receiverType": "user", "type": "x"]
                var isQuiet = false
                for _ in 0..<200 where !isQuiet {
                    try await other.request("sendCustomMessage", message)
                    _ = try await renewed.event("customMessageReceived")
                    try await member.request("ping")
                    isQuiet = !member.names.contains("customMessageReceived")
                    if !isQuiet { _ = try await member.event("customMessageReceived") }
                }
                #expect(isQuiet)
                try await member.request("raiseHand")
                await expectRefusal("ERR_AUTH_TOKEN_EXPIRED") { try await member.request("getActiveCall") }
                try await member.request("leaveSession")
                #expect(try await member.closed() == 4001)
                try await renewed.request("ping")
            }
        }

        @Test func `nothing opens, and no socket lives, by a token of a deleted user`() async throws {
            try await TestServer.with { server in
                try await server.store.putUser(User(uid: "fay", name: "Fay"))
                try await server.store.putUser(User(uid: "ada", name: "Ada"))
                let minted = try await server.backEnd("POST", "/v1/auth-tokens", #"{"uid":"fay"}"#)
                let token = try #require(minted.json["authToken"]?.stringValue)
                let socket = try await server.client(query: "?access_token=\(token)")
                try await socket.request("joinSession", ["sessionId": "room"])
                let ada = try await server.client(query: "?access_token=\(TestServer.authToken("ada"))")
                try await ada.request("joinSession", ["sessionId": "room"])
                #expect(try await server.backEnd("DELETE", "/v1/users/fay").status == 204)
                #expect(try await socket.closed() == 4001)
                _ = try await ada.event("participantLeft")

                let call = #"{"receiverId":"ada","receiverType":"user"}"#
                for (path, body) in [("/v1/calls", call), ("/v1/call-tokens", #"{"sessionId":"room"}"#)] {
                    expect(
                        try await server.http("POST", path, authorization: token, body: body),
                        refuses: "AUTH_ERR_AUTH_TOKEN_NOT_FOUND")
                }
                let late = try await server.client(query: "?access_token=\(token)")
                #expect(try await late.closed() == 4001)
                // Whoever gets the uid next has tokens of its own.
                #expect(try await server.backEnd("PUT", "/v1/users/fay", #"{"name":"Fay"}"#).status == 201)
                let next = try await server.backEnd("POST", "/v1/auth-tokens", #"{"uid":"fay"}"#)
                let other = try #require(next.json["authToken"]?.stringValue)
                #expect(
                    try await server.http("POST", "/v1/calls", authorization: other, body: call).status == 201
                )
            }
        }

        @Test func `whoever resumes lives by the auth token it joined with`() async throws {
            try await TestServer.with { server in
                let token = TestServer.authToken("u")
                let lost = try await server.client(query: "?access_token=\(token)")
                let joined = try await lost.request("joinSession", ["sessionId": "room"])
                lost.drop()
                let back = try await server.client()
                let answer = try await back.request(
                    "resumeSession", ["resumeToken": joined["resumeToken"] ?? .null, "lastSeq": 0])
                #expect(
                    try await server.http("DELETE", Self.current, authorization: token).status == 204)
                #expect(try await back.closed() == 4001)
                let late = try await server.client()
                await expectRefusal("ERR_NOT_IN_SESSION") {
                    try await late.request(
                        "resumeSession", ["resumeToken": answer["resumeToken"] ?? .null, "lastSeq": 0])
                }
            }
        }

        @Test func `a token that was revoked while its participant was away lets it come back no more`()
            async throws
        {
            try await TestServer.with { server in
                let token = TestServer.authToken("u")
                let lost = try await server.client(query: "?access_token=\(token)")
                let joined = try await lost.request("joinSession", ["sessionId": "room"])
                let open = await server.metric("rostrum_sockets") ?? 0
                lost.drop()
                try await eventually("the socket to be gone") {
                    await server.metric("rostrum_sockets") ?? 0 < open ? true : nil
                }
                #expect(
                    try await server.http("DELETE", Self.current, authorization: token).status == 204)
                let late = try await server.client()
                let refusal = await #expect(throws: Refusal.self) {
                    try await late.request(
                        "resumeSession", ["resumeToken": joined["resumeToken"] ?? .null, "lastSeq": 0])
                }
                // The latter, if the server hadn't noticed yet that the socket was gone.
                let codes = ["AUTH_ERR_AUTH_TOKEN_NOT_FOUND", "ERR_NOT_IN_SESSION"]
                #expect(codes.contains(refusal?.code ?? ""))
            }
        }

        @Test func `logging in and revoking at once leaves no socket behind`() async throws {
            try await TestServer.with { server in
                for round in 0..<30 {
                    let token = TestServer.authToken("u\(round)")
                    let client = try await server.client()
                    async let revoked = server.http("DELETE", Self.current, authorization: token)
                    let login = try client.post("login", ["token": .string(token)])
                    #expect(try await revoked.status == 204)
                    // Either it was refused or it is closed, whatever it was answered before.
                    try await eventually("an end") {
                        client.read {
                            $0.closeCode == 4001 || $0.answers[login]?["error"] != nil ? true : nil
                        }
                    }
                }
            }
        }

        @Test func `only an auth token can be revoked so`() async throws {
            try await TestServer.with { server in
                for (credential, code) in [
                    (nil, "AUTH_ERR_EMPTY_AUTH_TOKEN"), ("x.y.z", "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"),
                    (TestServer.key.secret, "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"),
                    (TestServer.callToken("u"), "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"),
                    (TestServer.authToken("u", expiresIn: -1), "ERR_AUTH_TOKEN_EXPIRED"),
                ] as [(String?, String)] {
                    let answer = try await server.http("DELETE", Self.current, authorization: credential)
                    expect(answer, refuses: code)
                }
            }
        }

        @Test func `revocations are forgotten once the tokens have expired`() async throws {
            try await TestServer.with({ $0.cleaningMs = 20 }) { server in
                try await server.store.revokeToken(RevokedToken(id: "old", expiresAt: 1))
                try await eventually("it to be forgotten") {
                    try? await server.store.isTokenRevoked("old", of: "u", issuedAt: nil) == false
                        ? true : nil
                }
            }
        }

        @Test func `several API keys hold at once, each with its tokens, until one is taken away`()
            async throws
        {
            let second = APIKey(id: "second", secret: "the-next-secret-of-the-tests")
            try await TestServer.with({ $0.keys = [second, TestServer.key] }) { server in
                let body = #"{"uid":"u"}"#
                for key in [second, TestServer.key] {
                    let minted = try await server.http(
                        "POST", "/v1/auth-tokens", authorization: key.secret, body: body)
                    #expect(minted.status == 201)
                    let client = try await server.client()
                    try await client.request("login", ["token": minted.json["authToken"] ?? .null])
                }
                let client = try await server.client()
                try await client.request("login", ["token": .string(TestServer.authToken("u"))])
            }
            try await TestServer.with({ $0.keys = [second] }) { server in
                expect(try await server.backEnd("GET", "/v1/users"), refuses: "AUTH_ERR_APIKEY_NOT_FOUND")
                let client = try await server.client()
                await expectRefusal("AUTH_ERR_AUTH_TOKEN_NOT_FOUND") {
                    try await client.request("login", ["token": .string(TestServer.authToken("u"))])
                }
            }
        }

        @Test func `tokens carry the name that a back end registered, unless they are given one`()
            async throws
        {
            try await TestServer.with { server in
                try await server.store.putUser(User(uid: "ada", name: "Ada L.", avatar: "https://a/b"))
                for (body, name) in [
                    (#"{"sessionId":"room","uid":"ada"}"#, "Ada L."),
                    (#"{"sessionId":"room","uid":"ben"}"#, "ben"),
                ] {
                    let minted = try await server.backEnd("POST", "/v1/call-tokens", body)
                    let client = try await server.client()
                    let joined = try await client.request(
                        "joinSession", ["callToken": minted.json["callToken"] ?? .null])
                    #expect(joined["participant"]?["name"]?.stringValue == name)
                }
            }
        }
    }
}
