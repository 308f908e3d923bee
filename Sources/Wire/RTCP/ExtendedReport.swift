/// One block of an extended report, and where its body is.
public struct ExtendedReportBlock: Hashable, Sendable, BitwiseCopyable {
    /// Receiver reference time: when this receiver sent the report (RFC 3611 section 4.4).
    @inlinable public static var receiverReferenceTime: UInt8 { 4 }
    /// Delay since the last receiver reference time: the answer to it (RFC 3611 section 4.5).
    @inlinable public static var delaySinceLast: UInt8 { 5 }

    public var type: UInt8
    /// First byte after the block's 4 bytes of header, from the start of the packet.
    public var offset: Int
    /// Bytes of the body, a multiple of 4.
    public var length: Int

    /// The time in a receiver reference time block; nil in others or if it is too short.
    public func referenceTime(in packet: Span<UInt8>) -> NTPTime? {
        guard type == Self.receiverReferenceTime, length >= 8, packet.holds(8, at: offset) else { return nil }
        return NTPTime(rawValue: packet.loadUInt64(at: offset))
    }

    /// Number of entries in a DLRR block; 0 in others.
    public var delayCount: Int { type == Self.delaySinceLast ? length / 12 : 0 }

    /// The entry at `index`, below `delayCount`, of a DLRR block.
    public func delay(_ index: Int, in packet: Span<UInt8>) -> ReceiverDelay {
        let start = offset + 12 * index
        return ReceiverDelay(
            ssrc: SSRC(packet.loadUInt32(at: start)), lastReceiverReport: packet.loadUInt32(at: start + 4),
            delay: packet.loadUInt32(at: start + 8))
    }
}

/// How long ago a receiver's reference time came in: what lets one that sends nothing measure its round trip.
public struct ReceiverDelay: Hashable, Sendable, BitwiseCopyable {
    /// The receiver that is answered.
    public var ssrc: SSRC
    /// Middle 32 bits of its reference time.
    public var lastReceiverReport: UInt32
    /// Time since it came in, in units of 2^−16 s.
    public var delay: UInt32

    public init(ssrc: SSRC, lastReceiverReport: UInt32, delay: UInt32) {
        self.ssrc = ssrc
        self.lastReceiverReport = lastReceiverReport
        self.delay = delay
    }
}

/// Walks over the blocks of an extended report (XR, RFC 3611); also writes the two kinds that measure round trips.
public struct ExtendedReport: Hashable, Sendable, BitwiseCopyable {
    public let sender: SSRC
    private var position = 8

    private init(sender: SSRC) {
        self.sender = sender
    }

    /// Starts on one packet of a compound. Throws `wrongType` or `truncated`.
    public static func parse(_ packet: Span<UInt8>) throws(RTCPError) -> ExtendedReport {
        _ = try RTCPFrame.check(packet, .extendedReport, minimum: 8)
        return ExtendedReport(sender: SSRC(packet.loadUInt32(at: 4)))
    }

    /// The next block, or nil after the last one. Throws `truncated` if a block passes the end.
    public mutating func next(in packet: Span<UInt8>) throws(RTCPError) -> ExtendedReportBlock? {
        guard position < packet.count else { return nil }
        let start = position
        position = packet.count
        guard packet.holds(4, at: start) else { throw .truncated }
        let length = 4 * Int(packet.loadUInt16(at: start + 2))
        guard packet.holds(length, at: start + 4) else { throw .truncated }
        position = start + 4 + length
        return ExtendedReportBlock(type: packet[start], offset: start + 4, length: length)
    }

    /// Writes a report with a receiver reference time to `offset`, and returns its length, 20. Throws `noSpace`.
    public static func write(
        sender: SSRC, referenceTime: NTPTime, into bytes: inout MutableSpan<UInt8>, at offset: Int
    ) throws(RTCPError) -> Int {
        try RTCPFrame.writeHeader(.extendedReport, count: 0, length: 20, into: &bytes, at: offset)
        bytes.store(sender.rawValue, at: offset + 4)
        bytes.store(UInt32(ExtendedReportBlock.receiverReferenceTime) << 24 | 2, at: offset + 8)
        bytes.store(referenceTime.rawValue, at: offset + 12)
        return 20
    }

    /// Writes a report that answers receiver reference times to `offset`, and returns its length. Throws `noSpace`.
    public static func write(
        sender: SSRC, delays: Span<ReceiverDelay>, into bytes: inout MutableSpan<UInt8>, at offset: Int
    ) throws(RTCPError) -> Int {
        let length = 12 + 12 * delays.count
        try RTCPFrame.writeHeader(.extendedReport, count: 0, length: length, into: &bytes, at: offset)
        bytes.store(sender.rawValue, at: offset + 4)
        let words = UInt32(truncatingIfNeeded: 3 * delays.count)
        bytes.store(UInt32(ExtendedReportBlock.delaySinceLast) << 24 | words & 0xFFFF, at: offset + 8)
        for index in 0..<delays.count {
            let start = offset + 12 + 12 * index
            bytes.store(delays[index].ssrc.rawValue, at: start)
            bytes.store(delays[index].lastReceiverReport, at: start + 4)
            bytes.store(delays[index].delay, at: start + 8)
        }
        return length
    }
}
