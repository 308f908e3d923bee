import FixedCollections

/// The bound that loss sets to the rate: none while loss doesn't depend on it.
///
/// The loss-based controller of GCC (draft-ietf-rmcat-gcc-02 section 6: above 10 % down by half of the loss, above 2 % no
/// further up), applied to what is lost beyond the link's own share (`LossByRate`). Surplus that stays while the rate is held
/// is tried to get rid of with a cut after a second: then either it goes, or it was the link's own.
struct LossBound: BitwiseCopyable {
    private static var interval: Double { 0.25 }
    /// Of older observations in what is lost lately: about a second's.
    private static var fading: Double { 0.75 }
    private static var tolerance: Double { 0.02 }
    private static var severe: Double { 0.1 }
    private static var patience: Double { 1 }
    private static var trial: Double { 0.85 }
    /// Growth with each observation without surplus: 8 % a second, and 2 % near the rate at which more was lost.
    private static var increase: Double { 1.02 }
    private static var carefulIncrease: Double { 1.005 }

    private var byRate = LossByRate()
    // The observation that is being made.
    private var firstSent: Instant?
    private var lastSent = Instant.zero
    private var bytes = 0
    private var received = 0
    private var lost = 0
    private var wasLost = false
    // Lately, fading.
    private var recentLost = 0.0
    private var recentTotal = 0.0
    private var runs = 1.0
    private var runLosses = 1.0
    private var heldFor = 0.0
    // What came through when there was surplus.
    private var ceiling: Double?

    /// Bits a second; `nil` while loss sets no bound.
    private(set) var bound: Double?
    /// Share that is lost whatever the rate is.
    private(set) var inherent = 0.0
    /// Whether more is lost than the link's own share.
    private(set) var hasSurplus = false

    /// Share that was lost in the last second or so.
    var recentLoss: Double { recentTotal > 0 ? recentLost / recentTotal : 0 }

    /// Takes in the fate of a packet, in order of sending.
    mutating func add(sent: Instant, bytes size: Int, isLost: Bool) {
        if firstSent == nil { firstSent = sent }
        lastSent = max(lastSent, sent)
        bytes += size
        if isLost {
            lost += 1
            runLosses += 1
            if !wasLost { runs += 1 }
        } else {
            received += 1
        }
        wasLost = isLost
    }

    /// A packet that was taken for lost has come after all.
    mutating func recover() {
        guard lost > 0 else { return }
        lost -= 1
        received += 1
        runLosses = max(runLosses - 1, runs)
    }

    /// A feedback message has been read.
    ///
    /// - Parameter rate: what would be sent without this bound, in bits a second.
    mutating func finish(rate: Double) {
        guard let firstSent else { return }
        let elapsed = Double(lastSent.nanoseconds - firstSent.nanoseconds) / 1e9
        guard elapsed >= Self.interval, received + lost > 1 else { return }
        let sent = Double(bytes) * 8 / elapsed
        byRate.add(rate: sent, lost: lost, total: received + lost)
        recentLost = recentLost * Self.fading + Double(lost)
        recentTotal = recentTotal * Self.fading + Double(received + lost)
        inherent = byRate.least(burst: burst) ?? min(recentLoss, 0.1)
        conclude(rate: min(rate, bound ?? rate), sent: sent, elapsed: min(elapsed, 1))
        if let current = bound, current >= rate { bound = nil }
        self.firstSent = nil
        bytes = 0
        received = 0
        lost = 0
        runs = max(runs * 0.98, 1)
        runLosses = max(runLosses * 0.98, runs)
    }

    /// Mean length of the runs in which packets are lost.
    private var burst: Double { runLosses / runs }

    /// A probe has come through at this rate.
    mutating func lift(to measured: Double) {
        guard let current = bound, measured > current else { return }
        bound = measured
        ceiling = nil
    }

    private mutating func conclude(rate: Double, sent: Double, elapsed: Double) {
        let surplus = recentLoss - inherent
        hasSurplus = isSignificant(surplus)
        guard hasSurplus else {
            heldFor = 0
            grow()
            return
        }
        heldFor += elapsed
        let isTrial = surplus < Self.severe
        guard !isTrial || heldFor >= Self.patience else { return }
        ceiling = sent * (1 - surplus)
        // Loss was seen at what was sent, not at what could have been.
        bound = min(rate, sent * 1.1) * (isTrial ? Self.trial : 1 - surplus / 2)
        heldFor = 0
        recentLost = 0
        recentTotal = 0
    }

    private mutating func grow() {
        guard let current = bound else { return }
        if let known = ceiling, current > 1.1 * known { ceiling = nil }
        let isNear = ceiling.map { current > 0.95 * $0 } ?? false
        bound = current * (isNear ? Self.carefulIncrease : Self.increase)
    }

    /// More than tolerated, and more than chance explains: losses in bursts, whose lengths vary as much as
    /// they are long, count less.
    private func isSignificant(_ surplus: Double) -> Bool {
        let excess = surplus - Self.tolerance
        guard excess > 0, recentTotal > 0 else { return false }
        let share = max(inherent, 0.01)
        let variance = share * (1 - share) / recentTotal * (2 * burst - 1)
        return excess * excess > 4 * variance
    }
}
