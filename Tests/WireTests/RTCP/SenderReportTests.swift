import Testing
import Wire

@Suite struct SenderReportTests {
    static let report = hex(
        """
        81C8000C 00000001 83AA7E80 80000000 00001234 0000000A 00000400
        00000002 40FFFFFE 00010005 00000007 11223344 00010000
        """)
    static let receiverReport = hex(
        "81C90007 00000001 00000002 407FFFFF 00010005 00000007 11223344 00010000")
    static let block = ReportBlock(
        ssrc: SSRC(2), fractionLost: 0x40, cumulativeLost: -2, highestSequenceNumber: 0x0001_0005, jitter: 7,
        lastSenderReport: 0x1122_3344, delaySinceLastSenderReport: 0x0001_0000)

    @Test func `a sender report is read`() throws {
        let bytes = Self.report
        let report = try SenderReport.parse(bytes.span)
        #expect(report.ssrc == SSRC(1))
        #expect(report.ntpTime == NTPTime(sinceUnixEpoch: .milliseconds(500)))
        #expect(report.rtpTimestamp == RTPTimestamp(0x1234))
        #expect(report.packetCount == 10)
        #expect(report.octetCount == 1_024)
        #expect(report.blocks.count == 1)
        let block = report.blocks.block(0, in: bytes.span)
        #expect(block == Self.block)
    }

    @Test func `a sender report is written`() throws {
        var bytes = [UInt8](repeating: 0xEE, count: 52)
        var span = bytes.mutableSpan
        let report = SenderReport(
            ssrc: SSRC(1), ntpTime: NTPTime(rawValue: 0x83AA_7E80_8000_0000),
            rtpTimestamp: RTPTimestamp(0x1234), packetCount: 10, octetCount: 1_024)
        let blocks = [Self.block]
        let length = try report.write(blocks: blocks.span, into: &span, at: 0)
        #expect(length == 52)
        #expect(bytes == Self.report)
    }

    @Test func `a receiver report comes back as it was, with loss at its bounds`() throws {
        let bytes = Self.receiverReport
        let report = try ReceiverReport.parse(bytes.span)
        let block = report.blocks.block(0, in: bytes.span)
        #expect(block.cumulativeLost == 8_388_607)
        var copy = [UInt8](repeating: 0, count: 40)
        var span = copy.mutableSpan
        var blocks = [block]
        let length = try report.write(blocks: blocks.span, into: &span, at: 8)
        #expect(length == 32)
        #expect(Array(copy[8...]) == bytes)
        blocks[0].cumulativeLost = -9_000_000
        span = copy.mutableSpan
        _ = try report.write(blocks: blocks.span, into: &span, at: 0)
        let lost = report.blocks.block(0, in: copy.span).cumulativeLost
        #expect(lost == -8_388_608)
    }

    @Test func `more blocks announced than there are is refused`() {
        var bytes = Self.report
        bytes[0] = 0x82
        #expect(throws: RTCPError.truncated) { try SenderReport.parse(bytes.span) }
        var other = Self.receiverReport
        other[0] = 0x9F
        #expect(throws: RTCPError.truncated) { try ReceiverReport.parse(other.span) }
        #expect(throws: RTCPError.wrongType) { try ReceiverReport.parse(bytes.span) }
    }

    @Test func `32 blocks or a full buffer are refused`() {
        let report = ReceiverReport(ssrc: SSRC(1))
        var bytes = [UInt8](repeating: 0, count: 1_000)
        let many = [ReportBlock](repeating: Self.block, count: 32)
        var span = bytes.mutableSpan
        let tooMany = outcome { () throws(RTCPError) in
            _ = try report.write(blocks: many.span, into: &span, at: 0)
        }
        let tooLate = outcome { () throws(RTCPError) in
            _ = try report.write(blocks: many.span.extracting(..<1), into: &span, at: 969)
        }
        #expect(tooMany == .noSpace)
        #expect(tooLate == .noSpace)
    }

    @Test func `round-trip time is now less the report and the delay`() {
        var block = Self.block
        block.lastSenderReport = 0x0005_0000
        block.delaySinceLastSenderReport = 0x0001_8000
        // 5 s + 1.5 s + 0.25 s
        let now = NTPTime(rawValue: 0x0000_0006_C000_0000)
        #expect(block.roundTripTime(at: now) == .milliseconds(250))
        #expect(block.roundTripTime(at: NTPTime(rawValue: 0x0000_0006_0000_0000)) == .zero)
        block.lastSenderReport = 0
        #expect(block.roundTripTime(at: now) == nil)
    }
}

@Suite struct NTPTimeTests {
    @Test func `durations between times are exact to a nanosecond or so`() {
        let early = NTPTime(sinceUnixEpoch: .seconds(1_700_000_000))
        let late = NTPTime(sinceUnixEpoch: .seconds(1_700_000_001) + .milliseconds(250))
        #expect(late.elapsed(since: early) == .milliseconds(1_250))
        #expect(early.elapsed(since: late) == .milliseconds(-1_250))
        #expect(early.rawValue >> 32 == 1_700_000_000 + 2_208_988_800)
    }

    @Test func `a time before 1970 borrows a second`() {
        #expect(NTPTime(sinceUnixEpoch: .milliseconds(-500)).rawValue == 0x83AA_7E7F_8000_0000)
    }

    @Test func `compact durations are cut to their range`() {
        #expect(NTPTime.compact(.milliseconds(1_500)) == 0x0001_8000)
        #expect(NTPTime.compact(.milliseconds(-1)) == 0)
        #expect(NTPTime.compact(.seconds(1_000_000)) > 0xFFFF_0000)
        #expect(NTPTime.duration(compact: 0x0001_8000) == .milliseconds(1_500))
        #expect(NTPTime.duration(compact: .max) > .seconds(65_535))
    }

    @Test func `the middle is seconds and fraction of 16 bits each`() {
        #expect(NTPTime(rawValue: 0x1111_2222_3333_4444).middle == 0x2222_3333)
    }
}
