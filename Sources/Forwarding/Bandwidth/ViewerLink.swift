import FixedCollections
import Wire

/// One viewer's link: what it carries, as the viewer's feedback tells, and how packets are spread over it.
struct ViewerLink: ~Copyable {
    /// What the estimate is made of.
    enum Mode: UInt8, BitwiseCopyable {
        /// Nothing has been heard yet: the estimate is a guess.
        case unheard
        case transportCC
        /// REMB and receiver reports.
        case receiver
        /// The viewer doesn't say what its link carries: it isn't limited.
        case silent
    }

    /// How long nothing is heard until another way is tried.
    private static var patience: Duration { .milliseconds(1_500) }
    /// How often seats are looked at, whatever happens.
    private static var allocationInterval: Duration { .milliseconds(500) }
    /// The same of a viewer whose link isn't known: it has limits at the most.
    private static var quietInterval: Duration { .seconds(1) }
    /// How long after a fall of the estimate its rises aren't trusted.
    private static var wariness: Duration { .seconds(10) }
    /// What a link carries of which nothing is known.
    private static var unknown: Bitrate { Bitrate(bitsPerSecond: 10_000_000_000) }

    private let settings: BandwidthSettings
    /// What was negotiated.
    let feedback: FeedbackOptions
    var estimator: BandwidthEstimator
    var pacer: Pacer
    var repairs: RetransmissionBudget
    var allocator = BandwidthAllocator()
    /// What waits for the pacer: first retransmissions, then the rest.
    var repairLine = PacedLine()
    var line = PacedLine()
    /// What padding is sent as; `nil`: the viewer takes none.
    var padding: (seat: SeatID, payloadType: PayloadType)? {
        didSet { estimator.canProbe = padding != nil }
    }

    private(set) var mode = Mode.unheard
    /// When the first packet left since something was heard.
    private var unansweredSince: Instant?
    private var estimates = ReceiverEstimates()
    private var pacedAt: Instant
    private var pacingRate: Bitrate

    /// When seats are to be looked at, and the estimate when they were last.
    var allocateAt = Instant.distantFuture
    private var allocated: (target: Int, isStarting: Bool) = (0, false)
    /// When the estimate was last seen to have fallen.
    private var fellAt = Instant(nanoseconds: .min / 2)

    /// - Parameter feedback: how the viewer says what its link carries: transport-cc, REMB, or not at all.
    init(_ feedback: FeedbackOptions, _ settings: BandwidthSettings = BandwidthSettings(), at now: Instant) {
        self.settings = settings
        self.feedback = feedback
        if feedback.isDisjoint(with: [.transportCC, .remb]) { mode = .silent }
        estimator = BandwidthEstimator(settings, usesTransportCC: feedback.contains(.transportCC))
        pacingRate = estimator.pacingRate
        pacer = Pacer(rate: pacingRate, at: now)
        pacedAt = now
        repairs = RetransmissionBudget(target: settings.start, at: now)
    }

    /// What may be sent to the viewer, headers of RTP, UDP and IP included.
    var target: Bitrate { mode == .silent ? Self.unknown : estimator.target }

    /// What of it layers may have.
    private var sustained: Bitrate { mode == .silent ? Self.unknown : estimator.sustained }

    /// The link is still being found.
    var isStarting: Bool { mode == .unheard || (mode != .silent && estimator.isStarting) }

    var waitingBytes: Int { repairLine.bytes + line.bytes }
    var isWaiting: Bool { !line.isEmpty || !repairLine.isEmpty }

    // MARK: Sending

    /// Nothing is held back, and nothing waits.
    var passesAll: Bool { mode == .silent && !isWaiting }

    /// Whether a packet may leave at once; if so, it is charged. What may not waits in its line.
    mutating func passes(_ kind: PacketKind, bytes: Int, at now: Instant) -> Bool {
        if passesAll { return true }
        if now != pacedAt { advancePacer(to: now) }
        let mustWait = kind != .audio && (isWaiting || !pacer.allows(kind))
        guard !mustWait else { return false }
        pacer.sent(bytes: bytes)
        return true
    }

    /// Whether the first packet of a line may leave now; if so, it is charged.
    mutating func releases(_ kind: PacketKind, bytes: Int) -> Bool {
        guard pacer.allows(kind) else { return false }
        pacer.sent(bytes: bytes)
        return true
    }

    mutating func advancePacer(to now: Instant) {
        pacedAt = now
        pacer.update(rate: pacingRate, queued: waitingBytes, at: now)
    }

    /// Takes down a packet at its send call.
    mutating func packetSent(_ number: SequenceNumber, bytes: Int, kind: PacketKind, at now: Instant) {
        if mode == .silent { return }
        if unansweredSince == nil { unansweredSince = now }
        estimator.packetSent(number, bytes: bytes, kind: kind, at: now)
    }

    // MARK: Feedback

    mutating func receive(_ feedback: TransportFeedback, in packet: Span<UInt8>, at now: Instant) {
        guard self.feedback.contains(.transportCC) else { return }
        unansweredSince = nil
        if mode != .transportCC { turn(to: .transportCC) }
        estimator.receive(feedback, in: packet, at: now)
    }

    mutating func receive(_ estimate: ReceiverEstimate, in packet: Span<UInt8>, at now: Instant) {
        guard feedback.contains(.remb) else { return }
        estimates.add(estimate, in: packet, at: now)
        let isAwaited = mode == .unheard && !feedback.contains(.transportCC)
        if mode == .silent || isAwaited { turn(to: .receiver) }
        hearEstimates(at: now)
    }

    /// - Parameter packets: how many were sent since the last report.
    mutating func receive(_ block: ReportBlock, packets: Int, at now: Instant) {
        // It says that packets come.
        if mode == .unheard, feedback == .remb { turn(to: .receiver) }
        guard mode == .receiver else { return }
        hearEstimates(at: now)
        estimator.receive(block, packets: packets, at: now)
    }

    private mutating func hearEstimates(at now: Instant) {
        guard mode == .receiver else { return }
        let sum = estimates.sum(at: now)
        estimator.receive(receiverEstimate: sum.map { Bitrate(bitsPerSecond: Int(min($0, 1e12))) }, at: now)
    }

    /// Makes the estimate of something else from now on.
    private mutating func turn(to mode: Mode) {
        let before = self.mode
        self.mode = mode
        // What it began with counts on.
        let isSame = (mode == .transportCC) == feedback.contains(.transportCC)
        if mode == .silent || (before == .unheard && isSame) { return }
        var settings = settings
        // All that was wanted was sent, or as much as was found: nothing else is known yet.
        if before == .silent { settings.start = settings.highest }
        if before == .transportCC { settings.start = estimator.target }
        estimator = BandwidthEstimator(
            settings, usesTransportCC: mode == .transportCC, isFinding: before == .unheard)
        estimator.canProbe = padding != nil
    }

    /// Looks for another way when nothing is heard.
    private mutating func checkFeedback(at now: Instant) {
        guard mode == .unheard || mode == .transportCC, let unansweredSince,
            now >= unansweredSince + Self.patience
        else { return }
        if estimates.sum(at: now) != nil {
            turn(to: .receiver)
            hearEstimates(at: now)
        } else if mode == .unheard {
            turn(to: .silent)
        }
    }

    // MARK: Time

    /// When `update` has something to do.
    var nextDeadline: Instant {
        var deadline = min(allocateAt, mode == .silent ? .distantFuture : estimator.nextDeadline)
        if isWaiting || pacer.paddingWanted > 0 || pacer.isProbing {
            deadline = min(deadline, pacer.nextSend)
        }
        return deadline
    }

    /// Does what time and feedback have made due; then looks whether a probe begins.
    mutating func update(at now: Instant) {
        checkFeedback(at: now)
        if mode != .silent {
            if now >= estimator.nextDeadline { estimator.update(at: now) }
            // Without padding there is nothing to probe with.
            if let cluster = estimator.pollProbe(at: now), padding != nil,
                cluster.isCheck || cluster.bitrate > target
            {
                pacer.begin(cluster)
            }
        }
        pacingRate = mode == .silent ? Self.unknown : estimator.pacingRate
        repairs.setTarget(target, at: now)
        advancePacer(to: now)
        if hasMoved { allocateAt = min(allocateAt, now) }
    }

    /// Whether the estimate is another one than seats were given their layers by.
    private var hasMoved: Bool {
        let target = sustained.bitsPerSecond
        let change = abs(target - allocated.target)
        return allocated.isStarting != isStarting || change * 20 > allocated.target
    }

    /// Gives the estimate to the allocator.
    ///
    /// A rise that only a probe can have brought is believed at once, unless the link fell lately: it was found to carry
    /// more, which isn't the wavering that layers are to be spared of.
    mutating func informAllocator(at now: Instant) {
        let target = sustained.bitsPerSecond
        if target < allocated.target / 100 * 85 { fellAt = now }
        let isFound = target > allocated.target / 10 * 13 && now - fellAt > Self.wariness
        allocator.update(estimate: sustained, isStarting: isStarting || isFound, at: now)
    }

    mutating func noteAllocation(at now: Instant) {
        allocated = (sustained.bitsPerSecond, isStarting)
        allocateAt = now + (mode == .silent ? Self.quietInterval : Self.allocationInterval)
    }
}
