import FixedCollections
import TestSupport
import Wire

@testable import Forwarding

/// One stream of a publisher: frames on its own clock, and the packets it may be asked for again.
final class SimulatedSender {
    let source: Source
    let mid: ShortID
    let rid: ShortID?
    var ssrc: SSRC
    let rtxSSRC: SSRC
    var sequence: UInt16
    var timestampBase: UInt32
    /// How much faster than true its clock runs.
    var drift = 0.0
    /// How much faster than its clock its timestamps run, as a sound card's do.
    var skew = 0.0
    /// Bytes of a packet, and packets of a frame.
    var packetLength = 60
    var packetsAFrame = 3
    var packetsAKeyFrame = 8
    var isRunning = true
    /// Whether packets name their m-line; the SSRC is known by then otherwise.
    var namesMid = true
    var wantsKeyFrame = true
    /// How loud it is, 0 to 127, packet by packet and from the start again; empty: the same all along.
    var loudness: [UInt8] = []

    private(set) var frames: [UInt32] = []
    /// When each was.
    private(set) var takenAt: [UInt32: Instant] = [:]
    private(set) var keyFrames = 0
    private var history: [UInt16: [UInt8]] = [:]
    private var rtxSequence: UInt16 = 65_530
    private var picture: UInt16
    private var tl0: UInt8 = 250
    private var keyIndex: UInt8 = 30

    /// Key frames that it was asked for, by when it was.
    var refreshes: [Instant] = []
    var report: ReportBlock?

    init(
        _ source: Source, mid: ShortID, rid: ShortID? = nil, ssrc: UInt32, sequence: UInt16 = 65_500,
        timestamp: UInt32 = .max - 100_000, picture: UInt16 = 32_760
    ) {
        self.source = source
        self.mid = mid
        self.rid = rid
        self.ssrc = SSRC(ssrc)
        rtxSSRC = SSRC(ssrc + 1)
        self.sequence = sequence
        timestampBase = timestamp
        self.picture = picture
    }

    var isVideo: Bool { source.isVideo }
    var interval: Duration { isVideo ? .nanoseconds(33_333_333) : .milliseconds(20) }

    /// The sender's own time.
    func clock(at now: Instant) -> Duration {
        .nanoseconds(Int64(Double(now.nanoseconds) * (1 + drift)))
    }

    func timestamp(at now: Instant) -> RTPTimestamp {
        let rate: Int64 = isVideo ? 90_000 : 48_000
        let ticks = clock(at: now).wholeNanoseconds / 1_000 * rate / 1_000_000
        let skewed = ticks + Int64(Double(ticks) * skew)
        return RTPTimestamp(timestampBase &+ UInt32(truncatingIfNeeded: skewed))
    }

    /// The next frame's packets.
    func nextFrame(at now: Instant, ids: inout IDs, transport: inout UInt16) throws -> [[UInt8]] {
        let isKey = isVideo && wantsKeyFrame
        wantsKeyFrame = false
        let count = isVideo ? (isKey ? packetsAKeyFrame : packetsAFrame) : 1
        let frame = ids.nextFrame()
        frames.append(frame)
        takenAt[frame] = now
        if isKey { keyFrames += 1 }
        advancePicture(isKey: isKey)
        return try (0..<count).map { index in
            let mark = Mark(
                id: ids.nextPacket(), frame: frame, index: UInt8(index), count: UInt8(count))
            let bytes = try packet(mark, isKey: isKey, at: now, transport: transport)
            transport &+= 1
            history[sequence] = bytes
            history[sequence &- 1_000] = nil
            sequence &+= 1
            return bytes
        }
    }

    private var level: UInt8 { loudness.isEmpty ? 30 : 127 - loudness[frames.count % loudness.count] }

    private func advancePicture(isKey: Bool) {
        guard isVideo else { return }
        picture = (picture + 1) & 0x7fff
        tl0 &+= 1
        if isKey { keyIndex = (keyIndex + 1) & 31 }
    }

    private func packet(_ mark: Mark, isKey: Bool, at now: Instant, transport: UInt16) throws -> [UInt8] {
        var payload: [UInt8]
        if isVideo {
            payload = vp8Descriptor(starts: mark.index == 0, picture: picture, tl0: tl0, key: keyIndex)
            payload.append(isKey ? 0x10 : 0x11)
        } else {
            payload = [0x78]
        }
        payload += mark.bytes
        payload += [UInt8](repeating: 0xab, count: max(0, packetLength - payload.count))
        let fields = RTPFields(
            marker: mark.index + 1 == mark.count, payloadType: isVideo ? Negotiated.vp8 : Negotiated.opus,
            sequenceNumber: SequenceNumber(sequence), timestamp: timestamp(at: now), ssrc: ssrc)
        return try PacketPlan(
            fields: fields, mid: namesMid ? mid : nil, rid: namesMid ? rid : nil,
            transportSequence: transport,
            audioLevel: isVideo ? nil : level, payload: payload
        ).bytes
    }

    /// A packet again under the retransmission SSRC; audio under its own, as it was.
    func retransmission(of number: SequenceNumber, transport: inout UInt16) throws -> [UInt8]? {
        guard let original = history[number.rawValue], isVideo else { return nil }
        let header = try RTPHeader.parse(original.span)
        var fields = header.fields
        fields.payloadType = Negotiated.vp8RTX
        fields.ssrc = rtxSSRC
        fields.sequenceNumber = SequenceNumber(rtxSequence)
        rtxSequence &+= 1
        let plan = PacketPlan(
            fields: fields, mid: mid, rid: rid, isRepair: true, transportSequence: transport,
            payload: number.rawValue.bytes + original[header.payloadRange])
        transport &+= 1
        return try plan.bytes
    }

    /// A sender report with its clock's time.
    func senderReport(at now: Instant) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        var span = bytes.mutableSpan
        let report = SenderReport(
            ssrc: ssrc, ntpTime: NTPTime(sinceUnixEpoch: .seconds(1_600_000_000) + clock(at: now)),
            rtpTimestamp: timestamp(at: now), packetCount: 0, octetCount: 0)
        let length = try report.write(blocks: Span<ReportBlock>(), into: &span, at: 0)
        return Array(bytes[..<length])
    }

    /// Starts over, as after a crash: other numbers, other timestamps.
    func restart(using generator: inout SeededGenerator) {
        sequence = sequence &+ 10_000 &+ UInt16(generator.below(40_000))
        timestampBase = UInt32(truncatingIfNeeded: generator.next())
        history.removeAll()
        wantsKeyFrame = true
    }
}

/// Numbers that no two packets and no two frames of a simulation share.
struct IDs {
    private(set) var packets: UInt32 = 0
    private(set) var frames: UInt32 = 0

    mutating func nextPacket() -> UInt32 {
        packets += 1
        return packets
    }

    mutating func nextFrame() -> UInt32 {
        frames += 1
        return frames
    }
}
