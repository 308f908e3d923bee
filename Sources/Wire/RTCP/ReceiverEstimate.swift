/// The bitrate that a receiver thinks its link carries (REMB, draft-alvestrand-rmcat-remb-03).
public struct ReceiverEstimate: Hashable, Sendable, BitwiseCopyable {
    @inlinable public static var format: UInt8 { 15 }

    /// Who says so.
    public let sender: SSRC
    /// Sum over all streams that are listed; what doesn't fit 63 bits reads as the largest number.
    public let bitrate: Bitrate
    /// Number of streams the estimate is about, 0 to 255.
    public let count: Int

    /// Whether a PSFB message of format 15, which is open to anyone, is REMB.
    static func isMarked(_ packet: Span<UInt8>) -> Bool {
        packet.count >= 20 && packet.loadUInt32(at: 12) == 0x5245_4D42
    }

    /// Parses one packet of a compound. Throws `wrongType` or `truncated`.
    public static func parse(_ packet: Span<UInt8>) throws(RTCPError) -> ReceiverEstimate {
        try RTCPFrame.check(packet, .payloadFeedback, format: format, minimum: 20)
        guard isMarked(packet) else { throw .wrongType }
        let count = Int(packet[16])
        guard packet.count >= 20 + 4 * count else { throw .truncated }
        let exponent = Int(packet[17] >> 2)
        let mantissa = UInt64(packet.loadUInt24(at: 17) & 0x3FFFF)
        let fits = mantissa == 0 || exponent < mantissa.leadingZeroBitCount
        let rate = fits ? Int(mantissa << UInt64(exponent)) : Int.max
        return ReceiverEstimate(
            sender: SSRC(packet.loadUInt32(at: 4)), bitrate: Bitrate(bitsPerSecond: rate), count: count)
    }

    /// The stream at `index`, below `count`, of the packet this was parsed from.
    public func ssrc(_ index: Int, in packet: Span<UInt8>) -> SSRC {
        SSRC(packet.loadUInt32(at: 20 + 4 * index))
    }

    /// Writes an estimate for up to 255 streams to `offset`, and returns its length.
    ///
    /// The bitrate is cut to its 18 highest bits; negative counts as 0. Throws `noSpace`.
    public static func write(
        sender: SSRC, bitrate: Bitrate, _ ssrcs: Span<SSRC>, into bytes: inout MutableSpan<UInt8>,
        at offset: Int
    ) throws(RTCPError) -> Int {
        guard ssrcs.count <= 255 else { throw .noSpace }
        let length = 20 + 4 * ssrcs.count
        try RTCPFrame.writeHeader(.payloadFeedback, count: format, length: length, into: &bytes, at: offset)
        let rate = UInt64(max(bitrate.bitsPerSecond, 0))
        let exponent = max(0, 46 - rate.leadingZeroBitCount)
        let mantissa = UInt32(truncatingIfNeeded: rate >> UInt64(exponent))
        bytes.store(sender.rawValue, at: offset + 4)
        bytes.store(UInt32(0), at: offset + 8)
        bytes.store(UInt32(0x5245_4D42), at: offset + 12)
        bytes[offset + 16] = UInt8(truncatingIfNeeded: ssrcs.count)
        bytes.storeUInt24(UInt32(exponent) << 18 | mantissa, at: offset + 17)
        for index in 0..<ssrcs.count { bytes.store(ssrcs[index].rawValue, at: offset + 20 + 4 * index) }
        return length
    }
}
