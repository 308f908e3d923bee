/// What a receiver says about one stream it receives (RFC 3550 section 6.4.1).
public struct ReportBlock: Hashable, Sendable, BitwiseCopyable {
    @inlinable public static var length: Int { 24 }

    /// The stream that is reported on.
    public var ssrc: SSRC
    /// Loss since the last report, in 256ths.
    public var fractionLost: UInt8
    /// Loss since the start, −8,388,608 to 8,388,607; negative when duplicates arrived.
    public var cumulativeLost: Int32
    /// The highest sequence number received, with the count of wraps in the upper 16 bits.
    public var highestSequenceNumber: UInt32
    /// Interarrival jitter in units of the stream's clock.
    public var jitter: UInt32
    /// Middle 32 bits of the last sender report's NTP time; 0 if none came.
    public var lastSenderReport: UInt32
    /// Time from that sender report to this block, in units of 2^−16 s.
    public var delaySinceLastSenderReport: UInt32

    public init(
        ssrc: SSRC, fractionLost: UInt8 = 0, cumulativeLost: Int32 = 0, highestSequenceNumber: UInt32 = 0,
        jitter: UInt32 = 0, lastSenderReport: UInt32 = 0, delaySinceLastSenderReport: UInt32 = 0
    ) {
        self.ssrc = ssrc
        self.fractionLost = fractionLost
        self.cumulativeLost = cumulativeLost
        self.highestSequenceNumber = highestSequenceNumber
        self.jitter = jitter
        self.lastSenderReport = lastSenderReport
        self.delaySinceLastSenderReport = delaySinceLastSenderReport
    }

    /// Reads the block at `offset`, which has 24 bytes.
    init(in packet: Span<UInt8>, at offset: Int) {
        ssrc = SSRC(packet.loadUInt32(at: offset))
        fractionLost = packet[offset + 4]
        cumulativeLost = Int32(bitPattern: packet.loadUInt24(at: offset + 5) << 8) >> 8
        highestSequenceNumber = packet.loadUInt32(at: offset + 8)
        jitter = packet.loadUInt32(at: offset + 12)
        lastSenderReport = packet.loadUInt32(at: offset + 16)
        delaySinceLastSenderReport = packet.loadUInt32(at: offset + 20)
    }

    func write(into bytes: inout MutableSpan<UInt8>, at offset: Int) {
        bytes.store(ssrc.rawValue, at: offset)
        bytes[offset + 4] = fractionLost
        let lost = min(max(cumulativeLost, -8_388_608), 8_388_607)
        bytes.storeUInt24(UInt32(bitPattern: lost), at: offset + 5)
        bytes.store(highestSequenceNumber, at: offset + 8)
        bytes.store(jitter, at: offset + 12)
        bytes.store(lastSenderReport, at: offset + 16)
        bytes.store(delaySinceLastSenderReport, at: offset + 20)
    }

    /// Round-trip time of the peer that sent this block, if the block names a sender report of ours; `now` is the
    /// time at which it arrived, on the clock that the sender reports carry. At least 0.
    public func roundTripTime(at now: NTPTime) -> Duration? {
        guard lastSenderReport != 0 else { return nil }
        let units = Int32(bitPattern: now.middle &- lastSenderReport &- delaySinceLastSenderReport)
        return NTPTime.duration(compact: UInt32(max(units, 0)))
    }
}
