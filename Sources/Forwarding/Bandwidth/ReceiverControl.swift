import FixedCollections
import Wire

/// The estimate for clients without transport-cc, made of what the receiver says (REMB) and of its reports (RFC 3550).
///
/// A receiver can't know of a link more than what comes over it: its estimate is at most half above that, falls by 15 % with
/// each pause of its own process, and what is held to it never rises. So it is a bound only while something else tells that
/// the link is full: loss, or a round trip that has become longer. Without such a sign the rate is doubled each second at the
/// start, and grows by 8 % a second later. More than 10 % loss takes half of the loss off, as
/// draft-ietf-rmcat-gcc-02 section 6 has it. After a sign the receiver's estimate bounds the rate for some seconds, longer
/// each time that it was exceeded in vain. Nor is an estimate exceeded that stays the same whatever is sent: that one is meant
/// as a limit.
struct ReceiverControl: BitwiseCopyable {
    /// Growth in a second: before the link was full for the first time, and later.
    private static var start: Double { 2 }
    private static var increase: Double { 1.08 }
    /// What is found by doubling: more than that nobody is sent.
    private static var enough: Double { 20_000_000 }
    /// Seconds that an observation takes at least, and without a report.
    private static var interval: Double { 0.9 }
    private static var longest: Double { 2 }
    private static var severe: Double { 0.1 }
    private static var tolerance: Double { 0.02 }
    /// How much longer a round trip takes when packets wait.
    private static var waiting: Duration { .milliseconds(120) }
    /// How long an estimate stays the same that is meant as a limit, and what it may waver by.
    private static var constant: Duration { .seconds(3) }
    private static var wavering: Double { 0.005 }
    /// How long the receiver's estimate is held to.
    private static var shortestHold: Duration { .seconds(20) }
    private static var longestHold: Duration { .seconds(160) }
    /// How long a cut takes to show in what is reported.
    private static var settling: Duration { .milliseconds(2_500) }
    /// How long the shortest round trip counts, at least.
    private static var memory: Duration { .seconds(30) }

    /// Bits a second.
    private(set) var rate: Double
    /// The link is still being found.
    private(set) var isFinding: Bool
    private let lowest: Double
    private let highest: Double

    // What the receiver says, since when it says the same, and what that was.
    private var estimate: Double?
    private var constantSince = Instant.zero
    private var constantEstimate = 0.0
    /// It is meant as a limit.
    private var isLimit = false
    // The observation that is being made.
    private var begun: Instant?
    private var bytes = 0
    private var voiceBytes = 0
    private var reported = 0.0
    private var lost = 0.0
    private var roundTrip: Duration?
    /// In how many observations in a row it was longer.
    private var waits = 0
    // The shortest round trips of this time and of the one before.
    private var shortest: Duration?
    private var shortestBefore: Duration?
    private var shortestUntil = Instant.zero
    // The receiver's estimate is held to.
    private var heldUntil: Instant?
    private var cutAt: Instant?
    private var hold = Self.shortestHold

    /// - Parameters:
    ///   - start: bits a second.
    ///   - settings: what bounds the rate.
    ///   - isFinding: nothing was sent yet that would tell what the link carries.
    init(start: Double, _ settings: BandwidthSettings, isFinding: Bool) {
        rate = start
        lowest = Double(settings.lowest.bitsPerSecond)
        highest = Double(settings.highest.bitsPerSecond)
        self.isFinding = isFinding
    }

    // MARK: What is sent and heard

    mutating func sent(bytes size: Int, isVoice: Bool, at now: Instant) {
        if begun == nil { begun = now }
        bytes += size
        if isVoice { voiceBytes += size }
    }

    /// The receiver's estimate of what all its videos may take, in bits a second; `nil`: nothing is known any more.
    mutating func receive(estimate: Double?, at now: Instant) {
        self.estimate = estimate
        let known = estimate ?? 0
        if abs(known - constantEstimate) > Self.wavering * constantEstimate {
            constantEstimate = known
            constantSince = now
            isLimit = false
        }
        conclude(at: now)
    }

    /// - Parameters:
    ///   - loss: the share of a stream's packets that was lost since its last report.
    ///   - packets: how many were sent since then.
    mutating func receive(loss: Double, packets: Int, at now: Instant) {
        reported += Double(max(packets, 1))
        lost += Double(max(packets, 1)) * loss
        conclude(at: now)
    }

    mutating func receive(roundTrip sample: Duration, at now: Instant) {
        roundTrip = roundTrip.map { min($0, sample) } ?? sample
        if now >= shortestUntil {
            shortestUntil = now + Self.memory
            shortestBefore = shortest
            shortest = nil
        }
        shortest = shortest.map { min($0, sample) } ?? sample
    }

    // MARK: Conclusions

    private struct Observation: BitwiseCopyable {
        var seconds: Double
        /// Bits a second; videos apart.
        var sent: Double
        var videos: Double
        var loss: Double
        var isWaiting: Bool
    }

    private mutating func conclude(at now: Instant) {
        guard let begun else { return }
        let seconds = Double((now - begun).wholeNanoseconds) / 1e9
        guard seconds >= Self.longest || (seconds >= Self.interval && reported > 0) else { return }
        noteWaiting()
        let seen = Observation(
            seconds: seconds, sent: Double(bytes) * 8 / seconds,
            videos: Double(bytes - voiceBytes) * 8 / seconds,
            loss: reported > 0 ? lost / reported : 0, isWaiting: waits > 1)
        self.begun = now
        bytes = 0
        voiceBytes = 0
        reported = 0
        lost = 0
        roundTrip = nil
        judge(seen, at: now)
    }

    /// Notes whether packets wait on their way, longer than they did. A viewer that pauses once looks so once.
    private mutating func noteWaiting() {
        guard let roundTrip, let shortest else { return }
        let isLonger = roundTrip > min(shortest, shortestBefore ?? shortest) + Self.waiting
        waits = isLonger ? min(waits + 1, 2) : 0
    }

    private mutating func judge(_ seen: Observation, at now: Instant) {
        // What voices take comes on top of what the receiver says of videos.
        let bound = estimate.map { $0 + seen.sent - seen.videos }
        let isBelow = estimate.map { $0 < seen.videos } ?? false
        let isLosing = seen.loss > Self.severe
        let isSign = isLosing || (isBelow && (seen.isWaiting || seen.loss > Self.tolerance))
        let isConstant = isBelow && now - constantSince >= Self.constant
        guard isSign || isConstant else {
            if seen.loss <= Self.tolerance { grow(min(seen.seconds, 2), bound, at: now) }
            return
        }
        // What was lost before a cut, or waits because of that, is reported after it.
        if let cutAt, now - cutAt < Self.settling { return }
        cutAt = now
        // More was allowed than was sent: that says nothing about what the link carries.
        var cut = min(rate, seen.sent)
        if isLosing { cut *= 1 - 0.5 * seen.loss }
        if isBelow, let bound { cut = min(cut, bound) }
        rate = max(cut, lowest)
        isFinding = false
        if isConstant { isLimit = true }
        startHold(at: now)
    }

    private mutating func startHold(at now: Instant) {
        if let heldUntil, now >= heldUntil {
            // Soon after the last one: more was tried in vain.
            hold = now - heldUntil < .seconds(60) ? min(hold * 2, Self.longestHold) : Self.shortestHold
        }
        heldUntil = now + hold
    }

    private mutating func grow(_ seconds: Double, _ bound: Double?, at now: Instant) {
        var most = highest
        let isHeld = heldUntil.map { now < $0 } ?? false
        if let bound, isHeld || isLimit { most = min(max(bound, rate), highest) }
        let factor = isFinding ? Self.start : Self.increase
        rate = min(rate * (1 + (factor - 1) * seconds), most)
        if rate >= Self.enough { isFinding = false }
    }
}
