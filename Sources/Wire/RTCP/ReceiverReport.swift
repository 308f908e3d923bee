/// What somebody who sends nothing says about the streams it receives (RFC 3550 section 6.4.2).
public struct ReceiverReport: Hashable, Sendable, BitwiseCopyable {
    public var ssrc: SSRC
    /// Number of report blocks in the packet this was parsed from, 0 to 31. Writing takes it from the blocks.
    public private(set) var blockCount = 0

    public init(ssrc: SSRC) {
        self.ssrc = ssrc
    }

    /// Parses one packet of a compound. Throws `wrongType` or `truncated`.
    public static func parse(_ packet: Span<UInt8>) throws(RTCPError) -> ReceiverReport {
        let count = try Int(RTCPFrame.check(packet, .receiverReport, minimum: 8))
        guard packet.count >= 8 + count * ReportBlock.length else { throw .truncated }
        var report = ReceiverReport(ssrc: SSRC(packet.loadUInt32(at: 4)))
        report.blockCount = count
        return report
    }

    /// The report block at `index`, below `blockCount`, of the packet this was parsed from.
    public func block(_ index: Int, in packet: Span<UInt8>) -> ReportBlock {
        ReportBlock(in: packet, at: 8 + index * ReportBlock.length)
    }

    /// Writes the report with up to 31 blocks to `offset`, and returns its length. Throws `noSpace`.
    public func write(
        blocks: Span<ReportBlock>, into bytes: inout MutableSpan<UInt8>, at offset: Int
    ) throws(RTCPError) -> Int {
        guard blocks.count <= 31 else { throw .noSpace }
        let length = 8 + blocks.count * ReportBlock.length
        try RTCPFrame.writeHeader(
            .receiverReport, count: UInt8(truncatingIfNeeded: blocks.count), length: length, into: &bytes,
            at: offset)
        bytes.store(ssrc.rawValue, at: offset + 4)
        for index in 0..<blocks.count {
            blocks[index].write(into: &bytes, at: offset + 8 + index * ReportBlock.length)
        }
        return length
    }
}
