import FixedCollections
import Testing
import Wire

@testable import Forwarding

/// Estimator and allocator together: forwarded layers instead of an encoder, so that padding has to find what they don't use.
@Suite struct AllocatedLinkTests {
    private static let meeting = [
        Seats.camera(0, onStage: true), Seats.camera(1), Seats.camera(2), Seats.camera(3),
    ]

    private static func play(
        _ scenario: BandwidthScenario, observe: (Double, EstimatedFlow) -> Void
    ) throws -> BandwidthOutcome {
        let simulation = BandwidthSimulation(scenario, seed: 3, media: .seats(meeting))
        return try simulation.run { observe(Double($0) / 1e9, $1) }
    }

    @Test func `everybody is at the top within two seconds when the link allows`() throws {
        let scenario = BandwidthScenario("wide", 12e6) { $0.seconds = 30 }
        var top: Double?
        var later: Set<[String]> = []
        let outcome = try Self.play(scenario) { second, flow in
            let names = flow.decisions.map(\.name)
            if top == nil, !names.isEmpty, names.allSatisfy({ $0 == "720p30" }) { top = second }
            if let top, second > top + 1 { later.insert(names) }
        }
        #expect(try #require(top) <= 2)
        #expect(later == [Array(repeating: "720p30", count: 4)])
        #expect(outcome.queueing < 50)
        #expect(outcome.lost == 0)
    }

    @Test func `on a narrow link the stage is at 360p30, all are seen, and nobody flickers`() throws {
        let scenario = BandwidthScenario("narrow", 1.2e6)
        var switches: [Double] = []
        var last: [String] = []
        var stage = 0
        var seen = 0
        var moments = 0
        let outcome = try Self.play(scenario) { second, flow in
            let names = flow.decisions.map(\.name)
            if names != last { switches.append(second) }
            last = names
            guard second >= 10 else { return }
            moments += 1
            if names[0] == "360p30" || names[0].hasPrefix("720") { stage += 1 }
            if !names.contains("-") { seen += 1 }
        }
        #expect(Double(stage) > 0.9 * Double(moments))
        #expect(seen == moments)
        #expect(switches.count { $0 >= 10 } <= 20)
        #expect(outcome.queueing < 100)
    }

    @Test func `a link that falls and rises again gives up layers at once and gets them back in 15 seconds`()
        throws
    {
        let scenario = BandwidthScenario("steps", 4e6) {
            $0.rates = [(0, 4e6), (20, 0.6e6), (40, 4e6)]
        }
        var before = 0.0
        var lowered: Double?
        var restored: Double?
        var paused = 0
        _ = try Self.play(scenario) { second, flow in
            if second < 20 { before = flow.allocated }
            if second >= 20, lowered == nil, flow.allocated < 0.6e6 { lowered = second - 20 }
            if second >= 22, second < 40, flow.decisions[0].layer == nil { paused += 1 }
            if second >= 40, restored == nil, flow.allocated >= 0.95 * before { restored = second - 40 }
        }
        #expect(before > 3e6)
        #expect(try #require(lowered) < 1)
        #expect(try #require(restored) < 15)
        #expect(paused == 0)
    }
}
