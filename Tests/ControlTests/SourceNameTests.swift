import Control
import JSON
import MediaWorker
import Testing

extension ControlTests {
    /// What participants say their m-lines carry.
    @Suite struct SourceNameTests {
        private static func offer(sending mids: [String] = []) -> JSONValue {
            ["offer": .string((["v=0"] + mids.map { "sends \($0)" }).joined(separator: "\n"))]
        }

        @Test func `mids of a share are two at most, and short`() async throws {
            try await TestServer.with { server in
                let (client, _) = try await server.joined("u")
                for mids: JSONValue in [[.string(String(repeating: "a", count: 17))], ["1", "2", "3"], [""]] {
                    await expectRefusal("ERR_BAD_REQUEST", field: "mids") {
                        try await client.request("startScreenSharing", ["mids": mids])
                    }
                }
                _ = try await client.request("startScreenSharing", ["mids": ["7", "8"]])
            }
        }

        @Test func `more names than m-lines can be are refused, and change nothing`() async throws {
            try await TestServer.with({
                $0.socket.requestsPerSecond = 10_000
                $0.socket.requestBurst = 10_000
            }) { server in
                let (client, _) = try await server.joined("u")
                for number in 0..<128 {
                    let mids: JSONValue = [.string("a\(number)"), .string("b\(number)")]
                    try await client.request("startScreenSharing", ["mids": mids])
                    try await client.request("stopScreenSharing")
                }
                await expectRefusal("ERR_BAD_REQUEST", field: "mids") {
                    try await client.request("startScreenSharing", ["mid": "c"])
                }
                let own = try await client.request("getParticipants")["participants"]?[0]
                #expect(own?["isPresenting"]?.boolValue == false)
                // Those that are known may still be named.
                try await client.request("startScreenSharing", ["mid": "a5"])
                // Once an offer was taken, names that it doesn't have are free again.
                try await client.request("negotiate", Self.offer(sending: ["a5"]))
                #expect(server.media.read { $0.negotiated.last?.count } == 256)
                try await client.request("startScreenSharing", ["mid": "c"])
                try await client.request("negotiate", Self.offer(sending: ["a5", "c"]))
                #expect(server.media.read { $0.negotiated.last } == ["a5": .screen, "c": .screen])
            }
        }

        @Test func `a name that an offer had stays known, whatever a later one has`() async throws {
            try await TestServer.with { server in
                let (client, _) = try await server.joined(
                    "u", settings: ["sources": ["1": "screen", "2": "camera"]], offer: "v=0\nsends 1")
                try await client.request("negotiate", Self.offer())
                try await client.request("negotiate", Self.offer())
                #expect(server.media.read { $0.negotiated.last } == ["1": .screen])
            }
        }

        @Test func `an offer that is refused forgets no name`() async throws {
            try await TestServer.with { server in
                let (client, _) = try await server.joined("u", offer: "v=0")
                try await client.request("startScreenSharing", ["mid": "7"])
                await expectRefusal("ERR_INVALID_OFFER") {
                    try await client.request("negotiate", ["offer": "nonsense"])
                }
                try await client.request("negotiate", Self.offer(sending: ["7"]))
                #expect(server.media.read { $0.negotiated.last } == ["7": .screen])
            }
        }

        @Test func `who joins with too many names, or long ones, is refused`() async throws {
            try await TestServer.with { server in
                let many = JSONObject((0..<257).map { ("\($0)", .string("camera")) })
                await expectRefusal("ERR_BAD_REQUEST", field: "settings.sources") {
                    try await server.joined("u", settings: ["sources": .object(many)])
                }
                let long = JSONObject([(String(repeating: "a", count: 17), .string("camera"))])
                await expectRefusal("ERR_BAD_REQUEST", field: "settings.sources") {
                    try await server.joined("u", settings: ["sources": .object(long)])
                }
            }
        }
    }
}
