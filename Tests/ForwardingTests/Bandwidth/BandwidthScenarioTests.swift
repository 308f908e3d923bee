import Testing

@testable import Forwarding

/// The estimator on thirty simulated links, against what the design promises of it. Each figure is the worst of two seeds'.
@Suite struct BandwidthScenarioTests {
    /// Played once, for the bars and for the table.
    static let results: [BandwidthResult] = BandwidthScenario.all.compactMap {
        try? BandwidthResult($0, seeds: [1, 2])
    }

    @Test func `every scenario was played`() {
        #expect(Self.results.count == BandwidthScenario.all.count)
        #expect(BandwidthScenario.all.count >= 30)
        #expect(Set(BandwidthScenario.all.map(\.name)).count == BandwidthScenario.all.count)
    }

    @Test func `links are used to at least 85 % after ten seconds`() {
        for result in Self.results {
            #expect(result.utilisation >= result.scenario.bars.utilisation, "\(result.scenario)")
        }
    }

    @Test func `95 % of packets wait less than 100 ms`() {
        for result in Self.results {
            #expect(result.queueing < result.scenario.bars.queueing, "\(result.scenario)")
        }
    }

    @Test func `the link is found within two seconds of the start`() {
        for result in Self.results {
            #expect(result.start <= result.scenario.bars.start, "\(result.scenario)")
        }
    }

    @Test func `a link that falls is followed within a second, and one that rises within ten`() {
        for result in Self.results {
            #expect(result.down ?? 0 < result.scenario.bars.down, "\(result.scenario)")
            #expect(result.up ?? 0 < result.scenario.bars.up, "\(result.scenario)")
        }
        #expect(Self.results.count { $0.down != nil } >= 6)
        #expect(Self.results.count { $0.up != nil } >= 6)
    }

    @Test func `ten per cent of random loss leaves more than 80 % of a link of 10 Mbit/s`() throws {
        let result = try result(of: "10 % random loss, 10 Mbit/s")
        for outcome in result.outcomes {
            let settled = outcome.targets.dropFirst(100)
            #expect(settled.reduce(0, +) / Double(settled.count) > 8e6)
        }
        #expect(result.lowTarget > 7e6)
        #expect(result.utilisation > 0.9 * (try self.result(of: "steady 10 Mbit/s")).utilisation)
    }

    @Test func `two flows of the kind share a link within a third of equal parts`() throws {
        for outcome in try result(of: "beside another of its kind, 4 Mbit/s").outcomes {
            let share = outcome.share(from: 20, until: 60)
            #expect(share > 0.33)
            #expect(share < 0.67)
        }
    }

    @Test func `a download doesn't starve the flow beside it`() throws {
        for outcome in try result(of: "beside a TCP download, 4 Mbit/s").outcomes {
            #expect(outcome.share(from: 20, until: 50) > 0.06)
        }
    }

    @Test func `an estimate stays although less is sent`() throws {
        let result = try result(of: "10 Mbit/s, 2.5 wanted")
        #expect(result.lowTarget > 2.5e6)
        #expect(result.loss == 0)
    }

    @Test func `the same seed gives the same simulation, and another one another`() throws {
        let scenario = BandwidthScenario("short", 1e6) {
            $0.seconds = 8
            $0.loss = 0.02
        }
        let first = try BandwidthSimulation(scenario, seed: 5).run()
        let second = try BandwidthSimulation(scenario, seed: 5).run()
        let third = try BandwidthSimulation(scenario, seed: 6).run()
        #expect(first.targets == second.targets)
        #expect(first.targets != third.targets)
    }

    private func result(of name: String) throws -> BandwidthResult {
        try #require(Self.results.first { $0.scenario.name == name })
    }
}
