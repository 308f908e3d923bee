import FixedCollections

/// The bound that loss sets to the rate: none while loss doesn't depend on it.
///
/// The loss-based controller of GCC (draft-ietf-rmcat-gcc-02 section 6: above 10 % down by half of the loss, above 2 % no
/// further up), applied to what is lost beyond the link's own share (`LossByRate`).
///
/// That more is lost than before doesn't tell why: a radio link that got worse loses at any rate, and less video is no help
/// there. So a probe above what is sent is asked for first (`checkWanted`). If it comes through, the link isn't full, and the
/// loss is its own. If it doesn't, or if nothing can be probed with, the rate is cut: then either the surplus goes, or it was
/// the link's own.
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
    /// How far above what is sent a check goes, at least to what rate, and what share of it has to come through.
    private static var checkFactor: Double { 2 }
    private static var leastCheck: Double { 300_000 }
    private static var passed: Double { 1.2 }
    /// How long a check is awaited, and how long its result holds: each failure twice as long as the one before.
    private static var awaited: Duration { .milliseconds(1_200) }
    private static var acquitted: Duration { .seconds(2) }
    private static var convicted: Duration { .seconds(4) }
    private static var mostDoublings: Int { 3 }
    private static var mostTries: Int { 2 }

    /// What is known of whether the loss comes from the rate.
    private enum Check: BitwiseCopyable {
        case none
        case asked(Instant, tries: Int)
        case passed(Instant)
        case failed(Instant)
    }

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
    private var recentBits = 0.0
    private var recentSeconds = 0.0
    private var runs = 1.0
    private var runLosses = 1.0
    private var heldFor = 0.0
    // What came through when there was surplus.
    private var ceiling: Double?
    private var check = Check.none
    private var failures = 0
    /// What came through of a check that failed: as much the link carries; 0: not known, or used.
    private var came = 0.0
    /// What was lost when the link was found not to be full.
    private var known = 0.0
    // How many packets `inherent` was seen with.
    private var inherentPackets = 0.0

    /// A rate to probe, in bits a second, to learn whether the link is full; the caller takes it away.
    private(set) var checkWanted: Double?
    /// The link can be probed.
    var mayCheck = true

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
        recentBits = recentBits * Self.fading + Double(bytes) * 8
        recentSeconds = recentSeconds * Self.fading + elapsed
        let least = byRate.least(burst: burst, known: known)
        inherent = least?.share ?? max(min(recentLoss, 0.1), known)
        inherentPackets = least?.packets ?? .infinity
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

    /// What is being sent, over a second or so.
    var sentLately: Double { recentSeconds > 0 ? recentBits / recentSeconds : 0 }

    mutating func takeCheck() -> Double? {
        defer { checkWanted = nil }
        return checkWanted
    }

    /// A probe was measured, in bits a second.
    mutating func probed(_ measured: Double) {
        guard case .asked = check else { return }
        guard measured >= Self.passed * sentLately else {
            failCheck()
            came = measured
            return
        }
        check = .passed(lastSent)
        failures = 0
        known = recentLoss
        inherent = known
        hasSurplus = false
        heldFor = 0
        forgetRates()
        lift(to: measured)
    }

    private mutating func failCheck() {
        check = .failed(lastSent)
        failures = min(failures + 1, Self.mostDoublings + 1)
        came = 0
        heldFor = Self.patience
    }

    /// The link has changed: only what is seen now counts.
    private mutating func forgetRates() {
        byRate = LossByRate()
        byRate.add(rate: sentLately, lost: Int(recentLost.rounded()), total: Int(recentTotal.rounded()))
    }

    /// Whether the rate has to be cut now: no check is under way, none is possible, or it has failed.
    private mutating func isGuilty(_ surplus: Double) -> Bool {
        guard mayCheck else { return true }
        var tries = 0
        switch check {
        case .none: break
        case .asked(let since, let count):
            if lastSent - since < Self.awaited { return false }
            tries = count
        case .passed(let since):
            // A share that is seen in a second varies.
            if lastSent - since < Self.acquitted, surplus < Self.severe { return false }
        case .failed(let since):
            if lastSent - since < Self.convicted * (1 << (failures - 1)) { return true }
        }
        guard tries < Self.mostTries else {
            failCheck()
            return true
        }
        check = .asked(lastSent, tries: tries + 1)
        checkWanted = max(sentLately * Self.checkFactor, Self.leastCheck)
        return false
    }

    private mutating func conclude(rate: Double, sent: Double, elapsed: Double) {
        let surplus = recentLoss - inherent
        hasSurplus = isSignificant(surplus)
        guard hasSurplus else {
            heldFor = 0
            if case .asked = check { check = .none }
            grow()
            return
        }
        guard isGuilty(surplus) else { return }
        heldFor += elapsed
        let isTrial = surplus < Self.severe
        guard !isTrial || heldFor >= Self.patience else { return }
        if byRate.isOutdated(by: recentLoss, at: sentLately) {
            known = 0
            forgetRates()
        }
        ceiling = sent * (1 - surplus)
        // Loss was seen at what was sent, not at what could have been.
        let cut = min(rate, sent * 1.1) * (isTrial ? Self.trial : 1 - surplus / 2)
        bound = min(max(cut, came), rate)
        came = 0
        heldFor = 0
        recentLost = 0
        recentTotal = 0
        recentBits = 0
        recentSeconds = 0
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
        let each = share * (1 - share) * (2 * burst - 1)
        let variance = each / recentTotal + each / inherentPackets
        return excess * excess > 4 * variance
    }
}
