/// The end of streams (RFC 3550 section 6.6). A reason is skipped when read, and not written.
public struct Goodbye: Hashable, Sendable, BitwiseCopyable {
    /// Number of sources that end, 0 to 31.
    public let count: Int

    /// Parses one packet of a compound. Throws `wrongType` or `truncated`.
    public static func parse(_ packet: Span<UInt8>) throws(RTCPError) -> Goodbye {
        let count = try Int(RTCPFrame.check(packet, .goodbye, minimum: 4))
        guard packet.count >= 4 + 4 * count else { throw .truncated }
        return Goodbye(count: count)
    }

    /// The source at `index`, below `count`, of the packet this was parsed from.
    public func ssrc(_ index: Int, in packet: Span<UInt8>) -> SSRC {
        SSRC(packet.loadUInt32(at: 4 + 4 * index))
    }

    /// Writes a packet that ends up to 31 sources to `offset`, and returns its length. Throws `noSpace`.
    public static func write(
        _ ssrcs: Span<SSRC>, into bytes: inout MutableSpan<UInt8>, at offset: Int
    ) throws(RTCPError) -> Int {
        guard ssrcs.count <= 31 else { throw .noSpace }
        let length = 4 + 4 * ssrcs.count
        try RTCPFrame.writeHeader(
            .goodbye, count: UInt8(truncatingIfNeeded: ssrcs.count), length: length, into: &bytes, at: offset)
        for index in 0..<ssrcs.count { bytes.store(ssrcs[index].rawValue, at: offset + 4 + 4 * index) }
        return length
    }
}
