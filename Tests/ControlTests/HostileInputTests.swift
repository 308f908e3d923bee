import Control
import JSON
import Meeting
import Testing

extension ControlTests {
    @Suite struct HostileInputTests {
        @Test(arguments: [
            "", "{", "nonsense", "[]", "7", "null", #"{"id":1}"#, #"{"method":"ping"}"#,
            #"{"id":{},"method":"ping"}"#,
            #"{"id":1.5,"method":"ping"}"#, #"{"id":1,"method":7}"#, #"{"id":1,"id":2,"method":"ping"}"#,
            "\u{0}",
        ])
        func `a message that isn't a request is refused, and the socket stays usable`(
            text: String
        ) async throws {
            try await TestServer.with { server in
                let client = try await server.client()
                client.send(text)
                let error = try await eventually("an error") {
                    client.read { $0.strays.first?["error"] ?? $0.answers.values.first?["error"] }
                }
                #expect(error["code"]?.stringValue == "ERR_BAD_REQUEST")
                try await client.request("ping")
            }
        }

        @Test func `a request with U+0000 in a string is answered by its id`() async throws {
            try await TestServer.with { server in
                let (client, _) = try await server.joined("u")
                for text in ["\u{0}", "a\u{0}b"] {
                    await expectRefusal("ERR_BAD_REQUEST") {
                        try await client.request("negotiate", ["offer": .string(text)])
                    }
                }
                client.send(#"{"id":"a\u0000","method":"ping"}"#)
                _ = try await eventually("an error without id") { client.read { $0.strays.first } }
            }
        }

        @Test func `unknown methods and fields are named`() async throws {
            try await TestServer.with { server in
                let (client, _) = try await server.joined("u")
                do {
                    try await client.request("flyAway")
                    Issue.record("not refused")
                } catch let refusal as Refusal {
                    #expect(refusal.code == "ERR_BAD_REQUEST" && refusal.message.contains("flyAway"))
                }
                await expectRefusal("ERR_BAD_REQUEST", field: "speed") {
                    try await client.request("raiseHand", ["speed": 1])
                }
                await expectRefusal("ERR_BAD_REQUEST", field: "settings.colour") {
                    try await client.request("joinSession", ["settings": ["colour": "red"]])
                }
                await expectRefusal("ERR_BAD_REQUEST", field: "displayName") {
                    try await client.request("setDisplayName")
                }
                await expectRefusal("ERR_BAD_REQUEST", field: "displayName") {
                    try await client.request("setDisplayName", ["displayName": 7])
                }
                await expectRefusal("ERR_BAD_REQUEST", field: "displayName") {
                    let long = JSONValue.string(String(repeating: "é", count: 101))
                    return try await client.request("setDisplayName", ["displayName": long])
                }
                client.send(#"{"id":900,"method":"ping","extra":1}"#)
                await expectRefusal("ERR_BAD_REQUEST", field: "extra") { try await client.answer(to: 900) }
            }
        }

        @Test func `a message over 256 KiB is refused without being kept`() async throws {
            try await TestServer.with { server in
                let client = try await server.client()
                client.send(frame: [UInt8](repeating: 0x20, count: 256 * 1_024 + 1), opcode: 1)
                let error = try await eventually("an error") { client.read { $0.strays.first?["error"] } }
                #expect(error["code"]?.stringValue == "ERR_MESSAGE_TOO_LARGE")
                // In pieces, and without an end for a long time.
                client.send(frame: [0x20], opcode: 1, isFinal: false)
                for _ in 0..<40 {
                    client.send(frame: [UInt8](repeating: 0x20, count: 60_000), opcode: 0, isFinal: false)
                }
                client.send(frame: [0x20], opcode: 0)
                try await eventually("a second error") { client.read { $0.strays.count == 2 ? true : nil } }
                try await client.request("ping")
            }
        }

        @Test func `deep nesting and binary messages are refused`() async throws {
            try await TestServer.with { server in
                let client = try await server.client()
                client.send(String(repeating: "[", count: 200_000))
                client.send(frame: [1, 2, 3], opcode: 2)
                try await eventually("two errors") { client.read { $0.strays.count == 2 ? true : nil } }
                try await client.request("ping")
            }
        }

        @Test func `over a hundred requests at once are told when to come back`() async throws {
            try await TestServer.with { server in
                let client = try await server.client(query: "?access_token=\(TestServer.authToken("u"))")
                let ids = try (0..<160).map { _ in try client.post("ping") }
                var refused: [Refusal] = []
                for id in ids {
                    do {
                        _ = try await client.answer(to: id)
                    } catch let refusal as Refusal {
                        refused.append(refusal)
                    }
                }
                #expect((1...60).contains(refused.count))
                #expect(refused.allSatisfy { $0.code == "ERR_TOO_MANY_REQUESTS" })
                let wait = try #require(refused.last?.details?["retryAfterMs"]?.integerValue)
                #expect((1...20).contains(wait))
                try await eventually("a request to be taken") { try? await client.request("ping") }
            }
        }

        @Test func `messages that are binary or too long count as requests`() async throws {
            try await TestServer.with({
                // None comes back while the test runs.
                $0.socket.requestsPerSecond = 1
                $0.socket.requestBurst = 10
                $0.socket.messageBytes = 1_000
            }) { server in
                func codes(_ opcode: UInt8, _ payload: [UInt8]) async throws -> [String: Int] {
                    let client = try await server.client()
                    for _ in 0..<30 { client.send(frame: payload, opcode: opcode) }
                    try await eventually("30 errors") { client.read { $0.strays.count == 30 ? true : nil } }
                    let codes = client.read { $0.strays.compactMap { $0["error"]?["code"]?.stringValue } }
                    return Dictionary(grouping: codes) { $0 }.mapValues(\.count)
                }
                let binary = try await codes(2, [1, 2, 3])
                #expect((10...15).contains(binary["ERR_BAD_REQUEST"] ?? 0))
                #expect((15...20).contains(binary["ERR_TOO_MANY_REQUESTS"] ?? 0))
                let long = try await codes(1, [UInt8](repeating: 0x20, count: 1_001))
                #expect((10...15).contains(long["ERR_MESSAGE_TOO_LARGE"] ?? 0))
                #expect((15...20).contains(long["ERR_TOO_MANY_REQUESTS"] ?? 0))
            }
        }

        @Test func `who floods beyond what may wait is closed with 4029`() async throws {
            try await TestServer.with({ $0.socket.pendingRequests = 20 }) { server in
                let (client, _) = try await server.joined("u")
                server.media.hold()
                _ = try client.post("muteAudio")
                for _ in 0..<60 { _ = try client.post("ping") }
                #expect(try await client.closed() == 4029)
                server.media.release()
            }
        }

        @Test func `who doesn't read is closed with 4008, and the others get their events`() async throws {
            try await TestServer.with({
                $0.socket.queuedMessages = 50
                // It gets its close frame however long the others take.
                $0.socket.closeWithinMs = 600_000
                $0.socket.requestsPerSecond = 10_000
                $0.socket.requestBurst = 10_000
            }) { server in
                let (slow, first) = try await server.joined("slow", receiveBuffer: 4_096)
                let (fast, _) = try await server.joined("fast")
                let (speaker, _) = try await server.joined("speaker")
                slow.pauseReading(true)
                let text = JSONValue.string(String(repeating: "x", count: 40_000))
                for _ in 0..<200 { try await speaker.request("sendMessage", ["type": "chat", "text": text]) }
                for _ in 0..<200 { _ = try await fast.event("message") }
                slow.pauseReading(false)
                #expect(try await slow.closed() == 4008)
                #expect(slow.read { $0.events.count } < 200)
                let back = try await server.client()
                let result = try await back.request(
                    "resumeSession", ["resumeToken": first["resumeToken"] ?? .null, "lastSeq": 0])
                #expect(result["snapshot"]?["participants"]?.arrayValue?.count == 3)
            }
        }

        @Test func `a socket that breaks in mid-frame costs nothing`() async throws {
            try await TestServer.with({ $0.meeting.resumeWithinMs = 50 }) { server in
                let (client, _) = try await server.joined("u")
                client.send(frame: [UInt8](repeating: 0x20, count: 1_000), opcode: 1, isFinal: false)
                client.drop()
                try await eventually("the participant to be gone") {
                    server.media.read { $0.permissions.isEmpty } ? true : nil
                }
            }
        }
    }
}
