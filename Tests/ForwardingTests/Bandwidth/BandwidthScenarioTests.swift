import Testing

@testable import Forwarding

/// The estimator on thirty simulated links, against what DESIGN's section on bandwidth promises.
@Suite struct BandwidthScenarioTests {
    /// Played once, for the bars and for the table.
    static let outcomes: [(scenario: BandwidthScenario, outcome: BandwidthOutcome)] = {
        BandwidthScenario.all.compactMap { scenario in
            guard let outcome = try? BandwidthSimulation(scenario, seed: 1).run() else { return nil }
            return (scenario, outcome)
        }
    }()

    @Test func `every scenario was played`() {
        #expect(Self.outcomes.count == BandwidthScenario.all.count)
        #expect(BandwidthScenario.all.count >= 30)
        #expect(Set(BandwidthScenario.all.map(\.name)).count == BandwidthScenario.all.count)
    }

    @Test func `links are used to at least 85 % after ten seconds`() {
        for (scenario, outcome) in Self.outcomes {
            #expect(outcome.utilisation >= scenario.bars.utilisation, "\(scenario)")
        }
    }

    @Test func `95 % of packets wait less than 100 ms`() {
        for (scenario, outcome) in Self.outcomes {
            #expect(outcome.queueing < scenario.bars.queueing, "\(scenario)")
        }
    }

    @Test func `the link is found within two seconds of the start`() throws {
        for (scenario, outcome) in Self.outcomes {
            let start = try #require(outcome.start, "\(scenario)")
            #expect(start <= scenario.bars.start, "\(scenario)")
        }
    }

    @Test func `a link that falls is followed within a second, and one that rises within ten`() {
        for (scenario, outcome) in Self.outcomes {
            #expect(outcome.down ?? 0 < scenario.bars.down, "\(scenario)")
            #expect(outcome.up ?? 0 < scenario.bars.up, "\(scenario)")
        }
        #expect(Self.outcomes.count { $0.outcome.down != nil } >= 6)
        #expect(Self.outcomes.count { $0.outcome.up != nil } >= 6)
    }

    @Test func `ten per cent of random loss leaves more than 80 % of a link of 10 Mbit/s`() throws {
        let outcome = try outcome(of: "10 % random loss, 10 Mbit/s")
        let settled = outcome.targets.dropFirst(100)
        let mean = settled.reduce(0, +) / Double(settled.count)
        #expect(mean > 8e6)
        #expect(outcome.lowTarget > 7e6)
        let lossless = try Self.outcome(of: "steady 10 Mbit/s")
        #expect(outcome.utilisation > lossless.utilisation * 0.9)
    }

    @Test func `two flows of the kind share a link within a third of equal parts`() throws {
        let share = try outcome(of: "beside another of its kind, 4 Mbit/s").share(from: 20, until: 60)
        #expect(share > 0.33)
        #expect(share < 0.67)
    }

    @Test func `a download doesn't starve the flow beside it`() throws {
        let share = try outcome(of: "beside a TCP download, 4 Mbit/s").share(from: 20, until: 50)
        #expect(share > 0.06)
    }

    @Test func `an estimate stays although less is sent`() throws {
        let outcome = try outcome(of: "10 Mbit/s, 2.5 wanted")
        #expect(outcome.lowTarget > 2.5e6)
        #expect(outcome.lost == 0)
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

    private func outcome(of name: String) throws -> BandwidthOutcome { try Self.outcome(of: name) }

    private static func outcome(of name: String) throws -> BandwidthOutcome {
        try #require(outcomes.first { $0.scenario.name == name }).outcome
    }
}
