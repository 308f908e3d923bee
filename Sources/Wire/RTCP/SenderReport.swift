/// What a sender says about its own stream (RFC 3550 section 6.4.1), and where its report blocks are.
public struct SenderReport: Hashable, Sendable, BitwiseCopyable {
    /// Bytes before the report blocks.
    static var headLength: Int { 28 }

    public var ssrc: SSRC
    /// Wall clock at the moment that `rtpTimestamp` stands for.
    public var ntpTime: NTPTime
    public var rtpTimestamp: RTPTimestamp
    public var packetCount: UInt32
    /// Payload bytes sent, without headers and padding.
    public var octetCount: UInt32
    /// What the packet this was parsed from says about others' streams.
    public private(set) var blocks = ReportBlocks()

    public init(
        ssrc: SSRC, ntpTime: NTPTime, rtpTimestamp: RTPTimestamp, packetCount: UInt32, octetCount: UInt32
    ) {
        self.ssrc = ssrc
        self.ntpTime = ntpTime
        self.rtpTimestamp = rtpTimestamp
        self.packetCount = packetCount
        self.octetCount = octetCount
    }

    /// Parses one packet of a compound. Throws `wrongType` or `truncated`.
    public static func parse(_ packet: Span<UInt8>) throws(RTCPError) -> SenderReport {
        let blocks = try ReportBlocks(in: packet, of: .senderReport, at: headLength)
        var report = SenderReport(
            ssrc: SSRC(packet.loadUInt32(at: 4)), ntpTime: NTPTime(rawValue: packet.loadUInt64(at: 8)),
            rtpTimestamp: RTPTimestamp(packet.loadUInt32(at: 16)), packetCount: packet.loadUInt32(at: 20),
            octetCount: packet.loadUInt32(at: 24))
        report.blocks = blocks
        return report
    }

    /// Writes the report with up to 31 blocks to `offset`, and returns its length. Throws `noSpace`.
    public func write(
        blocks: Span<ReportBlock>, into bytes: inout MutableSpan<UInt8>, at offset: Int
    ) throws(RTCPError) -> Int {
        let length = try ReportBlocks.write(
            blocks, of: .senderReport, headLength: Self.headLength, into: &bytes, at: offset)
        bytes.store(ssrc.rawValue, at: offset + 4)
        bytes.store(ntpTime.rawValue, at: offset + 8)
        bytes.store(rtpTimestamp.rawValue, at: offset + 16)
        bytes.store(packetCount, at: offset + 20)
        bytes.store(octetCount, at: offset + 24)
        return length
    }
}
