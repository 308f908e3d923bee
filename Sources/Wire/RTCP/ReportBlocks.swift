/// The report blocks of a sender's or a receiver's report: where they lie in the packet, and how many there are.
public struct ReportBlocks: Hashable, Sendable, BitwiseCopyable {
    /// 0 to 31.
    public let count: Int
    /// The first block's first byte, from the start of the packet.
    private let offset: Int

    init() {
        count = 0
        offset = 0
    }

    /// Finds the blocks of a report of this type behind the `offset` bytes that it begins with. Throws `wrongType`, or
    /// `truncated` if not all are there.
    init(in packet: Span<UInt8>, of type: RTCPPacketType, at offset: Int) throws(RTCPError) {
        count = try Int(RTCPFrame.check(packet, type, minimum: offset))
        self.offset = offset
        guard packet.count >= offset + count * ReportBlock.length else { throw .truncated }
    }

    /// The block at `index`, below `count`, of the packet that the report was parsed from.
    public func block(_ index: Int, in packet: Span<UInt8>) -> ReportBlock {
        ReportBlock(in: packet, at: offset + index * ReportBlock.length)
    }

    /// Writes a report's RTCP header to `offset`, and up to 31 blocks `headLength` bytes behind; what is between is the
    /// caller's. Returns the report's length. Throws `noSpace`.
    static func write(
        _ blocks: Span<ReportBlock>, of type: RTCPPacketType, headLength: Int,
        into bytes: inout MutableSpan<UInt8>,
        at offset: Int
    ) throws(RTCPError) -> Int {
        guard blocks.count <= 31 else { throw .noSpace }
        let length = headLength + blocks.count * ReportBlock.length
        try RTCPFrame.writeHeader(
            type, count: UInt8(truncatingIfNeeded: blocks.count), length: length, into: &bytes, at: offset)
        for index in 0..<blocks.count {
            blocks[index].write(into: &bytes, at: offset + headLength + index * ReportBlock.length)
        }
        return length
    }
}
