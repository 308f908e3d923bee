import Testing
import Wire

@Suite struct RTPHeaderTests {
    /// Marker, one CSRC, one-byte extensions 1 (one byte) and 2 (three bytes), two bytes of payload, four of padding.
    static let full = hex(
        """
        B1 E0 0001 00000064 12345678 0A0B0C0D BEDE0002 10AA00 22010203 00 F1F2 00000004
        """)

    @Test func `all parts of a full packet are found`() throws {
        let header = try RTPHeader.parse(Self.full.span)
        #expect(header.marker)
        #expect(header.payloadType == PayloadType(96))
        #expect(header.sequenceNumber == SequenceNumber(1))
        #expect(header.timestamp == RTPTimestamp(100))
        #expect(header.ssrc == SSRC(0x1234_5678))
        #expect(header.csrcCount == 1)
        let source = header.csrc(0, in: Self.full.span)
        #expect(source == SSRC(0x0A0B_0C0D))
        #expect(header.extensionProfile == 0xBEDE)
        #expect(header.extensionOffset == 20)
        #expect(header.extensionLength == 8)
        #expect(header.headerLength == 28)
        #expect(header.payloadRange == 28..<30)
        #expect(header.paddingLength == 4)
    }

    @Test func `a bare header has no payload`() throws {
        let header = try RTPHeader.parse(hex("80 00 FFFF FFFFFFFF 00000001").span)
        #expect(header.headerLength == 12)
        #expect(header.payloadLength == 0)
        #expect(!header.marker && !header.hasPadding)
        #expect(header.extensionLength == 0)
    }

    @Test(arguments: [
        ("", RTPError.truncated),
        ("80 00 0001 00000001 000000", .truncated),
        ("40 00 0001 00000001 00000001", .wrongVersion),
        ("8F 00 0001 00000001 00000001 00000001", .truncated),
        ("90 00 0001 00000001 00000001 BEDE00", .truncated),
        ("90 00 0001 00000001 00000001 BEDE0002 00000000", .truncated),
        ("90 00 0001 00000001 00000001 BEDEFFFF 00000000", .truncated),
        ("A0 00 0001 00000001 00000001", .invalidPadding),
        ("A0 00 0001 00000001 00000001 0000", .invalidPadding),
        ("A0 00 0001 00000001 00000001 0003", .invalidPadding),
    ])
    func `what its length doesn't hold is refused`(text: String, expected: RTPError) {
        #expect(throws: expected) { try RTPHeader.parse(hex(text).span) }
    }

    @Test func `more than 65535 bytes are refused`() {
        let bytes = [0x80] + [UInt8](repeating: 0, count: 65_535)
        #expect(throws: RTPError.tooLong) { try RTPHeader.parse(bytes.span) }
    }

    @Test func `padding of an encrypted packet is read after opening`() throws {
        var bytes = Self.full
        bytes[bytes.count - 1] = 0xEE
        #expect(throws: RTPError.invalidPadding) { try RTPHeader.parse(bytes.span) }
        var header = try RTPHeader(parsingHeaderOf: bytes.span)
        #expect(header.hasPadding && header.paddingLength == 0)
        #expect(header.payloadLength == 6)
        bytes[bytes.count - 1] = 6
        try header.readPadding(in: bytes.span)
        #expect(header.paddingLength == 6)
        #expect(header.payloadLength == 0)
    }

    @Test func `RTCP is told from RTP by the second byte`() {
        let answers = ["80C8", "80CF", "80E0", "8060", "80"].map { RTPHeader.isRTCP(hex($0).span) }
        #expect(answers == [true, true, false, false, false])
    }

    @Test func `single fields are overwritten in place`() throws {
        var bytes = Self.full
        let before = try RTPHeader.parse(bytes.span)
        var packet = bytes.mutableSpan
        RTPHeader.overwrite(SSRC(0xFFFF_FFFF), in: &packet)
        RTPHeader.overwrite(SequenceNumber(0xABCD), in: &packet)
        RTPHeader.overwrite(RTPTimestamp(0xDEAD_BEEF), in: &packet)
        RTPHeader.overwrite(PayloadType(127), in: &packet)
        RTPHeader.overwriteMarker(false, in: &packet)
        let after = try RTPHeader.parse(packet.span)
        let fields = RTPFields(
            marker: false, payloadType: PayloadType(127), sequenceNumber: SequenceNumber(0xABCD),
            timestamp: RTPTimestamp(0xDEAD_BEEF), ssrc: SSRC(0xFFFF_FFFF))
        #expect(after.fields == fields)
        #expect(after.payloadRange == before.payloadRange)
        RTPHeader.overwrite(before.fields, in: &packet)
        #expect(bytes == Self.full)
    }

    @Test func `padding that is added is read back`() throws {
        var bytes = hex("80 00 0001 00000001 00000001 AABB") + [9, 9, 9]
        var packet = bytes.mutableSpan
        try RTPHeader.pad(&packet, from: 14, by: 3)
        let header = try RTPHeader.parse(packet.span)
        #expect(header.payloadLength == 2)
        #expect(header.paddingLength == 3)
        #expect(bytes.suffix(3) == [0, 0, 3])
        var short = bytes.mutableSpan
        let noSpace = outcome { () throws(RTPError) in try RTPHeader.pad(&short, from: 14, by: 4) }
        #expect(noSpace == .noSpace)
        #expect(
            outcome { () throws(RTPError) in try RTPHeader.pad(&short, from: 14, by: 0) } == .invalidPadding)
    }

    @Test func `no prefix of a packet with padding passes as the whole`() throws {
        let bytes = Self.full
        for count in 0..<bytes.count {
            let header = try? RTPHeader.parse(bytes.span.extracting(..<count))
            #expect(header?.paddingLength != 4, "\(count) bytes")
        }
    }

    @Test func `hostile bytes never give offsets past the end`() throws {
        var inputs = HostileInputs(seed: 1, changing: [Self.full, HeaderExtensionsTests.twoByte])
        var accepted = 0
        for _ in 0..<100_000 {
            let bytes = inputs.next()
            guard let header = try? RTPHeader.parse(bytes.span) else { continue }
            accepted += 1
            try #require(header.payloadRange.upperBound + header.paddingLength == bytes.count)
            var elements = HeaderExtensions(of: header)
            while let element = elements.next(in: bytes.span) {
                try #require(element.offset >= header.extensionOffset)
                try #require(element.range.upperBound <= header.extensionOffset + header.extensionLength)
            }
        }
        #expect(accepted > 10_000 && accepted < 90_000)
    }
}

/// The error that `body` throws, or nil.
func outcome<Failure: Error>(_ body: () throws(Failure) -> Void) -> Failure? {
    do throws(Failure) {
        try body()
        return nil
    } catch {
        return error
    }
}
