import Control
import JSON
import MediaWorker
import Meeting
import Testing

extension ControlTests {
    /// What viewers say about what they show and want.
    @Suite struct ViewingTests {
        private static func changes(_ server: TestServer) -> [ViewingChange] {
            server.media.read { $0.viewing.values.flatMap { $0 } }
        }

        @Test func `a layout reaches the workers with what was said about each seat`() async throws {
            try await TestServer.with { server in
                let (client, _) = try await server.joined("u", offer: "v=0\nseats 2")
                try await client.request(
                    "setLayout",
                    [
                        "layout": "sidebar",
                        "seats": [["mid": "v0", "maxHeight": 720], ["mid": "v1", "paused": true]],
                    ])
                try await client.request("setLayout", ["layout": "tile"])
                let wishes = [
                    SeatWish(mid: "v0", maxHeight: 720, isPaused: false),
                    SeatWish(mid: "v1", maxHeight: nil, isPaused: true),
                ]
                #expect(
                    Self.changes(server) == [.layout(.sidebar, seats: wishes), .layout(.tile, seats: nil)])
            }
        }

        @Test func `the layout that one joins with counts from the first offer on`() async throws {
            try await TestServer.with { server in
                _ = try await server.joined("u", settings: ["layout": "spotlight"], offer: "v=0\nseats 1")
                #expect(Self.changes(server) == [.layout(.spotlight, seats: nil)])
            }
        }

        @Test func `seats that aren't there, and numbers that make no sense, are refused`() async throws {
            try await TestServer.with { server in
                let (client, _) = try await server.joined("u", offer: "v=0\nseats 1")
                let wrong: [JSONValue] = [
                    [["mid": "v1"]], [["mid": "a0"]], [["mid": ""]], [["mid": "v0", "maxHeight": 0]],
                    [["mid": "v0", "maxHeight": 20_000]],
                    .array(Array(repeating: ["mid": "v0"], count: 300)),
                ]
                for seats in wrong {
                    await expectRefusal("ERR_BAD_REQUEST", field: "seats") {
                        try await client.request("setLayout", ["layout": "tile", "seats": seats])
                    }
                }
                await expectRefusal("ERR_BAD_REQUEST", field: "layout") {
                    try await client.request("setLayout", ["layout": "mosaic"])
                }
                for (field, value) in [("maxBitrateBps", 0), ("lastN", -1), ("lastN", 1_001)] {
                    await expectRefusal("ERR_BAD_REQUEST", field: field) {
                        try await client.request("setReceiveLimits", [field: .integer(Int64(value))])
                    }
                }
                #expect(Self.changes(server).isEmpty)
            }
        }

        @Test func `limits replace what was said before`() async throws {
            try await TestServer.with { server in
                let (client, _) = try await server.joined("u")
                try await client.request(
                    "setReceiveLimits", ["maxBitrateBps": 500_000, "lastN": 3, "videoPaused": true])
                try await client.request("setReceiveLimits", ["lastN": 0])
                let first = ReceiveLimits(maxBitrate: 500_000, lastN: 3, isVideoPaused: true)
                #expect(Self.changes(server) == [.limits(first), .limits(ReceiveLimits(lastN: 0))])
            }
        }

        @Test func `pins name somebody else who is in`() async throws {
            try await TestServer.with { server in
                let viewer = try await server.person("u")
                let other = try await server.person("o")
                let id = try #require(other.joined["participant"]?["participantId"])
                let own = try #require(viewer.joined["participant"]?["participantId"])
                try await viewer.client.request("pinParticipant", ["participantId": id, "source": "screen"])
                try await viewer.client.request(
                    "unpinParticipant", ["participantId": id, "source": "screen"])
                await expectRefusal("ERR_BAD_REQUEST", field: "participantId") {
                    try await viewer.client.request(
                        "pinParticipant", ["participantId": own, "source": "camera"])
                }
                await expectRefusal("ERR_BAD_REQUEST", field: "source") {
                    try await viewer.client.request(
                        "pinParticipant", ["participantId": id, "source": "microphone"])
                }
                try await other.client.request("leaveSession")
                await expectRefusal("ERR_PARTICIPANT_NOT_FOUND") {
                    try await viewer.client.request(
                        "pinParticipant", ["participantId": id, "source": "camera"])
                }
                try await viewer.client.request(
                    "unpinParticipant", ["participantId": id, "source": "camera"])
                #expect(Self.changes(server).count == 2)
            }
        }

        @Test func `whoever may receive nothing has no say in it`() async throws {
            try await TestServer.with { server in
                let person = try await server.person("u", grants: Grants(subscribe: false))
                for (method, params): (String, JSONValue) in [
                    ("setLayout", ["layout": "tile"]), ("setReceiveLimits", [:]),
                    ("pinParticipant", ["participantId": "x", "source": "camera"]),
                ] {
                    await expectRefusal("AUTH_ERR_NO_ACCESS") {
                        try await person.client.request(method, params)
                    }
                }
            }
        }
    }
}
