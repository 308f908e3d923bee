import FixedCollections
import Wire

/// What arrives at a viewer on one seat: what is missing, and the frames that are whole.
final class SeatReceiver {
    struct Frame {
        var count: UInt8
        var received: Set<UInt8> = []
        var isKey: Bool
        var timestamp: RTPTimestamp
        var picture: UInt16?
        var tl0: UInt8?
        var isWhole: Bool { received.count == Int(count) }
    }

    struct Missing {
        var since: Instant
        var asked: Instant?
        var tries = 0
    }

    let ssrc: SSRC
    let rtxSSRC: SSRC?
    let isVideo: Bool
    private(set) var frames: [UInt32: Frame] = [:]
    private(set) var firstKeyFrameAt: Instant?
    private(set) var packets = 0
    private(set) var repaired = 0
    private(set) var lastArrival: Instant?
    /// When each frame was whole.
    private(set) var wholeAt: [(frame: UInt32, at: Instant)] = []
    private var highest: Int64 = -1
    private var received: Set<Int64> = []
    private var missing: [Int64: Missing] = [:]
    var asks = true

    /// From sender reports: the mapping, and for the reports back.
    private(set) var ntp: NTPTime?
    private(set) var timestamp = RTPTimestamp(0)
    private var reportedAt = Instant.zero
    private(set) var reports = 0
    /// Whether its reports say what was lost, repaired or not.
    var reportsLoss = false
    private var originals = 0
    private var reported = (highest: Int64(-1), originals: 0)

    init(ssrc: SSRC, rtxSSRC: SSRC?, isVideo: Bool) {
        self.ssrc = ssrc
        self.rtxSSRC = rtxSSRC
        self.isVideo = isVideo
    }

    func receive(_ packet: ReadPacket, at now: Instant) {
        let number = packet.original ?? packet.header.sequenceNumber
        let extended = place(number, at: now)
        missing[extended] = nil
        guard received.insert(extended).inserted else { return }
        received.remove(extended - 5_000)
        packets += 1
        if packet.original != nil { repaired += 1 } else { originals += 1 }
        lastArrival = now
        note(packet, at: now)
    }

    private func place(_ number: SequenceNumber, at now: Instant) -> Int64 {
        guard highest >= 0 else {
            highest = Int64(number.rawValue) + 65_536
            return highest
        }
        let distance = number.distance(from: SequenceNumber(UInt16(truncatingIfNeeded: highest)))
        let extended = highest + Int64(distance)
        if distance > 0 {
            for skipped in (highest + 1)..<max(highest + 1, extended) {
                missing[skipped] = Missing(since: now)
            }
            highest = extended
        }
        return extended
    }

    private func note(_ packet: ReadPacket, at now: Instant) {
        var frame =
            frames[packet.mark.frame]
            ?? Frame(
                count: packet.mark.count, isKey: false, timestamp: packet.header.timestamp,
                picture: packet.descriptor?.pictureID, tl0: packet.descriptor?.tl0PictureIndex)
        let wasWhole = frame.isWhole
        frame.received.insert(packet.mark.index)
        if frame.isWhole, !wasWhole { wholeAt.append((packet.mark.frame, now)) }
        if packet.isKeyFrame { frame.isKey = true }
        frames[packet.mark.frame] = frame
        if firstKeyFrameAt == nil, frame.isWhole, frame.isKey || !isVideo { firstKeyFrameAt = now }
    }

    func receive(_ report: SenderReport, at now: Instant) {
        ntp = report.ntpTime
        timestamp = report.rtpTimestamp
        reportedAt = now
        reports += 1
    }

    /// What is to be asked for now: after 10 ms, again after 100 ms, ten times.
    func takeMissing(at now: Instant) -> [SequenceNumber] {
        guard asks, rtxSSRC != nil else { return [] }
        var due: [Int64] = []
        for (number, entry) in missing {
            guard entry.tries < 10 else {
                missing[number] = nil
                continue
            }
            let at = entry.asked.map { $0 + .milliseconds(100) } ?? entry.since + .milliseconds(10)
            if now >= at { due.append(number) }
        }
        due.sort()
        for number in due {
            missing[number]?.asked = now
            missing[number]?.tries += 1
        }
        return due.map { SequenceNumber(UInt16(truncatingIfNeeded: $0)) }
    }

    func reportBlock(at now: Instant) -> ReportBlock {
        var block = ReportBlock(
            ssrc: ssrc, highestSequenceNumber: UInt32(truncatingIfNeeded: max(0, highest)))
        if let ntp {
            block.lastSenderReport = ntp.middle
            block.delaySinceLastSenderReport = NTPTime.compact(now - reportedAt)
        }
        if reportsLoss { block.fractionLost = takeFractionLost() }
        return block
    }

    private func takeFractionLost() -> UInt8 {
        defer { reported = (highest, originals) }
        let expected = Int(highest - reported.highest)
        guard reported.highest >= 0, expected > 0 else { return 0 }
        return UInt8(clamping: max(0, expected - (originals - reported.originals)) * 256 / expected)
    }

    /// The source's time at which a timestamp of this seat was taken, by the last report.
    func time(of timestamp: RTPTimestamp) -> Duration? {
        guard let ntp else { return nil }
        let rate: Int64 = isVideo ? 90_000 : 48_000
        let ticks = Int64(timestamp.distance(from: self.timestamp))
        return ntp.elapsed(since: NTPTime(rawValue: 0)) + .nanoseconds(ticks * 1_000_000 / rate * 1_000)
    }
}
