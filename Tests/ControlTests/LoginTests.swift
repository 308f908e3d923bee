import Configuration
import Control
import JSON
import Meeting
import Synchronization
import Testing

extension ControlTests {
    @Suite struct LoginTests {
        @Test func `a socket logs in by header, by address or by its first message`() async throws {
            try await TestServer.with { server in
                let token = TestServer.authToken("u")
                let byHeader = try await server.client(authorization: "Bearer \(token)")
                let byAddress = try await server.client(query: "?access_token=\(token)")
                let byMessage = try await server.client()
                let result = try await byMessage.request("login", ["token": .string(token)])
                #expect(result["uid"]?.stringValue == "u")
                for client in [byHeader, byAddress, byMessage] {
                    // Logged in, and in no session.
                    await expectRefusal("ERR_NOT_IN_SESSION") { try await client.request("getSession") }
                }
            }
        }

        @Test func `a token that is no good closes the socket with 4001`() async throws {
            try await TestServer.with { server in
                for token in ["nonsense", TestServer.authToken("u", expiresIn: -5), TestServer.key.secret] {
                    let client = try await server.client(query: "?access_token=\(token)")
                    #expect(try await client.closed() == 4001)
                }
                let empty = try await server.client(authorization: "Bearer ")
                #expect(try await empty.closed() == 4001)
            }
        }

        @Test func `who doesn't log in in time is closed with 4001, after logout as well`() async throws {
            try await TestServer.with({ $0.socket.loginWithinMs = 150 }) { server in
                let silent = try await server.client()
                let talking = try await server.client()
                try await talking.request("ping")
                let member = try await server.client(query: "?access_token=\(TestServer.authToken("u"))")
                #expect(try await silent.closed() == 4001)
                #expect(try await talking.closed() == 4001)
                try await member.request("ping")
                try await member.request("logout")
                #expect(try await member.closed() == 4001)
            }
        }

        @Test func `before login only what leads to it is answered`() async throws {
            try await TestServer.with { server in
                let client = try await server.client()
                await expectRefusal("AUTH_ERR_EMPTY_AUTH_TOKEN") { try await client.request("getSession") }
                await expectRefusal("AUTH_ERR_EMPTY_AUTH_TOKEN") { try await client.request("joinSession") }
                await expectRefusal("AUTH_ERR_EMPTY_AUTH_TOKEN") {
                    try await client.request("login", ["token": ""])
                }
                await expectRefusal("AUTH_ERR_AUTH_TOKEN_NOT_FOUND") {
                    try await client.request("login", ["token": "x"])
                }
                await expectRefusal("ERR_NOT_IN_SESSION") {
                    try await client.request("resumeSession", ["resumeToken": "x", "lastSeq": 0])
                }
                #expect(try await client.request("ping")["at"]?.integerValue ?? 0 > 1_700_000_000_000)
            }
        }

        @Test func `after logout a socket that had only resumed has to log in`() async throws {
            try await TestServer.with { server in
                let (lost, first) = try await server.joined("u")
                lost.drop()
                let client = try await server.client()
                _ = try await client.request(
                    "resumeSession", ["resumeToken": first["resumeToken"] ?? .null, "lastSeq": 0])
                try await client.request("logout")
                await expectRefusal("AUTH_ERR_EMPTY_AUTH_TOKEN") { try await client.request("raiseHand") }
            }
        }

        @Test func `the server pings, and closes who is silent`() async throws {
            try await TestServer.with({
                $0.socket.pingEveryMs = 50
                $0.socket.silenceMs = 400
            }) { server in
                let token = TestServer.authToken("u")
                let mute = try await server.client(query: "?access_token=\(token)")
                mute.state.withLock { $0.answersPings = false }
                let lively = try await server.client(query: "?access_token=\(token)")
                #expect(try await mute.closed() == 0)
                try await eventually("pings") { lively.read { $0.pings > 8 } ? true : nil }
                #expect(lively.read { !$0.isGone })
                #expect(mute.read { $0.pings } >= 2)
            }
        }

        @Test func `call tokens open the session they name, and no other`() async throws {
            try await TestServer.with { server in
                let client = try await server.client()
                await expectRefusal("ERR_CALL_TOKEN_EXPIRED") {
                    let token = TestServer.callToken("u", expiresIn: -1)
                    return try await client.request("joinSession", ["callToken": .string(token)])
                }
                await expectRefusal("ERR_CALL_TOKEN_INVALID") {
                    try await client.request("joinSession", ["callToken": .string(TestServer.authToken("u"))])
                }
                await expectRefusal("ERR_CALL_TOKEN_INVALID") {
                    let token = TestServer.callToken("u")
                    return try await client.request(
                        "joinSession", ["callToken": .string(token), "sessionId": "another"])
                }
                let member = try await server.client(query: "?access_token=\(TestServer.authToken("u"))")
                await expectRefusal("ERR_EMPTY_CALL_SESSION_ID") { try await member.request("joinSession") }
                await expectRefusal("ERR_BAD_REQUEST") {
                    try await member.request("joinSession", ["sessionId": "a b"])
                }
                await expectRefusal("ERR_CALL_TOKEN_INVALID") {
                    try await member.request("joinSession", ["callToken": .string(TestServer.callToken("v"))])
                }
                let result = try await member.request("joinSession", ["sessionId": "room"])
                #expect(result["participant"]?["uid"]?.stringValue == "u")
            }
        }

        @Test func `without ad-hoc sessions an unknown id is no session`() async throws {
            try await TestServer.with({ $0.allowsAdHoc = false }) { server in
                await expectRefusal("ERR_GUID_NOT_FOUND") { try await server.joined("u") }
                let minted = try await server.http(
                    "POST", "/v1/call-tokens", authorization: TestServer.key.secret,
                    body: #"{"sessionId":"room","uid":"u"}"#)
                #expect(minted.status == 404)
            }
        }
    }
}

/// Expects that the server refuses with this code.
func expectRefusal<Value>(
    _ code: String, field: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Value
) async {
    do {
        _ = try await body()
        Issue.record("not refused", sourceLocation: sourceLocation)
    } catch let refusal as Refusal {
        #expect(refusal.code == code, sourceLocation: sourceLocation)
        #expect(!refusal.message.isEmpty, sourceLocation: sourceLocation)
        if let field {
            #expect(refusal.details?["field"]?.stringValue == field, sourceLocation: sourceLocation)
        }
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
}
