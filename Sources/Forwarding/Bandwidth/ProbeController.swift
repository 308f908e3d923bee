import FixedCollections
import Wire

/// Decides when to measure the link, and how far above the estimate.
///
/// At the start with three and six times the first rate, then twice as much as was measured, as long as the link keeps up:
/// the link is found in the first two seconds. Later every five seconds while the viewer could use more than is estimated,
/// at once when it begins to, and after a cut that was made while little was being sent.
struct ProbeController: BitwiseCopyable {
    private static var interval: Duration { .seconds(5) }
    private static var patience: Duration { .seconds(1) }
    private static var startLasts: Duration { .seconds(2) }
    /// Seconds of a cluster, and its least size.
    private static var length: Double { 0.02 }
    private static var longLength: Double { 0.06 }
    private static var leastBytes: Int { 5_000 }
    private static var leastPackets: Int { 5 }
    /// What is given out has to fit with some room (`BandwidthAllocator`): so much more than is wanted has to be found.
    private static var margin: Double { 1.15 }
    /// How far above what is wanted probes go.
    private static var most: Double { 1.25 }
    /// A share of the cluster's rate that says that the link may carry more.
    private static var success: Double { 0.7 }

    enum Phase: UInt8, BitwiseCopyable { case waiting, starting, watching }

    private(set) var phase = Phase.waiting
    /// What has to be found for what the viewer could use, in bits a second.
    private(set) var demand = 0.0
    private var startedAt = Instant.zero
    private var retries = 0
    // Jitter stretches a short burst: a second look at the same is longer.
    private var isSecondLook = false
    private var nextPeriodic = Instant.distantFuture
    private var lastProbe: Instant?
    // Rates to probe, the next one first; 0 for none.
    private var requests = InlineArray<2, Double>(repeating: 0)
    /// A rate to check, before the others; 0 for none.
    private var checked = 0.0
    // The cluster that is being sent.
    private var active: ProbeCluster?
    private var activeSince = Instant.zero
    private var bytesLeft = 0
    private var packetsLeft = 0
    private var lastID: UInt16 = 0
    private var measurements = InlineArray<4, ProbeMeasurement?>(repeating: nil)
    /// The last cluster's result is awaited.
    private var isMeasuring = false

    /// The rate above which nothing needs to be found.
    private var ceiling: Double { demand * (Self.most / Self.margin) }

    mutating func setDemand(_ rate: Double, target: Double, at now: Instant) {
        let wanted = rate * Self.margin
        let grows = wanted > demand
        demand = wanted
        guard phase == .watching, grows, target < wanted else { return }
        nextPeriodic = min(nextPeriodic, max(now, (lastProbe ?? now) + .seconds(1)))
    }

    // MARK: Time

    /// When `update` has something to do.
    @inline(__always)
    var deadline: Instant {
        if active != nil { return activeSince + Self.patience }
        if requests[0] > 0 || checked > 0 { return .zero }
        switch phase {
        case .waiting: return demand > 0 ? .zero : .distantFuture
        case .starting: return min(startedAt + Self.startLasts, unansweredAt)
        case .watching: return demand > 0 ? min(nextPeriodic, unansweredAt) : .distantFuture
        }
    }

    /// - Parameter isSteady: no queue stands and none grows.
    mutating func update(target: Double, isSteady: Bool, at now: Instant) {
        if active != nil, now >= activeSince + Self.patience { active = nil }
        if now >= unansweredAt { retry(target: target, at: now) }
        switch phase {
        case .waiting:
            guard demand > 0 else { return }
            phase = .starting
            startedAt = now
            request(min(3 * target, ceiling))
            if 6 * target < ceiling { request(6 * target) }
        case .starting:
            if now >= startedAt + Self.startLasts { watch(at: now) }
        case .watching:
            guard now >= nextPeriodic else { return }
            // Looked at again soon: a queue drains within seconds.
            nextPeriodic = now + (isSteady ? Self.interval : .milliseconds(500))
            if isSteady, target < demand { request(min(2 * target, ceiling)) }
        }
    }

    /// When the last probe's feedback is missed.
    @inline(__always)
    private var unansweredAt: Instant {
        guard active == nil, requests[0] == 0, checked == 0, isMeasuring, let lastProbe else {
            return .distantFuture
        }
        return lastProbe + Self.patience
    }

    /// The last probe, or what was said about it, was lost.
    private mutating func retry(target: Double, at now: Instant) {
        let wasCheck = measurements.span[Int(lastID) % 4]?.isCheck ?? false
        measurements[Int(lastID) % 4]?.isFinished = true
        isMeasuring = false
        // Whoever wanted it asks again.
        if wasCheck, phase != .starting { return }
        if retries < 3, target < demand {
            retries += 1
            request(min(2 * target, ceiling))
        } else if phase == .starting {
            watch(at: now)
        }
    }

    private mutating func watch(at now: Instant) {
        phase = .watching
        nextPeriodic = now + Self.interval
    }

    private mutating func request(_ rate: Double) {
        if requests[0] == 0 { requests[0] = rate } else { requests[1] = rate }
    }

    /// Probes for a rate that was lost when the link may still carry it.
    mutating func recover(_ rate: Double) {
        if phase == .watching, requests[0] == 0, active == nil { request(min(rate, ceiling)) }
    }

    /// Probes for whether the link carries more than is sent, whatever the viewer could use.
    mutating func check(_ rate: Double) { checked = rate }

    // MARK: Sending

    /// The cluster that shall be sent now, if there is one.
    mutating func poll(at now: Instant) -> ProbeCluster? {
        guard active == nil, requests[0] > 0 || checked > 0 else { return nil }
        let isCheck = checked > 0
        let rate = isCheck ? checked : requests[0]
        if isCheck {
            checked = 0
        } else {
            requests[0] = requests[1]
            requests[1] = 0
        }
        lastID = lastID == .max ? 1 : lastID + 1
        let length = isCheck || isSecondLook ? Self.longLength : Self.length
        if !isCheck { isSecondLook = false }
        let cluster = ProbeCluster(
            id: lastID, bitrate: Bitrate(bitsPerSecond: Int(rate)),
            bytes: max(Int(rate * length / 8), Self.leastBytes), packets: Self.leastPackets, isCheck: isCheck)
        active = cluster
        activeSince = now
        lastProbe = now
        bytesLeft = cluster.bytes
        packetsLeft = cluster.packets
        measurements[Int(lastID) % 4] = ProbeMeasurement(cluster)
        isMeasuring = true
        return cluster
    }

    /// A packet is sent.
    ///
    /// - Returns: the cluster that it belongs to; 0 for none.
    mutating func sent(bytes: Int) -> UInt16 {
        guard let cluster = active else { return 0 }
        bytesLeft -= bytes
        packetsLeft -= 1
        if bytesLeft <= 0, packetsLeft <= 0 { active = nil }
        return cluster.id
    }

    // MARK: Results

    mutating func received(cluster: UInt16, bytes: Int, sent: Instant, arrival: Instant) {
        let slot = Int(cluster) % 4
        guard measurements.span[slot]?.id == cluster else { return }
        measurements[slot]?.add(bytes: bytes, sent: sent, arrival: arrival)
    }

    /// A feedback message has been read.
    ///
    /// - Returns: the highest of the rates that it completed the measurement of.
    mutating func finish(at now: Instant) -> Double? {
        var highest: Double?
        for slot in 0..<4 {
            guard let measurement = measurements.span[slot], !measurement.isFinished,
                active?.id != measurement.id, let result = measurement.result
            else { continue }
            measurements[slot]?.isFinished = true
            if slot == Int(lastID) % 4 { isMeasuring = false }
            highest = max(highest ?? 0, result)
            if measurement.isCheck { continue }
            goOn(after: measurement.rate, result)
        }
        if let highest, phase == .starting, requests[0] == 0, active == nil, !isMeasuring {
            if retries < 2, now < startedAt + .milliseconds(1_500), 2 * highest < ceiling {
                retries += 1
                isSecondLook = true
                request(2 * highest)
            } else {
                watch(at: now)
            }
        }
        return highest
    }

    private mutating func goOn(after rate: Double, _ result: Double) {
        let next = min(2 * result, ceiling)
        guard result >= Self.success * rate, next > 1.1 * rate, requests[0] < next, active == nil else {
            return
        }
        // One after the other: what the first measures tells whether the second makes sense.
        guard requests[0] == 0, !isMeasuring else { return }
        request(next)
    }
}
