import Testing
import Wire

@Suite struct FeedbackMessageTests {
    static let request = hex("84CE0004 00000001 00000000 00000002 05000000")
    /// 150,000 bit/s (mantissa 150,000, exponent 0) for two streams.
    static let estimate = hex("8FCE0006 00000001 00000000 52454D42 020249F0 00000002 00000003")

    @Test func `a picture loss indication comes back as it was`() throws {
        let message = RTCPReaderTests.pli
        let parsed = try PictureLossIndication.parse(message.span)
        #expect(parsed == PictureLossIndication(sender: SSRC(1), media: SSRC(2)))
        var bytes = [UInt8](repeating: 0, count: 12)
        var span = bytes.mutableSpan
        let length = try parsed.write(into: &span, at: 0)
        #expect(length == 12)
        #expect(bytes == RTCPReaderTests.pli)
        #expect(throws: RTCPError.truncated) {
            try PictureLossIndication.parse(hex("81CE0001 00000001").span)
        }
        #expect(throws: RTCPError.wrongType) {
            try PictureLossIndication.parse(hex("84CE0004 00000001 00000000 00000002 05000000").span)
        }
    }

    @Test func `a full intra request keeps its sequence number`() throws {
        let bytes = Self.request
        let parsed = try FullIntraRequest.parse(bytes.span)
        #expect(parsed.sender == SSRC(1) && parsed.count == 1)
        let entry = parsed.entry(0, in: bytes.span)
        #expect(entry == FullIntraRequest.Entry(ssrc: SSRC(2), sequenceNumber: 5))
        var copy = [UInt8](repeating: 0xEE, count: 20)
        var span = copy.mutableSpan
        let entries = [entry]
        let length = try FullIntraRequest.write(sender: SSRC(1), entries.span, into: &span, at: 0)
        #expect(length == 20)
        #expect(copy == bytes)
    }

    @Test func `a receiver's estimate is read`() throws {
        let bytes = Self.estimate
        let parsed = try ReceiverEstimate.parse(bytes.span)
        #expect(parsed.bitrate == Bitrate(bitsPerSecond: 150_000))
        let streams = (0..<parsed.count).map { parsed.ssrc($0, in: bytes.span) }
        #expect(streams == [SSRC(2), SSRC(3)])
    }

    @Test func `an estimate beyond 63 bits reads as the largest number`() throws {
        var bytes = Self.estimate
        bytes[17] = 0xFF
        #expect(try ReceiverEstimate.parse(bytes.span).bitrate.bitsPerSecond == .max)
        bytes.replaceSubrange(17..<20, with: hex("FC0000"))
        #expect(try ReceiverEstimate.parse(bytes.span).bitrate.bitsPerSecond == 0)
    }

    @Test(arguments: [0, 1, 262_143, 262_144, 1_000_000, 50_000_000, 1 << 40, Int.max])
    func `an estimate that is written is cut to 18 bits`(rate: Int) throws {
        var bytes = [UInt8](repeating: 0, count: 24)
        var span = bytes.mutableSpan
        let streams = [SSRC(2)]
        let bitrate = Bitrate(bitsPerSecond: rate)
        _ = try ReceiverEstimate.write(sender: SSRC(1), bitrate: bitrate, streams.span, into: &span, at: 0)
        let read = try ReceiverEstimate.parse(bytes.span).bitrate.bitsPerSecond
        #expect(read <= rate)
        #expect(rate - read <= rate >> 17)
    }

    @Test func `more streams announced than there are is refused`() {
        var bytes = Self.estimate
        bytes[16] = 3
        #expect(throws: RTCPError.truncated) { try ReceiverEstimate.parse(bytes.span) }
    }
}

@Suite struct ExtendedReportTests {
    static let both = hex(
        "80CF0008 00000001 04000002 1111111122222222 05000003 00000002 33333333 00010000")

    @Test func `reference time and delays are read`() throws {
        let bytes = Self.both
        var walk = try ExtendedReport.parse(bytes.span)
        #expect(walk.sender == SSRC(1))
        let first = try walk.next(in: bytes.span)
        let time = first?.referenceTime(in: bytes.span)
        #expect(time == NTPTime(rawValue: 0x1111_1111_2222_2222))
        #expect(first?.delayCount == 0)
        let second = try walk.next(in: bytes.span)
        #expect(second?.delayCount == 1)
        let delay = second?.delay(0, in: bytes.span)
        #expect(delay == ReceiverDelay(ssrc: SSRC(2), lastReceiverReport: 0x3333_3333, delay: 0x0001_0000))
        let third = try walk.next(in: bytes.span)
        #expect(third == nil)
    }

    @Test func `what is written is read back`() throws {
        var bytes = [UInt8](repeating: 0xEE, count: 44)
        var span = bytes.mutableSpan
        let time = NTPTime(rawValue: 0x1111_1111_2222_2222)
        let first = try ExtendedReport.write(sender: SSRC(1), referenceTime: time, into: &span, at: 0)
        let delays = [ReceiverDelay(ssrc: SSRC(2), lastReceiverReport: 0x3333_3333, delay: 0x0001_0000)]
        let second = try ExtendedReport.write(sender: SSRC(1), delays: delays.span, into: &span, at: 20)
        #expect(first == 20 && second == 24)
        #expect(Array(bytes[..<20]) == hex("80CF0004 00000001 04000002 1111111122222222"))
        #expect(Array(bytes[20...]) == hex("80CF0005 00000001 05000003 00000002 33333333 00010000"))
    }

    @Test func `a block past the end is refused`() throws {
        let bytes = hex("80CF0002 00000001 04000002")
        var walk = try ExtendedReport.parse(bytes.span)
        let error = outcome { () throws(RTCPError) in _ = try walk.next(in: bytes.span) }
        #expect(error == .truncated)
    }
}
