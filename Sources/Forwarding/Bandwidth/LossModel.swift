/// What was sent within a quarter of a second and what became of it.
struct LossObservation: BitwiseCopyable {
    /// Bits a second.
    var rate = 0.0
    var lost = 0.0
    var received = 0.0
}

/// What the last observations say about the link.
struct LossVerdict: BitwiseCopyable, Equatable {
    /// Share of packets that is lost whatever the rate is.
    var inherent = 0.0
    /// The rate above which the link loses the surplus; `nil` while nothing speaks for one.
    var capacity: Double?
}

/// Tells loss that comes with the link (radio) from loss that comes from sending too much (a full queue, a policer).
///
/// A link of capacity c loses a share p of all packets, and of a rate r above c the surplus as well: p + (1 − p)(r − c)/r.
/// The likelihood of the last four seconds' observations is maximized over p for each of several capacities, and compared with
/// that of a link without one: only a difference that chance doesn't explain makes the rate a suspect. (The newer loss-based
/// estimator of libwebrtc maximizes a likelihood of this kind; the comparison with the unlimited link, in place of its bias
/// terms, is ours.) Losses in bursts count less, since they aren't independent.
struct LossModel: BitwiseCopyable {
    private static var memory: Int { 16 }
    private static var fading: Double { 0.9 }
    /// More than this is never taken for the link's own.
    private static var mostInherent: Double { 0.2 }
    /// Nats by which a limited link must explain better what was seen: one chance in 2,000 without one.
    private static var evidence: Double { 6 }

    private var observations = InlineArray<16, LossObservation>(repeating: LossObservation())
    private var next = 0
    private var used = 0

    mutating func add(_ observation: LossObservation) {
        observations[next] = observation
        next = (next + 1) % Self.memory
        used = min(used + 1, Self.memory)
    }

    /// - Parameter burst: the mean length of runs of lost packets, at least 1.
    func verdict(burst: Double) -> LossVerdict {
        var lost = 0.0
        var total = 0.0
        var fastest = 0.0
        forEach { observation, weight in
            lost += weight * observation.lost
            total += weight * (observation.lost + observation.received)
            fastest = max(fastest, observation.rate)
        }
        guard total > 0, fastest > 0 else { return LossVerdict() }
        var verdict = LossVerdict(inherent: min(lost / total, Self.mostInherent))
        // Too little to conclude anything from.
        guard lost > 2 else { return verdict }
        var best = likelihood(inherent: verdict.inherent, capacity: .infinity) + Self.evidence * burst
        var share = 0.98
        while share > 0.1 {
            let capacity = fastest * share
            let inherent = fitInherent(capacity, from: verdict.inherent, total: total)
            let likelihood = likelihood(inherent: inherent, capacity: capacity)
            if likelihood > best {
                best = likelihood
                verdict = LossVerdict(inherent: inherent, capacity: capacity)
            }
            share *= share > 0.8 ? 0.97 : 0.85
        }
        return verdict
    }

    private func forEach(_ body: (LossObservation, Double) -> Void) {
        var weight = 1.0
        for age in 1...max(used, 1) where used > 0 {
            body(observations[(next - age + 2 * Self.memory) % Self.memory], weight)
            weight *= Self.fading
        }
    }

    /// Share of packets that a link of this capacity loses at the observation's rate.
    private static func loss(_ inherent: Double, _ capacity: Double, _ rate: Double) -> Double {
        let surplus = rate > capacity ? (rate - capacity) / rate : 0
        return min(max(inherent + (1 - inherent) * surplus, 0.000_1), 0.999_9)
    }

    private func likelihood(inherent: Double, capacity: Double) -> Double {
        var sum = 0.0
        forEach { observation, weight in
            let loss = Self.loss(inherent, capacity, observation.rate)
            var part = observation.received * naturalLogarithm(1 - loss)
            if observation.lost > 0 { part += observation.lost * naturalLogarithm(loss) }
            sum += weight * part
        }
        return sum
    }

    /// The link's own loss that fits best with a capacity: each loss is shared out between the two causes, a few times
    /// over (expectation maximization).
    private func fitInherent(_ capacity: Double, from start: Double, total: Double) -> Double {
        var inherent = max(start, 0.000_1)
        for _ in 0..<4 {
            var own = 0.0
            forEach { observation, weight in
                guard observation.lost > 0 else { return }
                own += weight * observation.lost * inherent / Self.loss(inherent, capacity, observation.rate)
            }
            inherent = min(max(own / total, 0.000_1), Self.mostInherent)
        }
        return inherent
    }
}
