import FixedCollections
import Wire

/// What the header of a stream's packets needs, as it was negotiated.
struct StreamFormat {
    var payloadType: PayloadType
    var rtxPayloadType: PayloadType?
    var clockRate: Int
    var mid: ShortID?
    var rid: ShortID?
    var extensions: HeaderExtensionMap
}

/// One SSRC that a participant sends, with the retransmissions of it: numbers, clocks and a history for NACKs.
struct OutgoingStream {
    /// Packets that can be sent again.
    static let historyCount = 512

    let ssrc: SSRC
    let rtxSSRC: SSRC?
    let format: StreamFormat
    let isVideo: Bool
    private(set) var nextSequence: SequenceNumber
    private var nextRTXSequence: SequenceNumber
    private let firstTimestamp: UInt32
    private let start: Instant
    private var history: [SentPacket]
    private(set) var packetCount: UInt32 = 0
    private(set) var octetCount: UInt32 = 0

    init(
        ssrc: SSRC, rtxSSRC: SSRC?, format: StreamFormat, isVideo: Bool, start: Instant,
        random: inout SeededRandom
    ) {
        self.ssrc = ssrc
        self.rtxSSRC = rtxSSRC
        self.format = format
        self.isVideo = isVideo
        self.start = start
        // Below 2^15, so that a receiver that misses the first packets still guesses the rollover counter.
        nextSequence = SequenceNumber(UInt16.random(in: 0..<0x7000, using: &random))
        nextRTXSequence = SequenceNumber(UInt16.random(in: 0..<0x7000, using: &random))
        firstTimestamp = UInt32.random(in: .min ... .max, using: &random)
        history = []
    }

    /// The RTP timestamp of what is captured at `time`.
    func timestamp(at time: Instant) -> RTPTimestamp {
        let ticks = (time - start).wholeNanoseconds / 1_000 * Int64(format.clockRate) / 1_000_000
        return RTPTimestamp(firstTimestamp &+ UInt32(truncatingIfNeeded: ticks))
    }

    /// Gives the packet its number, and keeps it for retransmission.
    mutating func number(_ packet: SentPacket) -> SentPacket {
        var packet = packet
        packet.sequence = nextSequence
        nextSequence = nextSequence.advanced(by: 1)
        packetCount &+= 1
        octetCount &+= UInt32(packet.payloadLength)
        guard rtxSSRC != nil else { return packet }
        if history.count < Self.historyCount {
            history.append(packet)
        } else {
            history[Int(packetCount &- 1) % Self.historyCount] = packet
        }
        return packet
    }

    /// The packet with this number, if it was sent lately.
    func sent(_ sequence: SequenceNumber) -> SentPacket? {
        let age = nextSequence.distance(from: sequence)
        guard age > 0, age <= history.count else { return nil }
        let packet = history[Int(packetCount &- UInt32(age)) % Self.historyCount]
        return packet.sequence == sequence ? packet : nil
    }

    /// Writes header and payload of `packet`; returns the header's length, and that of the whole.
    ///
    /// - Parameter transportSequence: nil leaves the extension out.
    func write(
        _ packet: SentPacket, now: Instant, transportSequence: SequenceNumber?,
        into bytes: inout MutableSpan<UInt8>
    ) throws(RTPError) -> (header: Int, total: Int) {
        let fields = RTPFields(
            marker: packet.marker, payloadType: format.payloadType, sequenceNumber: packet.sequence,
            timestamp: packet.timestamp, ssrc: ssrc)
        let header = try writeHeader(
            fields, packet, now: now, transportSequence: transportSequence, isRTX: false, into: &bytes)
        guard bytes.holds(Int(packet.payloadLength), at: header) else { throw .noSpace }
        packet.writePayload(into: &bytes, at: header)
        return (header, header + Int(packet.payloadLength))
    }

    /// As `write`, as a retransmission (RFC 4588): with numbers of its own, and the original one before the payload.
    mutating func writeRTX(
        _ packet: SentPacket, now: Instant, transportSequence: SequenceNumber?,
        into bytes: inout MutableSpan<UInt8>
    ) throws(RTPError) -> (header: Int, total: Int)? {
        guard let rtxSSRC, let payloadType = format.rtxPayloadType else { return nil }
        let fields = RTPFields(
            marker: packet.marker, payloadType: payloadType, sequenceNumber: nextRTXSequence,
            timestamp: packet.timestamp, ssrc: rtxSSRC)
        nextRTXSequence = nextRTXSequence.advanced(by: 1)
        let header = try writeHeader(
            fields, packet, now: now, transportSequence: transportSequence, isRTX: true, into: &bytes)
        guard bytes.holds(Int(packet.payloadLength) + 2, at: header) else { throw .noSpace }
        bytes.store(packet.sequence.rawValue, at: header)
        packet.writePayload(into: &bytes, at: header + 2)
        return (header, header + 2 + Int(packet.payloadLength))
    }

    private func writeHeader(
        _ fields: RTPFields, _ packet: SentPacket, now: Instant, transportSequence: SequenceNumber?,
        isRTX: Bool, into bytes: inout MutableSpan<UInt8>
    ) throws(RTPError) -> Int {
        var writer = try RTPWriter(fields, into: &bytes)
        let ids = format.extensions
        if let mid = format.mid, ids.id(of: .mid) > 0 {
            try writer.append(id: ids.id(of: .mid), mid, to: &bytes)
        }
        let ridKind: HeaderExtensionKind = isRTX ? .repairedRID : .rid
        if let rid = format.rid, ids.id(of: ridKind) > 0 {
            try writer.append(id: ids.id(of: ridKind), rid, to: &bytes)
        }
        if ids.id(of: .absoluteSendTime) > 0 {
            // 2^−18 s, 24 bits.
            let time = UInt64(bitPattern: now.nanoseconds) / 1_000 * 262_144 / 1_000_000
            try writer.append(
                id: ids.id(of: .absoluteSendTime),
                absoluteSendTime: UInt32(truncatingIfNeeded: time) & 0xff_ffff, to: &bytes)
        }
        if let transportSequence, ids.id(of: .transportCC) > 0 {
            try writer.append(id: ids.id(of: .transportCC), transportSequence, to: &bytes)
        }
        if !isVideo, ids.id(of: .audioLevel) > 0 {
            try writer.append(
                id: ids.id(of: .audioLevel), AudioLevel(level: packet.level, isVoice: packet.level < 100),
                to: &bytes)
        }
        return try writer.finish(&bytes)
    }
}
