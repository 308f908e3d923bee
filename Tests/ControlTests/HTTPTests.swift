import Configuration
@testable import Control
import Glibc
import JSON
import Meeting
import Observability
import Storage
import Testing

extension ControlTests {
    @Suite struct HTTPTests {
        @Test func `health, readiness and metrics need no credential`() async throws {
            try await TestServer.with { server in
                let (client, _) = try await server.joined("u")
                await expectRefusal("ERR_PUBLISH_NOT_ALLOWED") {
                    let viewer = try await server.joined("v", scope: .viewer).client
                    return try await viewer.request("unmuteAudio")
                }
                #expect(try await server.http("GET", "/healthz").json["status"]?.stringValue == "ok")
                #expect(try await server.http("GET", "/readyz").json["status"]?.stringValue == "ready")
                let metrics = try await server.http("GET", "/metrics")
                #expect(metrics.head.lowercased().contains("content-type: text/plain; version=0.0.4"))
                for line in [
                    "rostrum_sessions 1", "rostrum_packets_received_total 7", "rostrum_packets_sent_total 8",
                    "rostrum_transports 2", #"rostrum_requests_total{method="joinSession",code="ok"} 2"#,
                    #"rostrum_requests_total{method="unmuteAudio",code="ERR_PUBLISH_NOT_ALLOWED"} 1"#,
                    #"rostrum_http_requests_total{method="GET",route="/healthz",status="200"} 1"#,
                ] {
                    #expect(metrics.body.contains(line + "\n"))
                }
                #expect(metrics.body.contains("rostrum_sockets "))
                _ = client
            }
        }

        @Test func `pages of other origins may use the API if the configuration says so`() async throws {
            try await TestServer.with({ $0.origins = ["https://meet.example.org"] }) { server in
                func head(_ method: String, _ path: String, from origin: String) async throws -> String {
                    try await server.http(method, path, headers: ["Origin: \(origin)"]).head.lowercased()
                }
                let allowed = "access-control-allow-origin: https://meet.example.org"
                #expect(try await head("GET", "/healthz", from: "https://meet.example.org").contains(allowed))
                let preflight = try await head("OPTIONS", "/v1/call-tokens", from: "https://meet.example.org")
                #expect(preflight.hasPrefix("http/1.1 204"))
                #expect(preflight.contains(allowed) && preflight.contains("authorization"))
                let stranger = try await head("GET", "/healthz", from: "https://elsewhere.example.org")
                #expect(!stranger.contains("access-control"))
                let asked = try await head(
                    "OPTIONS", "/v1/call-tokens", from: "https://elsewhere.example.org")
                #expect(!asked.contains("access-control"))
                let module = try await head("GET", "/rostrum.js", from: "https://elsewhere.example.org")
                #expect(module.contains("access-control-allow-origin: *"))
            }
        }

        @Test func `tokens are minted with an API key only`() async throws {
            try await TestServer.with { server in
                let secret = TestServer.key.secret
                let auth = try await server.http(
                    "POST", "/v1/auth-tokens", authorization: secret, body: #"{"uid":"u","name":"U"}"#)
                #expect(auth.status == 201)
                let token = try #require(auth.json["authToken"]?.stringValue)
                let expiry = try #require(auth.json["expiresAt"]?.integerValue)
                #expect(abs(expiry - Timestamp.now.milliseconds - 1_800_000) < 5_000)
                let call = try await server.http(
                    "POST", "/v1/call-tokens", authorization: secret,
                    body:
                        #"{"sessionId":"room","uid":"u","scope":"viewer","grants":{"hidden":true},"ttlSeconds":9}"#
                )
                #expect(call.status == 201 && call.json["sessionId"]?.stringValue == "room")
                let client = try await server.client()
                let joined = try await client.request(
                    "joinSession", ["callToken": call.json["callToken"] ?? .null])
                #expect(joined["participant"]?["scope"]?.stringValue == "viewer")
                let own = try await server.http(
                    "POST", "/v1/call-tokens", authorization: token, body: #"{"sessionId":"room"}"#)
                #expect(own.status == 201)
                let more = try await server.http(
                    "POST", "/v1/call-tokens", authorization: token,
                    body: #"{"sessionId":"room","scope":"owner"}"#)
                #expect(more.status == 403)
            }
        }

        @Test(
            arguments: [
                ("/v1/auth-tokens", nil, #"{"uid":"u"}"#, 401, "AUTH_ERR_APIKEY_NOT_FOUND"),
                ("/v1/auth-tokens", "wrong", #"{"uid":"u"}"#, 401, "AUTH_ERR_APIKEY_NOT_FOUND"),
                ("/v1/auth-tokens", "KEY", #"{"uid":"a b"}"#, 400, "ERR_BAD_REQUEST"),
                ("/v1/auth-tokens", "KEY", #"{"uid":"u","admin":true}"#, 400, "ERR_BAD_REQUEST"),
                ("/v1/auth-tokens", "KEY", #"{"uid":"u","ttlSeconds":0}"#, 400, "ERR_BAD_REQUEST"),
                ("/v1/auth-tokens", "KEY", "{", 400, "ERR_BAD_REQUEST"),
                ("/v1/auth-tokens", "KEY", "", 400, "ERR_BAD_REQUEST"),
                ("/v1/call-tokens", nil, #"{"sessionId":"s"}"#, 401, "AUTH_ERR_EMPTY_AUTH_TOKEN"),
                ("/v1/call-tokens", "wrong", #"{"sessionId":"s"}"#, 401, "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"),
                ("/v1/call-tokens", "KEY", #"{"sessionId":"s"}"#, 400, "ERR_BAD_REQUEST"),
                ("/v1/call-tokens", "KEY", #"{"sessionId":"","uid":"u"}"#, 400, "ERR_EMPTY_CALL_SESSION_ID"),
                ("/v1/guest-tokens", nil, #"{"sessionId":"s","name":"n"}"#, 404, "ERR_API_NOT_FOUND"),
                ("/v1/nothing", "KEY", "{}", 404, "ERR_API_NOT_FOUND"),
                ("/healthz", nil, "{}", 405, "ERR_METHOD_NOT_ALLOWED"),
            ] as [(String, String?, String, Int, String)])
        func `a POST that can't be is refused with its code`(
            path: String, credential: String?, body: String, status: Int, code: String
        ) async throws {
            try await TestServer.with { server in
                let key = credential == "KEY" ? TestServer.key.secret : credential
                let answer = try await server.http("POST", path, authorization: key, body: body)
                #expect(answer.status == status)
                #expect(answer.json["error"]?["code"]?.stringValue == code)
                if status == 405 { #expect(answer.head.lowercased().contains("allow: get")) }
            }
        }

        @Test func `guests get in where a key is set aside for them, each as somebody else`() async throws {
            try await TestServer.with({ $0.guestKeyID = TestServer.key.id }) { server in
                var uids: Set<String> = []
                for _ in 0..<2 {
                    let answer = try await server.http(
                        "POST", "/v1/guest-tokens", body: #"{"sessionId":"demo","name":"Guest"}"#)
                    #expect(answer.status == 201)
                    let client = try await server.client()
                    let result = try await client.request(
                        "joinSession", ["callToken": answer.json["callToken"] ?? .null])
                    #expect(result["participant"]?["name"]?.stringValue == "Guest")
                    #expect(result["participant"]?["uid"] == answer.json["uid"])
                    uids.insert(answer.json["uid"]?.stringValue ?? "")
                }
                #expect(uids.count == 2)
            }
        }

        @Test func `removing a guest bars the token it came with, and no other`() async throws {
            try await TestServer.with({ $0.guestKeyID = TestServer.key.id }) { server in
                func token() async throws -> JSONValue {
                    let body = #"{"sessionId":"room","name":"Guest"}"#
                    return try await server.http("POST", "/v1/guest-tokens", body: body).json["callToken"]
                        ?? .null
                }
                let host = try await server.person("host", scope: .moderator)
                let (removed, other) = (try await token(), try await token())
                let guest = try await server.client()
                let joined = try await guest.request("joinSession", ["callToken": removed])
                let id = joined["participant"]?["participantId"] ?? .null
                try await host.request("removeParticipant", ["participantId": id])
                #expect(try await guest.closed() == 4003)
                let again = try await server.client()
                await expectRefusal("ERR_CALL_REMOVED") {
                    try await again.request("joinSession", ["callToken": removed])
                }
                try await again.request("joinSession", ["callToken": other])
                // What keeps guests out.
                try await host.request("lockSession")
                let late = try await token()
                let locked = try await server.client()
                await expectRefusal("ERR_CALL_LOCKED") {
                    try await locked.request("joinSession", ["callToken": late])
                }
            }
        }

        @Test(arguments: ["X: y\r\n\r\n", "Acc: y\r\n\r\n", "Foo: y\r\n"])
        func `a request whose headers don't end for the library is cut`(rest: String) async throws {
            try await TestServer.with({ $0.socket.headerSeconds = 1 }) { server in
                let head = "GET /healthz HTTP/1.1\r\nHost: a\r\n"
                let answer = try await server.exchange(head + rest, ends: true, within: 60)
                #expect(answer.status == 0)
            }
        }

        @Test func `a body over 256 KiB is refused before it is read`() async throws {
            try await TestServer.with { server in
                let huge = try await server.http(
                    "POST", "/v1/auth-tokens", authorization: TestServer.key.secret,
                    headers: ["Content-Length: 1073741824"])
                #expect(huge.status == 413)
                #expect(huge.json["error"]?["code"]?.stringValue == "ERR_MESSAGE_TOO_LARGE")
                for length in ["many", "-1", "+1", "1, 1", "1.0", "0x1"] {
                    let odd = try await server.http(
                        "POST", "/v1/auth-tokens", headers: ["Content-Length: \(length)"])
                    #expect(odd.status == 400)
                }
                #expect(try await server.http("GET", "/healthz").status == 200)
            }
        }

        @Test func `the pages come from the binary, with their types`() async throws {
            try await TestServer.with { server in
                let page = try await server.http("GET", "/?session=demo")
                #expect(page.status == 200)
                #expect(page.head.lowercased().contains("content-type: text/html"))
                let script = try await server.http("GET", "/rostrum.js")
                #expect(script.head.lowercased().contains("content-type: text/javascript"))
                #expect(script.body.utf8.count > 1_000)
                let head = try await server.http("HEAD", "/rostrum.js")
                #expect(head.status == 200 && head.body.isEmpty)
                for path in ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/nothing.js", "/page"] {
                    #expect(try await server.http("GET", path).status != 200)
                }
            }
        }

        @Test func `the pages come with a policy that lets them run their own files only`() async throws {
            try await TestServer.with { server in
                for path in ["/", "/index.html"] {
                    let page = try await server.http("GET", path)
                    let head = page.head.lowercased()
                    #expect(head.contains("content-security-policy: default-src 'none'; script-src 'self';"))
                    #expect(head.contains("connect-src 'self';") && head.contains("frame-ancestors 'self'"))
                    #expect(!head.contains("unsafe"))
                }
                for path in ["/console", "/console/", "/console/index.html"] {
                    let page = try await server.http("GET", path)
                    #expect(page.status == 200 && page.body.contains("/console/main.js"))
                    let head = page.head.lowercased()
                    #expect(head.contains("content-security-policy: default-src 'none'; script-src 'self';"))
                    #expect(head.contains("frame-ancestors 'none'") && !head.contains("unsafe"))
                }
            }
        }

        @Test func `a folder is served instead, and nothing outside of it`() async throws {
            let folder = "/tmp/rostrum-pages-\(getpid())"
            unsafe mkdir(folder, 0o700)
            defer { _ = unsafe system("rm -r \(folder)") }
            _ = unsafe system(
                """
                cd \(folder) && mkdir -p inside/deep && echo '<p>mine' > index.html && echo deep > inside/deep/a.txt
                echo '<p>deep' > inside/deep/index.html
                ln -s /etc/passwd link.txt; ln -s /etc etc; ln -s inside alias; ln -s .. inside/up; mkfifo pipe.txt
                """)
            try await TestServer.with({ $0.webDirectory = folder }) { server in
                let page = try await server.http("GET", "/")
                #expect(page.status == 200 && page.body == "<p>mine\n")
                #expect(try await server.http("GET", "/inside/deep/a.txt").body == "deep\n")
                for path in ["/inside/deep", "/inside/deep/"] {
                    #expect(try await server.http("GET", path).body == "<p>deep\n")
                }
                for path in [
                    "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/link.txt", "/rostrum.js",
                    "//etc/passwd", "/etc/passwd", "/alias/deep/a.txt", "/inside/up/index.html", "/inside",
                    "/inside/deep/a.txt/b", "/pipe.txt",
                ] {
                    #expect(try await server.http("GET", path).status != 200)
                }
            }
        }

        @Test func `until all of it runs it is alive, unready, and makes no sessions`() async throws {
            try await TestServer.with { server in
                server.server.core.phase = .starting
                #expect(try await server.http("GET", "/healthz").status == 200)
                let answer = try await server.http("GET", "/readyz")
                #expect(answer.status == 503)
                #expect(answer.json["status"]?.stringValue == "starting")
                #expect(try await server.backEnd("POST", "/v1/sessions", "{}").status == 503)
            }
        }

        @Test func `stopping is unready at once and closes sockets with 4010; then the port is free`()
            async throws
        {
            let server = try await TestServer()
            let (client, _) = try await server.joined("u")
            server.server.closeSockets()
            #expect(try await server.http("GET", "/readyz").status == 503)
            #expect(try await client.closed() == 4010)
            await server.server.stop()
            var settings = ControlSettings()
            settings.host = "127.0.0.1"
            settings.port = server.port
            let next = ControlServer(
                settings: settings, store: try await SQLiteStore.open(SQLiteStore.inMemory),
                media: FakeMediaPlane(), metrics: MetricRegistry(),
                log: Log(level: .error, sink: MemorySink()))
            #expect(try next.start() == server.port)
            await next.stop()
        }

        @Test func `a port that is taken is said in one line`() async throws {
            try await TestServer.with { server in
                var settings = ControlSettings()
                settings.host = "127.0.0.1"
                settings.port = server.port
                let second = ControlServer(
                    settings: settings, store: try await SQLiteStore.open(SQLiteStore.inMemory),
                    media: FakeMediaPlane(), metrics: MetricRegistry(),
                    log: Log(level: .error, sink: MemorySink()))
                do throws(ServerError) {
                    _ = try second.start()
                    Issue.record("it started")
                } catch {
                    #expect(
                        error.description
                            == "TCP port \(server.port) on 127.0.0.1 is taken by another program")
                }
            }
        }
    }
}
