import Configuration
import Control
import JSON
import MediaWorker
import Meeting
import Observability
import Storage
import Testing
import Wire

extension ControlTests {
    /// What those who run the server see.
    @Suite struct OperationTests {
        @Test func `each metric of the server and of its workers has a help text of its own`() async throws {
            var media = MediaSettings(host: SocketAddress(ipv4: 0x7f00_0001, port: 0))
            media.workers = 1
            media.advertisesLoopback = true
            let pool = try await MediaPool.start(media, clockOffset: .zero, log: { _ in })
            var settings = ControlSettings()
            settings.host = "127.0.0.1"
            settings.port = 0
            settings.keys = [TestServer.key]
            let metrics = MetricRegistry()
            let server = ControlServer(
                settings: settings, store: try await SQLiteStore.open(SQLiteStore.inMemory), media: pool,
                metrics: metrics,
                log: Log(level: .error, sink: MemorySink()))
            let port = try server.start()
            let client = try await TestClient.connect(port: port)
            try await client.request("ping")
            let page = await metrics.page()
            await server.stop()
            await pool.stop()
            let helps = page.split(separator: "\n").filter { $0.hasPrefix("# HELP ") }.map { line in
                line.dropFirst("# HELP ".count).split(separator: " ", maxSplits: 1)
            }
            #expect(helps.count > 40)
            for help in helps { #expect(help.count == 2, "\(help[0]) has none") }
            let same = Dictionary(grouping: helps) { $0.last ?? "" }.filter { $0.value.count > 1 }
            #expect(same.isEmpty)
        }

        @Test func `metrics want an API key if the configuration says so`() async throws {
            try await TestServer.with({ $0.metricsNeedKey = true }) { server in
                expect(try await server.http("GET", "/metrics"), refuses: "AUTH_ERR_APIKEY_NOT_FOUND")
                expect(try await server.user("u", "GET", "/metrics"), refuses: "AUTH_ERR_APIKEY_NOT_FOUND")
                let page = try await server.backEnd("GET", "/metrics")
                #expect(page.status == 200 && page.body.contains("rostrum_sockets 0\n"))
                #expect(try await server.http("GET", "/healthz").status == 200)
            }
        }

        @Test func `the server tells its operators what it does and what it may`() async throws {
            try await TestServer.with({
                $0.name = "mine"
                $0.version = "1.2.3"
                $0.maxSessions = 7
                $0.maxParticipants = 1
            }) { server in
                let before = try await server.backEnd("GET", "/v1/server").json
                #expect(
                    before["name"] == "mine" && before["version"] == "1.2.3" && before["phase"] == "ready")
                #expect(before["deadlineAt"] == nil)
                let startedAt = try #require(before["startedAt"]?.integerValue)
                #expect((0..<60_000).contains(Timestamp.now.milliseconds - startedAt))
                #expect((0..<60).contains(try #require(before["uptimeSeconds"]?.integerValue)))
                #expect(before["capacity"]?["maxSessions"] == 7 && before["load"]?["sockets"] == 0)
                #expect(before["capacity"]?["maxOpenFiles"]?.integerValue ?? 0 > 100)
                #expect(before["limits"]?["messageBytes"] == 262_144)
                let (client, _) = try await server.joined("u")
                let load = try await server.backEnd("GET", "/v1/server").json
                #expect(load["phase"] == "full")
                for name in ["sessions", "participants", "sockets"] { #expect(load["load"]?[name] == 1) }
                try await client.request("leaveSession")
            }
        }

        @Test func `joining and leaving are logged with who, where, why and for how long`() async throws {
            try await TestServer.with({ $0.meeting.resumeWithinMs = 50 }) { server in
                func lines(_ message: String, _ uid: String) -> [LogRecord] {
                    server.log.records.filter { $0.message == message && $0["uid"] == .string(uid) }
                }
                let (alice, first) = try await server.joined("alice")
                let (lost, _) = try await server.joined("lost")
                let (_, _) = try await server.joined("bob", settings: ["deviceId": "phone"])
                let (_, _) = try await server.joined("bob", settings: ["deviceId": "phone"])
                await expectRefusal("ERR_INVALID_OFFER") {
                    try await server.joined("refused", offer: "nonsense")
                }
                lost.drop()
                try await alice.request("leaveSession")
                for (uid, reason) in [("alice", "left"), ("lost", "timeout"), ("bob", "replaced")] {
                    let line = try await eventually("\(uid)'s line") { lines("participant left", uid).first }
                    #expect(line.level == .info)
                    #expect(line["session"] == .string("room"))
                    #expect(line["reason"] == .string(reason))
                    guard case .integer(0..<60) = line["seconds"] else {
                        Issue.record("no seconds")
                        continue
                    }
                    let joined = try #require(lines("participant joined", uid).first)
                    #expect(joined["participant"] == line["participant"])
                }
                let id = try #require(first["participant"]?["participantId"]?.stringValue)
                #expect(lines("participant left", "alice").first?["participant"] == .string(id))
                #expect(lines("participant joined", "refused").isEmpty)
                #expect(lines("participant left", "refused").isEmpty)
            }
        }

        @Test func `a session whose media is slow keeps no other from its events`() async throws {
            try await TestServer.with { server in
                let (slow, _) = try await server.joined("slow", session: "one", offer: "v=0")
                let one = try #require(server.media.read { Array($0.sessions).first })
                let (quick, _) = try await server.joined("quick", session: "two", offer: "v=0")
                let two = try #require(server.media.read { $0.sessions.first { $0 != one } })
                let ids = server.media.read { ($0.members[one]?.first, $0.members[two]?.first) }
                server.media.hold()
                _ = try slow.post("pauseVideo")
                try await eventually("the effect to begin") {
                    server.media.read { $0.held.isEmpty ? nil : true }
                }
                server.media.emit(.dominantSpeakerChanged(one, ids.0))
                server.media.emit(.dominantSpeakerChanged(two, ids.1))
                _ = try await quick.event("dominantSpeakerChanged")
                #expect(slow.read { !$0.order.contains("dominantSpeakerChanged") })
                server.media.release()
                _ = try await slow.event("dominantSpeakerChanged")
            }
        }

        @Test func `stopping waits until sockets have taken what is queued`() async throws {
            let server = try await TestServer {
                $0.closeMs = 600_000
                $0.socket.closeWithinMs = 600_000
                $0.socket.queuedBytes = 64 << 20
            }
            let client = try await behind(server)
            let stopped = Task { await server.server.stop() }
            try await eventually("the server to drain") {
                try? await server.http("GET", "/readyz").status == 200 ? nil : true
            }
            client.pauseReading(false)
            #expect(try await client.closed() == 4010)
            #expect(client.read { $0.answers.count } == 60)
            await stopped.value
            #expect(try await server.http("GET", "/healthz").status == 0)
        }

        @Test func `stopping waits no longer than it may`() async throws {
            let server = try await TestServer {
                $0.closeMs = 200
                $0.socket.closeWithinMs = 600_000
                $0.socket.queuedBytes = 64 << 20
            }
            let client = try await behind(server)
            await server.server.stop()
            #expect(try await server.http("GET", "/healthz").status == 0)
            client.pauseReading(false)
            #expect(try await client.closed() == 0)
        }

        /// A client that has sixty answers of 60 KB to read, more than the kernel holds for it.
        private func behind(_ server: TestServer) async throws -> TestClient {
            let client = try await server.joined("u", receiveBuffer: 4_096).client
            client.pauseReading(true)
            let text = JSONValue.string(String(repeating: "x", count: 60_000))
            for _ in 0..<60 { _ = try client.post("sendMessage", ["type": "chat", "text": text]) }
            try await eventually("the messages to be taken") {
                await server.metric("rostrum_requests_total{method=\"sendMessage\",code=\"ok\"}") == 60
                    ? true : nil
            }
            return client
        }
    }
}
