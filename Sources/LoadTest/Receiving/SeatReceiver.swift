import FixedCollections
import Wire

/// One seat's media as a client receives it: numbers, repair, pictures, and what its reports say.
struct SeatReceiver {
    let mid: String
    let isVideo: Bool
    let ssrc: SSRC
    let rtxSSRC: SSRC?
    private let clockRate: Int
    private(set) var sequence: SequenceTracker
    private(set) var frames: FrameTracker?
    private(set) var hasReceived = false
    /// The publication whose media came last, and when its first packet came.
    private(set) var publication: UInt32?
    private var seatedAt = Instant.zero
    /// Whose picture was last shown, since it has the seat.
    private(set) var shown: Int?
    /// Somebody else has the seat, and nothing of it was shown yet.
    private var isSwitching = false
    private var layers = LayerWatch()
    private var voice = VoiceGaps()
    var occupancy = SeatOccupancy()
    private var jitter = 0.0
    private var lastTransit: Int64?
    private var received: Int64 = 0
    private var reported: (expected: Int64, received: Int64) = (0, 0)
    private var senderReport: (middle: UInt32, at: Instant)?
    /// Ask for a key frame at the next opportunity.
    var wantsKeyFrame = false

    init(mid: String, isVideo: Bool, ssrc: SSRC, rtxSSRC: SSRC?, clockRate: Int) {
        self.mid = mid
        self.isVideo = isVideo
        self.ssrc = ssrc
        self.rtxSSRC = rtxSSRC
        self.clockRate = clockRate
        sequence = SequenceTracker(asks: rtxSSRC != nil)
        frames = isVideo ? FrameTracker() : nil
    }

    /// Whether the next packet must be opened, whatever the sample.
    var needsPayload: Bool { frames?.needsPayload ?? !hasReceived }

    /// One packet, as it came or restored from a retransmission.
    struct Packet {
        var sequence: SequenceNumber
        var timestamp: RTPTimestamp
        var marker: Bool
        /// Nil if it wasn't opened.
        var content: PacketContent?
        var stamp: Stamp?
        var isRetransmission: Bool
    }

    /// What a packet brought about that its participant must know.
    struct Effect {
        var isFirst = false
        var isFirstFrame = false
        /// Whose first picture was shown in a seat that somebody else had before.
        var shownAnew: Int?
    }

    mutating func receive(_ packet: Packet, now: Instant, totals: inout Totals) -> Effect {
        let number = sequence.extended(packet.sequence)
        var effect = Effect()
        var isNewest = false
        let arrival = sequence.arrived(number, now: now)
        totals.expected += sequence.takeDecided()
        switch arrival {
        case .duplicate:
            totals.duplicates += 1
            return effect
        case .outside:
            return effect
        case .newest(let skipped):
            isNewest = true
            if !isVideo { totals.audioGaps += voice.took(packet.timestamp, skipped: skipped, now: now) }
        case .late:
            voice.filled()
            if !packet.isRetransmission { totals.reordered += 1 }
        }
        if packet.isRetransmission { totals.repaired += 1 } else { totals.original += 1 }
        received += 1
        effect.isFirst = !hasReceived
        hasReceived = true
        note(packet.stamp, packet, isNewest: isNewest, now: now, totals: &totals)
        guard isVideo else { return effect }
        // Optional chaining would copy the tracker.
        let progress = frames?.insert(number, marker: packet.marker, content: packet.content, now: now)
        if let progress {
            effect.isFirstFrame = apply(progress, &totals)
            if progress.shown > 0 { shown = publication.map { Int($0 >> 3) } }
            if isSwitching, progress.shown > 0 {
                isSwitching = false
                effect.shownAnew = publication.map { Int($0 >> 3) }
            }
        }
        return effect
    }

    /// What time brings about: gaps given up, key frames asked for again.
    mutating func handleTimeout(now: Instant, totals: inout Totals) {
        guard hasReceived, let progress = frames?.handleTimeout(now: now) else { return }
        _ = apply(progress, &totals)
    }

    /// Variation of the delay, as RFC 3550 smooths it.
    var currentJitter: Duration { .nanoseconds(Int64(jitter * 1e9 / Double(clockRate))) }

    /// Takes out the numbers to ask for again.
    mutating func takeMissing(now: Instant, into numbers: inout [SequenceNumber]) {
        sequence.takeDue(now: now, into: &numbers)
    }

    mutating func take(_ report: SenderReport, now: Instant) {
        senderReport = (report.ntpTime.middle, now)
    }

    /// The report about this stream since the last one (RFC 3550 section 6.4.1); nil if nothing ever came.
    mutating func report(now: Instant) -> ReportBlock? {
        guard let highest = sequence.highest else { return nil }
        let expected = highest - sequence.first + 1
        let (newlyExpected, newlyReceived) = (expected - reported.expected, received - reported.received)
        reported = (expected, received)
        let lost = max(0, newlyExpected - newlyReceived)
        return ReportBlock(
            ssrc: ssrc, fractionLost: newlyExpected > 0 ? UInt8(min(255, lost * 256 / newlyExpected)) : 0,
            cumulativeLost: Int32(clamping: expected - received),
            highestSequenceNumber: UInt32(truncatingIfNeeded: highest), jitter: UInt32(jitter),
            lastSenderReport: senderReport?.middle ?? 0,
            delaySinceLastSenderReport: senderReport.map { NTPTime.compact(now - $0.at) } ?? 0)
    }

    private mutating func note(
        _ stamp: Stamp?, _ packet: Packet, isNewest: Bool, now: Instant, totals: inout Totals
    ) {
        if let stamp {
            if publication != stamp.publication { sit(stamp, isNewest: isNewest, now: now, totals: &totals) }
            if isVideo, stamp.packet == 0 {
                totals.layers.count(stamp)
                if layers.note(stamp) { totals.layerSwitches += 1 }
            }
            if occupancy.isWrong(stamp.sender, now: now) { totals.wrongSeats += 1 }
            let delay = (now - stamp.sentAt).wholeNanoseconds
            if stamp.sentAt < seatedAt {
                // From before the publication was seated: out of the server's cache, as old as it has to be.
                totals.fromCache += 1
            } else if packet.isRetransmission {
                totals.repairDelay.record(nanoseconds: delay)
            } else if isVideo {
                totals.videoDelay.record(nanoseconds: delay)
            } else {
                totals.audioDelay.record(nanoseconds: delay)
            }
        }
        guard !packet.isRetransmission else { return }
        // RFC 3550 section A.8.
        let arrival = now.nanoseconds / 1_000 * Int64(clockRate) / 1_000_000
        let transit = Int64(Int32(truncatingIfNeeded: arrival &- Int64(packet.timestamp.rawValue)))
        if let lastTransit {
            let change = abs(Int64(Int32(truncatingIfNeeded: transit &- lastTransit)))
            if change < Int64(clockRate) { jitter += (Double(change) - jitter) / 16 }
        }
        lastTransit = transit
    }

    /// Another publication than before has the seat.
    private mutating func sit(_ stamp: Stamp, isNewest: Bool, now: Instant, totals: inout Totals) {
        defer {
            publication = stamp.publication
            seatedAt = now
            layers = LayerWatch()
        }
        guard let publication else { return }
        guard Int(publication >> 3) != stamp.sender else {
            totals.layerSwitches += 1
            return
        }
        totals.seatSwitches += 1
        isSwitching = true
        shown = nil
        // What is late tells nothing of how the other one began.
        frames?.reset(isKey: stamp.isKey || !isNewest)
    }

    /// Counts; whether the first picture was shown.
    private mutating func apply(_ progress: FrameTracker.Progress, _ totals: inout Totals) -> Bool {
        totals.framesReceived += UInt64(progress.shown)
        totals.framesLost += UInt64(progress.lost)
        totals.freezes += UInt64(progress.freezes)
        totals.frozenNanoseconds += UInt64(progress.frozen.wholeNanoseconds)
        if progress.wantsKeyFrame { wantsKeyFrame = true }
        return progress.firstFrame
    }
}
