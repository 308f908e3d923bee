/// What came out of a scenario.
struct BandwidthOutcome {
    private let scenario: BandwidthScenario
    private var waits: [Int64] = []
    /// Bytes through the bottleneck by second: this flow's, and the others'.
    private(set) var own: [Int]
    private(set) var others: [Int]
    /// Each 100 ms, in bits a second.
    private(set) var targets: [Double] = []
    var lostOnTheWay = 0
    private(set) var sent = 0
    private(set) var dropped = 0

    init(_ scenario: BandwidthScenario) {
        self.scenario = scenario
        own = Array(repeating: 0, count: scenario.seconds)
        others = own
    }

    mutating func note(_ departure: Bottleneck.Departure) {
        let second = min(Int(departure.at / 1_000_000_000), scenario.seconds - 1)
        if departure.packet.flow == 0 {
            own[second] += departure.packet.bytes
            waits.append(departure.waited)
        } else {
            others[second] += departure.packet.bytes
        }
    }

    mutating func note(target: Double, at time: Int64) {
        targets.append(target)
    }

    mutating func finish(sent: Int, dropped: Int) {
        self.sent = sent
        self.dropped = dropped
        waits.sort()
    }

    // MARK: Figures

    func rate(inSecond second: Int) -> Double {
        scenario.rates.last { $0.from <= Double(second) }?.rate ?? 0
    }

    /// Seconds that count: from ten after the start and each rise.
    private var settled: [Int] {
        (10..<scenario.seconds).filter { second in
            for (step, next) in zip(scenario.rates, scenario.rates.dropFirst())
            where next.rate > 1.1 * step.rate && Double(second) >= next.from
                && Double(second) < next.from + 10
            {
                return false
            }
            return true
        }
    }

    /// Share of what the link had to give that this flow and its competitors used.
    var utilisation: Double {
        let used = settled.reduce(0) { $0 + own[$1] + others[$1] }
        return Double(used) * 8 / settled.reduce(0) { $0 + rate(inSecond: $1) }
    }

    /// This flow's share of all that went through while it counts.
    func share(from: Int, until: Int) -> Double {
        let mine = own[from..<until].reduce(0, +)
        return Double(mine) / Double(max(mine + others[from..<until].reduce(0, +), 1))
    }

    /// Milliseconds that all but 5 % of the packets waited at the most.
    var queueing: Double {
        waits.isEmpty ? 0 : Double(waits[waits.count * 95 / 100]) / 1e6
    }

    /// Seconds from the start until the target is 85 % of the link, or of what is wanted.
    var start: Double? { time(from: 0) { $0 >= 0.85 * min(scenario.rates[0].rate, scenario.demand) } }

    /// The longest time to come below the rate after it fell.
    var down: Double? {
        longest { before, after in
            after < before
        } reached: {
            $0 <= $1
        }
    }

    /// The longest time to 85 % of the rate after it rose.
    var up: Double? {
        longest { before, after in
            after > before
        } reached: {
            $0 >= 0.85 * $1
        }
    }

    private func longest(
        _ applies: (Double, Double) -> Bool, reached: (Double, Double) -> Bool
    ) -> Double? {
        var longest: Double?
        for (step, next) in zip(scenario.rates, scenario.rates.dropFirst())
        where applies(step.rate, next.rate) {
            let took = time(from: next.from) { reached($0, next.rate) } ?? .infinity
            longest = max(longest ?? 0, took)
        }
        return longest
    }

    private func time(from second: Double, _ condition: (Double) -> Bool) -> Double? {
        let first = Int((second * 10).rounded(.up))
        guard first < targets.count else { return nil }
        return targets[first...].firstIndex(where: condition).map { Double($0) / 10 - second }
    }

    /// The estimate below which it was in one of twenty moments after the first ten seconds.
    var lowTarget: Double {
        let sorted = targets.dropFirst(100).sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 20]
    }

    var lost: Int { lostOnTheWay + dropped }
}
