public import FixedCollections
public import Wire

/// What one viewer's link carries, estimated by the sender.
///
/// Google Congestion Control: the trend of the one-way delay against an adaptive threshold steers an additive-increase,
/// multiplicative-decrease rate (Carlucci, De Cicco, Holmer, Mascolo: "Congestion Control for Web Real-Time Communication",
/// IEEE/ACM ToN 2017; draft-ietf-rmcat-gcc-02), fed by transport-cc feedback
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01); a bound from loss (`LossModel`), and probes (`ProbeController`).
/// For clients without transport-cc: `ReceiverControl`.
///
/// Sans-IO: the caller
/// 1. tells what is sent (`packetSent`, at the send call), what comes back (`receive`), and what the viewer could use
///    (`setDemand`),
/// 2. calls `update` at `nextDeadline`,
/// 3. after each of these polls `pollProbe`, and reads `target` and `pacingRate`.
///
/// Nothing is allocated after `init`; a message costs O(packets that it reports on).
public struct BandwidthEstimator: ~Copyable {
    private let settings: BandwidthSettings
    private let usesTransportCC: Bool

    private var history: SendHistory
    private var clock = ArrivalClock()
    private var groups = ArrivalGroups()
    private var trend = Trendline()
    private var detector = OveruseDetector()
    private var queueing = QueueingDelay()
    private var acknowledged = RateMeter()
    private var rates: RateControl
    private var losses = LossBound()
    private var probes = ProbeController()
    private var appLimit = AppLimit()
    private var receiver: ReceiverControl

    private var roundTrip = Duration.milliseconds(100)
    // A second and two round trips.
    private var patience: Int64 = 1_200_000_000
    private var packetBits = 9_600.0
    // What was sent in the last moment in which something was.
    private var turn = Instant.zero
    private var turnBytes = 0
    private var lastFeedback: Instant?
    private var newestSent = Instant.zero
    // From sending to arrival, each on its own clock.
    private var lastWay: Int64?
    private var silentSince: Instant?
    // A cut that was made while little was sent, to be probed for.
    private var recovery: (rate: Double, until: Instant)?

    /// - Parameter isFinding: the link is still to be found.
    public init(
        _ settings: BandwidthSettings = BandwidthSettings(), usesTransportCC: Bool = true,
        isFinding: Bool = true
    ) {
        self.settings = settings
        self.usesTransportCC = usesTransportCC
        let start = Double(settings.start.bitsPerSecond)
        let lowest = Double(settings.lowest.bitsPerSecond)
        history = SendHistory(capacity: usesTransportCC ? settings.historyPackets : 64)
        rates = RateControl(start: start, lowest: lowest)
        rates.highest = Double(settings.highest.bitsPerSecond)
        receiver = ReceiverControl(start: start, settings, isFinding: isFinding)
        setTarget(at: .zero)
    }

    // MARK: Results

    /// Made anew when something was heard or time has passed: it is asked for with each packet.
    private var targetBits = 0.0
    private var sustainedBits = 0.0
    /// The link was full lately: what is sent faster than it carries waits in its queue.
    private var isTight = false

    private mutating func setTarget(at now: Instant) {
        let bound = losses.bound ?? .infinity
        targetBits = limited(usesTransportCC ? min(rates.target, bound) : receiver.rate)
        sustainedBits = limited(usesTransportCC ? min(rates.rate, bound) : receiver.rate)
        isTight = rates.decreasedAt.map { now - $0 < .seconds(10) } ?? false
    }

    private func limited(_ rate: Double) -> Double {
        min(max(rate, Double(settings.lowest.bitsPerSecond)), Double(settings.highest.bitsPerSecond))
    }

    /// What may be sent to the viewer, headers of RTP, UDP and IP included.
    public var target: Bitrate { Bitrate(bitsPerSecond: Int(targetBits)) }

    /// What may be given to layers: a queue that is being drained for a moment is no reason to give one up.
    public var sustained: Bitrate { Bitrate(bitsPerSecond: Int(max(targetBits, sustainedBits))) }

    /// How fast packets may leave one after the other.
    public var pacingRate: Bitrate {
        let factor = isTight ? settings.tightPacingFactor : settings.pacingFactor
        return Bitrate(bitsPerSecond: Int(targetBits * factor))
    }

    /// The link is still being found: its first probes aren't through (at most two seconds), or without transport-cc it was
    /// never full.
    public var isStarting: Bool { usesTransportCC ? probes.phase != .watching : receiver.isFinding }

    public var statistics: BandwidthStatistics {
        func bitrate(_ rate: Double) -> Bitrate { Bitrate(bitsPerSecond: Int(rate)) }
        return BandwidthStatistics(
            target: target, delayBased: bitrate(rates.rate), lossBased: losses.bound.map(bitrate),
            acknowledged: acknowledged.bitsPerSecond.map(bitrate), loss: losses.recentLoss,
            inherentLoss: losses.inherent, queueing: .nanoseconds(Int64(queueing.milliseconds * 1e6)),
            bytesInFlight: history.pendingBytes, isOverused: detector.signal == .overuse,
            isAppLimited: appLimit.isLimited)
    }

    // MARK: Sending

    /// Sets what the viewer could use if its link were perfect: nothing above it is probed for. 0: nothing is wanted.
    public mutating func setDemand(_ demand: Bitrate, at now: Instant) {
        guard usesTransportCC else { return }
        let highest = min(Double(demand.bitsPerSecond), Double(settings.highest.bitsPerSecond))
        probes.setDemand(highest, target: targetBits, at: now)
    }

    /// Whether there is padding to probe with: without it, a loss is always taken for one that comes from the rate.
    public var canProbe: Bool {
        get { losses.mayCheck }
        set { losses.mayCheck = newValue }
    }

    /// Takes down a packet in the moment in which it is sent.
    ///
    /// - Parameters:
    ///   - number: its transport-wide sequence number.
    ///   - bytes: its size on the link, UDP and IP headers included.
    public mutating func packetSent(_ number: SequenceNumber, bytes: Int, kind: PacketKind, at now: Instant) {
        guard usesTransportCC else {
            receiver.sent(bytes: bytes, isVoice: kind == .audio, at: now)
            return
        }
        let cluster = probes.sent(bytes: bytes)
        if now != turn { closeTurn(at: now) }
        turnBytes += bytes
        if kind == .video { packetBits += 0.01 * (Double(bytes) * 8 - packetBits) }
        history.append(number, bytes: bytes, kind: kind, cluster: cluster, at: now)
    }

    /// What was sent in one moment counts at once.
    private mutating func closeTurn(at now: Instant) {
        if turnBytes > 0 { appLimit.sent(bytes: turnBytes, target: targetBits, at: turn) }
        turn = now
        turnBytes = 0
    }

    /// A burst to send now, if the link shall be measured. Packets that are told to `packetSent` from now on are its packets,
    /// until its bytes are reached.
    public mutating func pollProbe(at now: Instant) -> ProbeCluster? { probes.poll(at: now) }

    // MARK: Time

    /// When `update` has something to do.
    public var nextDeadline: Instant {
        guard usesTransportCC else { return .distantFuture }
        return min(probes.deadline, silenceDeadline)
    }

    /// When no feedback will have come for too long: a second and two round trips after what isn't answered.
    private var silenceDeadline: Instant {
        guard let oldest = history.oldestPending else { return .distantFuture }
        let since = max(oldest, max(lastFeedback ?? oldest, silentSince ?? oldest))
        return Instant(nanoseconds: since.nanoseconds &+ patience)
    }

    /// Does what time has made due.
    public mutating func update(at now: Instant) {
        guard usesTransportCC else { return }
        if now >= silenceDeadline {
            silentSince = now
            recovery = (recovery?.rate ?? rates.rate, now + .seconds(20))
            rates.halve(at: now)
            history.expire(at: now)
            setTarget(at: now)
        }
        probes.update(target: targetBits, isSteady: isSteady, at: now)
    }

    private var isSteady: Bool {
        detector.signal == .normal && !rates.isDraining && queueing.milliseconds < 30
    }
}

// MARK: - Feedback

extension BandwidthEstimator {
    /// Sets the smoothed round-trip time that receiver reports tell, and the newest one that it was made of; `nil`: no report
    /// has come by that wasn't known.
    public mutating func setRoundTrip(_ roundTrip: Duration, newest: Duration?, at now: Instant) {
        self.roundTrip = min(max(roundTrip, .milliseconds(1)), .seconds(2))
        patience = 1_000_000_000 + 2 * self.roundTrip.wholeNanoseconds
        if !usesTransportCC, let newest { receiver.receive(roundTrip: newest, at: now) }
    }

    /// Takes in what a receiver thinks that its link carries (REMB); `nil`: it doesn't say so any more. With transport-cc it
    /// says nothing new, and is left.
    public mutating func receive(receiverEstimate: Bitrate?, at now: Instant) {
        receiver.receive(estimate: receiverEstimate.map { Double($0.bitsPerSecond) }, at: now)
        setTarget(at: now)
    }

    /// Takes in what a receiver report says about a stream of this viewer. Used without transport-cc only.
    ///
    /// - Parameter packets: how many were sent since the last report.
    public mutating func receive(_ block: ReportBlock, packets: Int, at now: Instant) {
        receiver.receive(loss: Double(block.fractionLost) / 256, packets: packets, at: now)
        setTarget(at: now)
    }

    /// Takes in transport-cc feedback; `packet` is the one that it was parsed from. What it says about packets that weren't
    /// sent is left.
    public mutating func receive(_ feedback: TransportFeedback, in packet: Span<UInt8>, at now: Instant) {
        guard usesTransportCC else { return }
        var feedback = feedback
        let reference = clock.reference(feedback.referenceTime)
        assumeUnreported(before: feedback.baseSequenceNumber)
        var newest: SequenceNumber?
        // No more statuses make sense than packets are remembered: a short message may claim 65,535.
        var left = history.capacity
        while left > 0, let status = feedback.next(in: packet) {
            left -= 1
            guard let index = history.index(of: status.sequenceNumber, at: now) else { continue }
            newest = status.sequenceNumber
            if status.isReceived {
                let arrival = reference.nanoseconds + Int64(status.arrivalTicks) * 250_000
                receive(index, arrival: Instant(nanoseconds: arrival))
            } else if history[index].fate == .pending {
                history.setFate(.lost, at: index)
                losses.add(sent: history[index].at, bytes: Int(history[index].bytes), isLost: true)
            }
        }
        guard let newest else { return }
        if let index = history.index(of: newest, at: now) { newestSent = history[index].at }
        history.settle(through: newest)
        lastFeedback = now
        conclude(at: now)
    }

    /// Packets whose report was lost most likely came as the others did: else what comes through would seem less than it is.
    private mutating func assumeUnreported(before number: SequenceNumber) {
        guard let way = lastWay else { return }
        history.forEachUnreported(before: number) { index in
            let arrival = Instant(nanoseconds: history[index].at.nanoseconds &+ way)
            acknowledged.add(Int(history[index].bytes), at: arrival)
        }
    }

    private mutating func receive(_ index: Int, arrival: Instant) {
        let packet = history[index]
        guard packet.fate != .received else { return }
        history.setFate(.received, at: index)
        let bytes = Int(packet.bytes)
        if packet.fate == .lost {
            losses.recover()
        } else {
            losses.add(sent: packet.at, bytes: bytes, isLost: false)
        }
        acknowledged.add(bytes, at: arrival)
        lastWay = arrival.nanoseconds &- packet.at.nanoseconds
        queueing.add(sent: packet.at, arrival: arrival)
        if packet.cluster != 0 {
            probes.received(cluster: packet.cluster, bytes: bytes, sent: packet.at, arrival: arrival)
        }
        guard let delta = groups.add(sent: packet.at, arrival: arrival) else { return }
        trend.add(delta)
        detector.update(trend, after: delta)
    }

    /// Draws the conclusions from a message that has been read.
    private mutating func conclude(at now: Instant) {
        losses.finish(rate: rates.rate)
        queueing.finish(isLosing: losses.hasSurplus, at: now)
        if let rate = losses.takeCheck() { probes.check(rate) }
        let before = rates.rate
        rates.update(detector.signal, input, at: now)
        let wasIdle = appLimit.isLimited || losses.sentLately < before * 0.66
        if rates.rate < before * 0.66, wasIdle { recovery = (before * 0.85, now + .seconds(5)) }
        let measured = probes.finish(at: now)
        if let measured { losses.probed(measured) }
        if let measured, detector.signal != .overuse {
            losses.lift(to: measured)
            if measured > rates.rate { rates.set(measured, at: now) }
        }
        // Not far above what loss allows: it would be tried at once when the bound is lifted.
        if let bound = losses.bound, rates.rate > bound * 1.2 { rates.set(bound * 1.2, at: now) }
        setTarget(at: now)
        recover(at: now)
        probes.update(target: targetBits, isSteady: isSteady, at: now)
    }

    private var input: RateInput {
        let through = acknowledged.bitsPerSecond.map { $0 / (1 - losses.inherent) }
        return RateInput(
            throughput: through, queueing: queueing.milliseconds / 1_000,
            roundTrip: Double(roundTrip.wholeNanoseconds) / 1e9, packet: packetBits, newestSent: newestSent,
            mayRaise: !losses.hasSurplus,
            // Less than the link carries can't have filled its queue; a detour looks like it once.
            isRising: queueing.isRising || losses.sentLately > 0.75 * targetBits)
    }

    private mutating func recover(at now: Instant) {
        guard let lost = recovery else { return }
        if now > lost.until || rates.rate >= lost.rate {
            recovery = nil
        } else if isSteady {
            probes.recover(lost.rate)
            recovery = nil
        }
    }
}
