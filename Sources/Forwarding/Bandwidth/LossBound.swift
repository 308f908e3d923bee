import FixedCollections

/// The bound that loss sets to the rate: none while loss doesn't depend on it.
struct LossBound: BitwiseCopyable {
    private static var interval: Double { 0.25 }
    /// Growth with each observation that has nothing against it: 8 % a second.
    private static var increase: Double { 1.02 }

    private var model = LossModel()
    // The observation that is being made.
    private var firstSent: Instant?
    private var lastSent = Instant.zero
    private var bytes = 0
    private var received = 0
    private var lost = 0
    private var wasLost = false
    private var runs = 1.0
    private var runLosses = 1.0

    /// Bits a second; `nil` while loss sets no bound.
    private(set) var bound: Double?
    /// Share that is lost whatever the rate is.
    private(set) var inherent = 0.0
    /// Share that was lost in the last second or so.
    private(set) var recentLoss = 0.0

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
        let elapsed = Double((lastSent - firstSent).wholeNanoseconds) / 1e9
        guard elapsed >= Self.interval, received + lost > 1 else { return }
        let share = Double(lost) / Double(received + lost)
        recentLoss += 0.3 * (share - recentLoss)
        model.add(
            LossObservation(rate: Double(bytes) * 8 / elapsed, lost: Double(lost), received: Double(received)))
        conclude(rate: rate)
        self.firstSent = nil
        bytes = 0
        received = 0
        lost = 0
        runs = max(runs * 0.9, 1)
        runLosses = max(runLosses * 0.9, runs)
    }

    private mutating func conclude(rate: Double) {
        let verdict = model.verdict(burst: runLosses / runs)
        inherent = verdict.inherent
        if let capacity = verdict.capacity {
            let grown = min(bound ?? rate, rate) * Self.increase
            bound = min(capacity, grown)
        } else if let current = bound {
            let grown = current * Self.increase
            bound = grown < rate ? grown : nil
        }
    }
}
