/// What somebody who sends nothing says about the streams it receives (RFC 3550 section 6.4.2).
public struct ReceiverReport: Hashable, Sendable, BitwiseCopyable {
    /// Bytes before the report blocks.
    static var headLength: Int { 8 }

    public var ssrc: SSRC
    /// What the packet this was parsed from says about others' streams.
    public private(set) var blocks = ReportBlocks()

    public init(ssrc: SSRC) {
        self.ssrc = ssrc
    }

    /// Parses one packet of a compound. Throws `wrongType` or `truncated`.
    public static func parse(_ packet: Span<UInt8>) throws(RTCPError) -> ReceiverReport {
        let blocks = try ReportBlocks(in: packet, of: .receiverReport, at: headLength)
        var report = ReceiverReport(ssrc: SSRC(packet.loadUInt32(at: 4)))
        report.blocks = blocks
        return report
    }

    /// Writes the report with up to 31 blocks to `offset`, and returns its length. Throws `noSpace`.
    public func write(
        blocks: Span<ReportBlock>, into bytes: inout MutableSpan<UInt8>, at offset: Int
    ) throws(RTCPError) -> Int {
        let length = try ReportBlocks.write(
            blocks, of: .receiverReport, headLength: Self.headLength, into: &bytes, at: offset)
        bytes.store(ssrc.rawValue, at: offset + 4)
        return length
    }
}
