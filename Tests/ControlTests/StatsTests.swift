import JSON
import MediaWorker
import Testing

@testable import Control

extension ControlTests {
    @Suite struct StatsTests {
        @Test func `a seat says which layer it has, and what the next one would take`() async throws {
            try await TestServer.with { server in
                let (client, _) = try await server.joined("u")
                var seat = ViewerStatistics.Seat(
                    state: SeatState(mid: "2", kind: .video, occupant: nil, source: nil, muted: false))
                seat.isSent = true
                seat.rid = "h"
                seat.spatial = 1
                seat.temporal = 2
                seat.height = 360
                seat.bitrate = 480_000
                seat.reason = "bandwidth"
                var statistics = ViewerStatistics(seats: [seat])
                statistics.basis = "transportCC"
                statistics.estimate = 900_000
                server.media.setViewers(statistics)
                let stats = try await client.request("getStats")
                #expect(stats["link"]?["estimateBps"]?.integerValue == 900_000)
                #expect(stats["link"]?["basis"]?.stringValue == "transportCC")
                let layer = stats["seats"]?[0]?["layer"]
                #expect(layer == ["rid": "h", "spatial": 1, "temporal": 2, "height": 360])
                #expect(stats["seats"]?[0]?["bitrateBps"]?.integerValue == 480_000)
                // Nobody whom the session knows sits there: there is nothing to explain.
                #expect(stats["seats"]?[0]?["reason"] == nil)
            }
        }
    }
}
