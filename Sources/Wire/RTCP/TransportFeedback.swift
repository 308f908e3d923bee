/// Which packets of a transport arrived, and when (transport-cc feedback,
/// draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1).
///
/// Walks over the statuses in order of sequence number:
///
///     var feedback = try TransportFeedback.parse(bytes.extracting(packet.range))
///     while let status = feedback.next(in: bytes.extracting(packet.range)) { … }
///
/// Parsing counts all chunks against the length, so that walking can't fail. A message of 1,200 bytes may hold up to
/// 65,535 statuses, most of them of packets that didn't arrive.
public struct TransportFeedback: Hashable, Sendable, BitwiseCopyable {
    @inlinable public static var format: UInt8 { 15 }

    /// The fate of one packet.
    public struct Status: Hashable, Sendable, BitwiseCopyable {
        /// The transport-wide sequence number.
        public var sequenceNumber: SequenceNumber
        public var isReceived: Bool
        /// Arrival in units of 250 µs after the message's reference time; may be negative. 0 if not received.
        public var arrivalTicks: Int

        /// Arrival after the message's reference time. Differences are exact; the epoch is the receiver's own.
        public var arrival: Duration { .microseconds(250 * arrivalTicks) }
    }

    public let sender: SSRC
    public let media: SSRC
    /// The first packet that is reported on.
    public let baseSequenceNumber: SequenceNumber
    /// Number of packets reported on, 1 to 65,535.
    public let statusCount: Int
    /// Time that arrivals count from, in units of 64 ms, signed 24 bits: it wraps every 12 days.
    public let referenceTime: Int32
    /// Counts the messages of this sender, and wraps.
    public let feedbackCount: UInt8

    private var chunkPosition = 20
    private var deltaPosition = 0
    private var index = 0
    private var ticks = 0
    // The chunk in progress: either one symbol `runLength` times, or `runLength` symbols of `symbolBits` in `symbols`,
    // left-aligned.
    private var symbols: UInt16 = 0
    private var symbolBits = 0
    private var runLength = 0

    /// Parses one packet of a compound.
    ///
    /// Throws `wrongType`; `truncated` if chunks or deltas are missing; `malformed` for a count of 0 and for the
    /// symbol that is reserved.
    public static func parse(_ packet: Span<UInt8>) throws(RTCPError) -> TransportFeedback {
        try RTCPFrame.check(packet, .transportFeedback, format: format, minimum: 20)
        var feedback = TransportFeedback(packet)
        guard feedback.statusCount > 0 else { throw .malformed }
        var statuses = 0
        var position = 20
        var deltaBytes = 0
        while statuses < feedback.statusCount {
            guard packet.holds(2, at: position) else { throw .truncated }
            let chunk = packet.loadUInt16(at: position)
            position += 2
            let counted = try measure(chunk, limit: feedback.statusCount - statuses)
            statuses += counted.statuses
            deltaBytes += counted.deltaBytes
        }
        guard packet.holds(deltaBytes, at: position) else { throw .truncated }
        feedback.deltaPosition = position
        return feedback
    }

    private init(_ packet: Span<UInt8>) {
        sender = SSRC(packet.loadUInt32(at: 4))
        media = SSRC(packet.loadUInt32(at: 8))
        baseSequenceNumber = SequenceNumber(packet.loadUInt16(at: 12))
        statusCount = Int(packet.loadUInt16(at: 14))
        referenceTime = Int32(bitPattern: packet.loadUInt24(at: 16) << 8) >> 8
        feedbackCount = packet[19]
    }

    /// How many statuses a chunk has, up to `limit`, and how many bytes of deltas belong to them.
    private static func measure(
        _ chunk: UInt16, limit: Int
    ) throws(RTCPError) -> (statuses: Int, deltaBytes: Int) {
        if chunk & 0x8000 == 0 {
            let statuses = min(Int(chunk & 0x1FFF), limit)
            let symbol = chunk >> 13 & 3
            // An empty run would let a message of nothing but chunks say nothing.
            guard symbol != 3, statuses > 0 else { throw .malformed }
            return (statuses, statuses * Int(symbol))
        }
        if chunk & 0x4000 == 0 {
            let statuses = min(14, limit)
            return (statuses, ((chunk << 2) >> UInt16(16 - statuses)).nonzeroBitCount)
        }
        let statuses = min(7, limit)
        var deltaBytes = 0
        for index in 0..<statuses {
            let symbol = Int(chunk >> UInt16(12 - 2 * index) & 3)
            guard symbol != 3 else { throw .malformed }
            deltaBytes += symbol
        }
        return (statuses, deltaBytes)
    }

    /// The next status, or nil after the last one. `packet` is the one this was parsed from.
    public mutating func next(in packet: Span<UInt8>) -> Status? {
        guard index < statusCount else { return nil }
        if runLength == 0 {
            guard packet.holds(2, at: chunkPosition) else { return nil }
            load(packet.loadUInt16(at: chunkPosition))
            chunkPosition += 2
        }
        let symbol: Int
        if symbolBits == 0 {
            symbol = Int(symbols)
        } else {
            symbol = Int(symbols >> UInt16(16 - symbolBits))
            symbols <<= UInt16(symbolBits)
        }
        runLength -= 1
        guard packet.holds(symbol, at: deltaPosition) else { return nil }
        if symbol == 1 {
            ticks += Int(packet[deltaPosition])
        } else if symbol == 2 {
            ticks += Int(Int16(bitPattern: packet.loadUInt16(at: deltaPosition)))
        }
        deltaPosition += symbol
        let number = baseSequenceNumber.advanced(by: index)
        index += 1
        return Status(
            sequenceNumber: number, isReceived: symbol != 0, arrivalTicks: symbol == 0 ? 0 : ticks)
    }

    private mutating func load(_ chunk: UInt16) {
        if chunk & 0x8000 == 0 {
            symbols = chunk >> 13 & 3
            symbolBits = 0
            // Parsing has refused runs of 0; at least 1 keeps the walk finite with any other bytes.
            runLength = max(1, Int(chunk & 0x1FFF))
        } else {
            symbols = chunk << 2
            symbolBits = chunk & 0x4000 == 0 ? 1 : 2
            runLength = chunk & 0x4000 == 0 ? 14 : 7
        }
    }
}
