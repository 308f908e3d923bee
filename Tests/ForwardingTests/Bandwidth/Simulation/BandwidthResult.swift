/// The worst figures of a scenario's simulations, one a seed.
struct BandwidthResult {
    var scenario: BandwidthScenario
    var outcomes: [BandwidthOutcome]

    /// - Throws: when a simulated receiver writes what can't be parsed.
    init(_ scenario: BandwidthScenario, seeds: [UInt64]) throws {
        self.scenario = scenario
        outcomes = try seeds.map { try BandwidthSimulation(scenario, seed: $0).run() }
    }

    var utilisation: Double { outcomes.map(\.utilisation).min() ?? 0 }
    var queueing: Double { outcomes.map(\.queueing).max() ?? .infinity }
    /// Infinite if it was never reached.
    var start: Double { outcomes.map { $0.start ?? .infinity }.max() ?? .infinity }
    /// `nil` if the link never falls, or rises.
    var down: Double? { outcomes.compactMap(\.down).max() }
    var up: Double? { outcomes.compactMap(\.up).max() }
    var lowTarget: Double { outcomes.map(\.lowTarget).min() ?? 0 }
    /// Share of all packets of all simulations.
    var loss: Double {
        Double(outcomes.reduce(0) { $0 + $1.lost }) / Double(max(outcomes.reduce(0) { $0 + $1.sent }, 1))
    }
}
