import Testing
import Wire

@Suite struct AV1AggregationHeaderTests {
    @Test func `a new sequence with its sequence header is a key frame`() throws {
        // N, W 2: a sequence header of 3 bytes, then a frame.
        let header = try AV1AggregationHeader.parse(hex("28 03 080000 30AA").span)
        #expect(header.startsSequence && header.isFrameStart)
        #expect(header.firstType == 1 && header.elementCount == 2)
    }

    @Test func `layers come from the extension header`() throws {
        // W 1: a frame OBU with extension, T1 S2.
        let header = try AV1AggregationHeader.parse(hex("10 34 30 AA").span)
        #expect(header.firstType == 6 && header.isFrameStart)
        #expect(header.temporalID == 1 && header.spatialID == 2)
    }

    @Test func `a continuation isn't a start, and its bytes aren't taken for a header`() throws {
        let header = try AV1AggregationHeader.parse(hex("D0 FFFF").span)
        #expect(header.continuesFirst && header.continuesLast)
        #expect(!header.isFrameStart && header.firstType == nil)
    }

    @Test(arguments: [
        ("", CodecError.truncated), ("10", .truncated), ("00 05 3000", .truncated),
        ("00 8080808001 30", .malformed), ("98 30", .malformed), ("10 B0", .malformed), ("10 34", .truncated),
    ])
    func `what is cut or contradicts itself is refused`(text: String, expected: CodecError) {
        #expect(throws: expected) { try AV1AggregationHeader.parse(hex(text).span) }
    }
}

@Suite struct OpusPacketTests {
    @Test(arguments: [
        ("08 AABBCC", 20_000), ("00 AABBCC", 10_000), ("18 AABBCC", 60_000), ("78 AABBCC", 20_000),
        ("80 AABBCC", 2_500), ("F8 AABBCC", 20_000), ("F9 AABBCC", 40_000), ("FB 03 BBCC", 60_000),
        ("83 30 BBCC", 120_000),
    ])
    func `the length of a packet is told`(text: String, microseconds: Int) throws {
        #expect(try OpusPacket.parse(hex(text).span).duration == .microseconds(microseconds))
    }

    @Test func `at most two bytes are silence`() throws {
        #expect(try OpusPacket.parse(hex("78").span).isDiscontinuous)
        #expect(try OpusPacket.parse(hex("7800").span).isDiscontinuous)
        #expect(try !OpusPacket.parse(hex("780000").span).isDiscontinuous)
        #expect(try OpusPacket.parse(hex("7C0000").span).isStereo)
    }

    @Test(arguments: [
        ("", CodecError.truncated), ("FB", .truncated), ("FB 00", .malformed), ("FB 07", .malformed),
    ])
    func `no frame and more than 120 ms are refused`(text: String, expected: CodecError) {
        #expect(throws: expected) { try OpusPacket.parse(hex(text).span) }
    }
}
