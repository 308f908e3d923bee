/// A request to send packets again (generic NACK, RFC 4585 section 6.2.1).
///
///     var nack = try Nack.parse(bytes.extracting(packet.range))
///     while let number = nack.next(in: bytes.extracting(packet.range)) { … }
public struct Nack: Hashable, Sendable, BitwiseCopyable {
    @inlinable public static var format: UInt8 { 1 }

    /// Who asks.
    public let sender: SSRC
    /// The stream that the packets are missing from.
    public let media: SSRC
    private var position = 12
    private let end: Int
    private var base = SequenceNumber(0)
    // Bit 0 stands for `base` itself, bit k for `base` + k.
    private var pending: UInt32 = 0

    private init(sender: SSRC, media: SSRC, end: Int) {
        self.sender = sender
        self.media = media
        self.end = end
    }

    /// Parses one packet of a compound. Throws `wrongType` or `truncated`; bytes after the last whole item are
    /// ignored.
    public static func parse(_ packet: Span<UInt8>) throws(RTCPError) -> Nack {
        try RTCPFrame.check(packet, .transportFeedback, format: format, minimum: 12)
        return Nack(
            sender: SSRC(packet.loadUInt32(at: 4)), media: SSRC(packet.loadUInt32(at: 8)),
            end: packet.count & ~3)
    }

    /// The next missing packet, or nil after the last one. Numbers come in the order of the message: hostile ones
    /// may repeat. At most 17 for each 4 bytes.
    public mutating func next(in packet: Span<UInt8>) -> SequenceNumber? {
        if pending == 0 {
            guard position + 4 <= end, packet.holds(4, at: position) else { return nil }
            base = SequenceNumber(packet.loadUInt16(at: position))
            pending = UInt32(packet.loadUInt16(at: position + 2)) << 1 | 1
            position += 4
        }
        let step = pending.trailingZeroBitCount
        pending &= pending &- 1
        return base.advanced(by: step)
    }

    /// What `write` did.
    public struct Written: Hashable, Sendable, BitwiseCopyable {
        /// Bytes of the message; 0 if the list was empty.
        public var length: Int
        /// How many of the numbers are in it, from the first on.
        public var count: Int
    }

    /// Writes a request for `numbers`, which are in serial order, to `offset`: as many as fit into `bytes`.
    ///
    /// Throws `noSpace` if not even one fits.
    public static func write(
        sender: SSRC, media: SSRC, _ numbers: Span<SequenceNumber>, into bytes: inout MutableSpan<UInt8>,
        at offset: Int
    ) throws(RTCPError) -> Written {
        guard numbers.count > 0 else { return Written(length: 0, count: 0) }
        var length = 12
        var index = 0
        while index < numbers.count, bytes.holds(length + 4, at: offset) {
            let base = numbers[index]
            var mask: UInt16 = 0
            index += 1
            while index < numbers.count {
                let step = numbers[index].distance(from: base)
                guard step >= 0, step <= 16 else { break }
                if step > 0 { mask |= 1 << UInt16(truncatingIfNeeded: step - 1) }
                index += 1
            }
            bytes.store(base.rawValue, at: offset + length)
            bytes.store(mask, at: offset + length + 2)
            length += 4
        }
        guard index > 0 else { throw .noSpace }
        try RTCPFrame.writeHeader(
            .transportFeedback, count: format, length: length, into: &bytes, at: offset)
        bytes.store(sender.rawValue, at: offset + 4)
        bytes.store(media.rawValue, at: offset + 8)
        return Written(length: length, count: index)
    }
}
