import Control
import JSON
import Testing

extension ControlTests {
    /// What HTTP leads to a WebSocket, and what is said to the rest, by RFC 6455 and RFC 9110.
    @Suite struct UpgradeTests {
        /// A request line and headers, as a client writes them.
        private func request(_ line: String, _ headers: [String]) -> String {
            ([line, "Host: 127.0.0.1"] + headers).joined(separator: "\r\n") + "\r\n\r\n"
        }

        private static let handshake = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: AAECAwQFBgcICQoLDA0ODw==", "Sec-WebSocket-Protocol: rostrum.v1",
        ]

        @Test func `an upgrade to HTTP 2 is ignored`() async throws {
            try await TestServer.with { server in
                let headers = [
                    "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c",
                    "HTTP2-Settings: AAMAAABkAAQAAP__",
                ]
                let answer = try await server.exchange(request("GET /healthz HTTP/1.1", headers))
                #expect(answer.head.hasPrefix("HTTP/1.1 200"))
                #expect(answer.json["status"]?.stringValue == "ok")
                let posted = try await server.exchange(
                    request("POST /v1/nothing HTTP/1.1", headers + ["Content-Length: 2"]) + "{}")
                #expect(posted.head.hasPrefix("HTTP/1.1 404"))
            }
        }

        @Test func `an upgrade to what nobody knows is refused, on a used connection too`() async throws {
            try await TestServer.with { server in
                let strange = request(
                    "GET /healthz HTTP/1.1", ["Connection: Upgrade", "Upgrade: carrier-pigeon"])
                #expect(try await server.exchange(strange, ends: true).status == 403)
                let used = request("GET /healthz HTTP/1.1", []) + strange
                let answer = try await server.exchange(used, ends: true)
                #expect(answer.status == 200 && answer.body.contains("HTTP/1.1 403"))
                #expect(try await server.http("GET", "/healthz").status == 200)
            }
        }

        @Test(arguments: [
            ("Upgrade: websocket", "", "Upgrade header"),
            ("Connection: Upgrade", "", "Connection header"),
            ("Connection: Upgrade", "Connection: keep-alive", "Connection header"),
            ("Sec-WebSocket-Protocol: rostrum.v1", "", "rostrum.v1"),
            ("Sec-WebSocket-Protocol: rostrum.v1", "Sec-WebSocket-Protocol: chat", "rostrum.v1"),
            ("Sec-WebSocket-Protocol: rostrum.v1", "Sec-WebSocket-Protocol: rostrum.v1;q=1", "rostrum.v1"),
            ("Sec-WebSocket-Version: 13", "", "Version"),
            ("Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 8", "Version"),
            ("Sec-WebSocket-Key: AAECAwQFBgcICQoLDA0ODw==", "", "Key"),
            ("Sec-WebSocket-Key: AAECAwQFBgcICQoLDA0ODw==", "Sec-WebSocket-Key: short", "Key"),
            (
                "Sec-WebSocket-Key: AAECAwQFBgcICQoLDA0ODw==", "Sec-WebSocket-Key: !AECAwQFBgcICQoLDA0ODw==",
                "Key"
            ),
            ("Upgrade: websocket", "Upgrade: websocket\r\nContent-Length: 5", "body"),
            (
                "Upgrade: websocket",
                "Upgrade: websocket\r\nSec-WebSocket-Extensions: " + String(repeating: "x", count: 400),
                "Extensions"
            ),
        ])
        func `a handshake that isn't right is refused with a reason`(
            line: String, instead: String, named: String
        ) async throws {
            try await TestServer.with { server in
                let headers = Self.handshake.map { $0 == line ? instead : $0 }.filter { !$0.isEmpty }
                let answer = try await server.exchange(request("GET /v1/connect HTTP/1.1", headers))
                #expect(answer.status == 400)
                #expect(answer.json["error"]?["code"]?.stringValue == "ERR_BAD_REQUEST")
                #expect(answer.json["error"]?["message"]?.stringValue?.contains(named) == true)
                #expect(answer.head.lowercased().contains("sec-websocket-version: 13"))
            }
        }

        @Test func `a handshake by HTTP 1 0 is refused`() async throws {
            try await TestServer.with { server in
                let answer = try await server.exchange(request("GET /v1/connect HTTP/1.0", Self.handshake))
                #expect(answer.status == 400)
                #expect(answer.json["error"]?["message"]?.stringValue?.contains("HTTP/1.1") == true)
            }
        }

        @Test func `the subprotocol may be one of several, and parts of the list have any case`() async throws
        {
            try await TestServer.with { server in
                let headers = Self.handshake.map { header in
                    header.replacing("rostrum.v1", with: "http,chat , rostrum.v1")
                        .replacing("Connection: Upgrade", with: "connection: keep-alive, UPGRADE")
                        .replacing("Upgrade: websocket", with: "upgrade: WebSocket")
                }
                let text = request("GET /v1/connect HTTP/1.1", headers)
                let answer = try await server.exchange(text, hasBody: false)
                #expect(answer.status == 101)
                #expect(answer.head.lowercased().contains("sec-websocket-protocol: rostrum.v1"))
            }
        }

        @Test func `a WebSocket elsewhere, or while the server stops, is refused as the API does`()
            async throws
        {
            try await TestServer.with { server in
                let elsewhere = try await server.exchange(request("GET /v1/other HTTP/1.1", Self.handshake))
                #expect(elsewhere.status == 404)
                #expect(elsewhere.json["error"]?["code"]?.stringValue == "ERR_API_NOT_FOUND")
                server.server.closeSockets()
                let late = try await eventually("the server to drain") {
                    let answer = try? await server.exchange(
                        request("GET /v1/connect HTTP/1.1", Self.handshake), hasBody: false)
                    return answer?.status == 101 ? nil : answer
                }
                #expect(late.status == 503)
                #expect(late.head.lowercased().contains("content-type: application/json"))
            }
        }

        @Test func `the socket's address takes no plain requests`() async throws {
            try await TestServer.with { server in
                let plain = try await server.http("GET", "/v1/connect")
                #expect(plain.status == 400)
                #expect(plain.json["error"]?["code"]?.stringValue == "ERR_BAD_REQUEST")
                let posted = try await server.http("POST", "/v1/connect", body: "{}")
                #expect(posted.status == 405 && posted.head.lowercased().contains("allow: get"))
            }
        }

        @Test(arguments: [
            ("GET /healthz HTTP/1.1", "Content-Length: 5", 400, "ERR_BAD_REQUEST"),
            ("HEAD /healthz HTTP/1.1", "Content-Length: 5", 400, ""),
            ("GET /healthz HTTP/1.1", "Transfer-Encoding: chunked", 400, "ERR_BAD_REQUEST"),
            ("POST /v1/auth-tokens HTTP/1.1", "Transfer-Encoding: chunked", 400, "ERR_BAD_REQUEST"),
            ("CONNECT 127.0.0.1:80 HTTP/1.1", "", 405, "ERR_METHOD_NOT_ALLOWED"),
            ("CONNECT /v1/connect HTTP/1.1", "Upgrade: websocket", 405, "ERR_METHOD_NOT_ALLOWED"),
        ])
        func `a request whose end nobody can tell is answered, and ends its connection`(
            line: String, header: String, status: Int, code: String
        ) async throws {
            try await TestServer.with { server in
                let headers = header.isEmpty ? [] : [header]
                let answer = try await server.exchange(request(line, headers), ends: true)
                #expect(answer.status == status)
                #expect(answer.head.lowercased().contains("connection: close"))
                let said = answer.json["error"]?["code"]?.stringValue
                #expect(said ?? "" == code)
            }
        }

        @Test func `a GET without a body may say so`() async throws {
            try await TestServer.with { server in
                let text = request("GET /healthz HTTP/1.1", ["Content-Length: 0"])
                let answer = try await server.exchange(text + text)
                #expect(answer.status == 200)
            }
        }

        @Test func `requests sent before the answer to one with a body keep nobody else waiting`()
            async throws
        {
            try await TestServer.with { server in
                let post = request("POST /v1/nothing HTTP/1.1", ["Content-Length: 2"]) + "{}"
                let get = request("GET /healthz HTTP/1.1", [])
                let refused = request("GET /healthz HTTP/1.1", ["Content-Length: 2"]) + "{}"
                for text in [post + get, get + post + get, get + get + post + post, get + refused + get] {
                    _ = try await server.exchange(text)
                    #expect(try await server.http("GET", "/healthz").status == 200)
                }
                let patient = try await server.exchange(post)
                #expect(patient.json["error"]?["code"]?.stringValue == "ERR_API_NOT_FOUND")
            }
        }

        @Test func `an HTTP connection that makes no way is cut`() async throws {
            try await TestServer.with({ $0.socket.exchangeWithinMs = 100 }) { server in
                let text = request("POST /v1/auth-tokens HTTP/1.1", ["Content-Length: 10"]) + "{"
                // The library's own limit is 15 s from each byte on.
                let answer = try await server.exchange(text, ends: true, within: 10)
                #expect(answer.status == 0)
            }
        }
    }
}
