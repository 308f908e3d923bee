import FixedCollections

/// What the rate control needs to know at each feedback message. Rates in bits a second, times in seconds.
struct RateInput: BitwiseCopyable {
    /// What comes through, without what is lost at random on the way.
    var throughput: Double?
    var queueing = 0.0
    var roundTrip = 0.1
    /// Bits of a usual packet.
    var packet = 9_600.0
    /// When the newest packet left that the message tells about.
    var newestSent = Instant.distantFuture
    /// Nothing but the delay speaks: not more is lost than the link itself loses.
    var mayRaise = true
    /// The delay still rises: it hasn't just become another one.
    var isRising = true
}

/// Raises the rate while the delay is steady, and cuts it to 85 % of what came through when the delay rises: additive
/// increase near the known capacity, multiplicative elsewhere (Carlucci et al. section VI; draft-ietf-rmcat-gcc-02 section
/// 5.5).
///
/// Beyond that, it stays where it is while a queue stands, and gives below the rate until a deep queue has drained.
struct RateControl: BitwiseCopyable {
    private static var decrease: Double { 0.85 }
    /// Growth in a second.
    private static var increase: Double { 1.08 }
    /// The least near the capacity, a second.
    private static var carefulIncrease: Double { 0.02 }
    /// Seconds of queue below which a rising delay is taken for jitter, above which the rate isn't raised, and above which
    /// the queue is drained.
    private static var negligible: Double { 0.02 }
    private static var standing: Double { 0.05 }
    private static var deep: Double { 0.08 }
    private static var longestDrain: Duration { .seconds(3) }

    /// Bits a second, before draining.
    private(set) var rate: Double
    let lowest: Double
    /// Never above it.
    var highest = 1e9

    private var capacity = LinkCapacity()
    private var updatedAt: Instant?
    private(set) var decreasedAt: Instant?
    /// The rate before the last cut, and how deep that was.
    private(set) var rateBeforeDecrease = 0.0
    /// Seconds of queue that are being drained.
    private var draining = 0.0
    /// Seconds of queue when the rate was cut.
    private var queueAtCut = 0.0

    init(start: Double, lowest: Double) {
        rate = start
        self.lowest = lowest
    }

    /// What may be sent: the rate, less what the queue needs to drain.
    var target: Double {
        draining > 0 ? max(rate * 0.6, rate * (1 - draining), lowest) : rate
    }

    var isDraining: Bool { draining > 0 }

    /// Sets the rate to what was measured.
    mutating func set(_ measured: Double, at now: Instant) {
        rate = min(max(measured, lowest), highest)
        updatedAt = now
    }

    /// No feedback comes any more.
    mutating func halve(at now: Instant) {
        if rateBeforeDecrease < rate { rateBeforeDecrease = rate }
        set(rate / 2, at: now)
        decreasedAt = now
    }

    mutating func update(_ signal: DelaySignal, _ input: RateInput, at now: Instant) {
        let elapsed = updatedAt.map { min(Double((now - $0).wholeNanoseconds) / 1e9, 1) } ?? 0
        updatedAt = now
        if signal == .overuse, input.isRising, input.queueing > Self.negligible { cut(input, at: now) }
        updateDrain(input, at: now)
        guard signal == .normal, input.mayRaise, draining == 0, input.queueing < Self.standing else { return }
        raise(input, elapsed)
    }

    private mutating func cut(_ input: RateInput, at now: Instant) {
        let throughput = input.throughput ?? rate
        // What was sent before the last cut waits in a queue that the cut was for. Only what was sent since tells whether it
        // was enough, unless too little comes through even so.
        if let decreasedAt, throughput > rate * Self.decrease {
            if input.newestSent < decreasedAt + .milliseconds(100) { return }
            if input.newestSent < decreasedAt + .seconds(1), input.queueing < 0.9 * queueAtCut { return }
        }
        queueAtCut = input.queueing
        let measured = Self.decrease * throughput
        // What comes through tells nothing while less is sent than may be: then a cut is from the rate itself.
        let lower = measured < rate ? measured : Self.decrease * rate
        rateBeforeDecrease = rate
        capacity.add(throughput)
        rate = max(lower, lowest)
        decreasedAt = now
    }

    private mutating func updateDrain(_ input: RateInput, at now: Instant) {
        guard let decreasedAt, now - decreasedAt < Self.longestDrain else {
            draining = 0
            return
        }
        let isDeep = input.queueing > (draining > 0 ? Self.deep / 4 : Self.deep)
        draining = isDeep ? min(input.queueing * 1.5, 1) : 0
    }

    private mutating func raise(_ input: RateInput, _ elapsed: Double) {
        // What isn't used isn't raised: nothing would tell that it is too much.
        let ceiling = input.throughput.map { 1.5 * $0 + 10_000 } ?? .infinity
        guard rate < ceiling else { return }
        let step: Double
        if let throughput = input.throughput, capacity.isNear(throughput) {
            step = max(4_000, input.packet / (input.roundTrip + 0.1), rate * Self.carefulIncrease) * elapsed
        } else {
            step = max(rate * (Self.increase - 1) * elapsed, 1_000 * elapsed)
        }
        rate = min(rate + step, ceiling, highest)
    }
}
