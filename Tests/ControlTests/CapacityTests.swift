import Control
import JSON
import Meeting
import Testing

extension ControlTests {
    @Suite struct CapacityTests {
        @Test func `of five hundred racing joins for a hundred places exactly a hundred get in`() async throws
        {
            try await TestServer.with({
                $0.meeting.maxParticipants = 100
                // Every join is told to all inside: this test is not about readers that share one thread.
                $0.socket.queuedMessages = 100_000
                $0.socket.queuedBytes = 1 << 30
            }) { server in
                let outcomes = try await withThrowingTaskGroup(of: (TestClient, String).self) { group in
                    for index in 0..<500 {
                        group.addTask {
                            let client = try await server.client()
                            do {
                                let token = JSONValue.string(TestServer.callToken("u\(index)"))
                                try await client.request("joinSession", ["callToken": token])
                                return (client, "in")
                            } catch let refusal as Refusal {
                                // The refused one's socket stays usable.
                                try await client.request("ping")
                                let places = refusal.details?["maxParticipants"]?.integerValue ?? 0
                                return (client, "\(refusal.code) \(places)")
                            }
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                let counts = Dictionary(grouping: outcomes, by: \.1).mapValues(\.count)
                #expect(counts == ["in": 100, "ERR_CALL_FULL 100": 400])
                let inside = outcomes.filter { $0.1 == "in" }.map(\.0)
                let first = try #require(inside.first)
                try await first.request("leaveSession")
                // A place is free at once, and only one.
                _ = try await server.joined("late")
                await expectRefusal("ERR_CALL_FULL") { try await server.joined("later") }
                // Those inside have each a stream without a gap.
                for client in inside.dropFirst() {
                    let numbers = client.read { $0.events.compactMap { $0["seq"]?.integerValue } }
                    #expect(numbers == Array(1..<1 + Int64(numbers.count)))
                }
            }
        }

        /// However somebody goes, the place that it had is there when that is answered or told.
        @Test(arguments: ["leave", "remove", "kick", "ban", "demand", "timeout"])
        func `a place is free at once, and not while somebody reconnects`(how: String) async throws {
            try await TestServer.with({ $0.meeting.resumeWithinMs = how == "timeout" ? 300 : 30_000 }) {
                server in
                try await server.group(
                    ["pat": .participant, "bob": .participant, "mia": .moderator], maxParticipants: 2)
                let mia = try await server.person("mia", session: "team")
                let pat = try await server.person("pat", session: "team")
                pat.client.drop()
                await expectRefusal("ERR_CALL_FULL") { try await server.person("bob", session: "team") }
                var back = pat
                if how != "timeout" {
                    let client = try await server.client()
                    _ = try await client.request(
                        "resumeSession", ["resumeToken": pat.joined["resumeToken"] ?? .null, "lastSeq": 0])
                    back = Person(client: client, joined: pat.joined)
                    await expectRefusal("ERR_CALL_FULL") { try await server.person("bob", session: "team") }
                }
                switch how {
                case "leave": try await back.request("leaveSession")
                case "remove": try await mia.request("removeParticipant", pat)
                case "kick": _ = try await server.user("mia", "DELETE", "/v1/groups/team/members/pat")
                case "ban":
                    _ = try await server.user("mia", "POST", "/v1/groups/team/bans", #"{"uid":"pat"}"#)
                case "demand":
                    let path = "/v1/sessions/team/participants/\(pat.id.stringValue ?? "")/remove"
                    #expect(try await server.backEnd("POST", path).status == 200)
                default: #expect(try await mia.event("participantLeft")["reason"]?.stringValue == "timeout")
                }
                _ = try await server.person("bob", session: "team")
                #expect(try await server.roster("team") == ["mia", "bob"])
            }
        }

        @Test func `a full server says so, and isn't ready`() async throws {
            try await TestServer.with({ $0.maxParticipants = 1 }) { server in
                let (client, _) = try await server.joined("u")
                do {
                    _ = try await server.joined("v", session: "another")
                    Issue.record("not refused")
                } catch let refusal as Refusal {
                    #expect(refusal.code == "ERR_SERVER_FULL")
                    #expect(refusal.details?["retryAfterSeconds"]?.integerValue ?? 0 > 0)
                }
                #expect(try await server.http("GET", "/readyz").status == 503)
                try await client.request("leaveSession")
                #expect(try await server.http("GET", "/readyz").status == 200)
                _ = try await server.joined("v")
            }
        }

        @Test func `a session over the limit of sessions is refused`() async throws {
            try await TestServer.with({ $0.maxSessions = 1 }) { server in
                _ = try await server.joined("u")
                _ = try await server.joined("v")
                await expectRefusal("ERR_SERVER_FULL") { try await server.joined("w", session: "another") }
            }
        }

        @Test func `a session whose first join is refused leaves no trace`() async throws {
            try await TestServer.with({ $0.maxSessions = 1 }) { server in
                await expectRefusal("ERR_BAD_REQUEST", field: "displayName") {
                    try await server.joined("u", session: "one", settings: ["displayName": ""])
                }
                await expectRefusal("ERR_INVALID_OFFER") {
                    try await server.joined("u", session: "two", offer: "nonsense")
                }
                _ = try await server.joined("u", session: "three")
                let page = try await server.http("GET", "/metrics").body
                #expect(page.contains("rostrum_sessions 1\n"))
                #expect(page.contains("rostrum_participants 1\n"))
            }
        }

        @Test func `five hundred joins and leaves leave nothing behind`() async throws {
            try await TestServer.with({
                $0.socket.requestsPerSecond = 100_000
                $0.socket.requestBurst = 100_000
            }) { server in
                let client = try await server.client()
                let token = JSONValue.string(TestServer.callToken("u"))
                for _ in 0..<500 {
                    try await client.request("joinSession", ["callToken": token])
                    try await client.request("leaveSession")
                }
                let state = server.media.read { ($0.sessions.count, $0.permissions.count, $0.left) }
                #expect(state.1 == 0 && state.2 == 500)
                let page = try await server.http("GET", "/metrics").body
                #expect(page.contains("rostrum_participants 0\n"))
            }
        }
    }
}
