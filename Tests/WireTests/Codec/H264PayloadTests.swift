import Testing
import Wire

@Suite struct H264PayloadTests {
    @Test(arguments: [
        ("67 42E01F", true, true),  // sequence parameters
        ("65 88AA", true, true),  // IDR, first slice
        ("65 40AA", true, false),  // IDR, a later slice
        ("68 CE", false, true),  // picture parameters
        ("41 9AAA", false, true),  // slice, first
        ("41 40AA", false, false),  // slice, later
        ("78 0002 67AA 0001 68 0003 6588AA", true, true),  // STAP-A: SPS, PPS, IDR
        ("78 0003 419AAA", false, true),  // STAP-A: a slice
        ("7C 85 88", true, true),  // FU-A, first piece of an IDR slice
        ("7C 05 88", false, false),  // FU-A, a later piece
        ("5C 81 9A", false, true),  // FU-A, first piece of a slice
        ("5C 41 9A", false, false),  // FU-A, last piece of a slice
    ])
    func `key frames and starts are told`(text: String, key: Bool, start: Bool) throws {
        let payload = try H264Payload.parse(hex(text).span)
        #expect(payload.isKeyFrame == key)
        #expect(payload.isFrameStart == start)
    }

    @Test func `reference idc 0 in all units is a picture that nothing depends on`() throws {
        #expect(try H264Payload.parse(hex("01 9A").span).isNonReference)
        #expect(try H264Payload.parse(hex("1C 01 9A").span).isNonReference)
        #expect(try !H264Payload.parse(hex("78 0002 019A 0002 419A").span).isNonReference)
    }

    @Test(arguments: [
        ("", CodecError.truncated), ("E7", .malformed), ("60", .malformed), ("79 00", .unsupported),
        ("7D 85 0000", .unsupported), ("78", .truncated), ("78 00", .truncated), ("78 0002 67", .truncated),
        ("78 0000", .malformed), ("78 0001 67 00", .truncated), ("7C", .truncated),
    ])
    func `what is cut, forbidden or interleaved is refused`(text: String, expected: CodecError) {
        #expect(throws: expected) { try H264Payload.parse(hex(text).span) }
    }

    /// Written by x264: baseline, main, high, cropped, 4:2:2, 4:4:4, interlaced.
    @Test(arguments: [
        ("6742c00cd901419f9f011000000300100000030320f142a480", 320, 180),
        ("674d401feca02802dd80880000030008000003019078c18cb0", 1_280, 720),
        ("67640028acd940780227e5c044000003000400000300c83c60c658", 1_920, 1_080),
        ("6764001eacd940a02fea4c0440000003004000000c83c58b6580", 638, 362),
        ("677a001ebcd940a02ff89c0440000003004000000c83c58b6580", 640, 360),
        ("67f4000d919b282a33c7c5e022000003000200000300641e28532c", 322, 182),
        ("6764001eacd940b424d8088000000300800000190f8a14cb", 720, 576),
    ])
    func `sequence parameters tell the size`(text: String, width: Int, height: Int) throws {
        let unit = hex(text)
        let expected = FrameSize(width: width, height: height)
        let alone = try H264Payload.parse(unit.span).frameSize(in: unit.span)
        #expect(alone == expected)
        let aggregate = hex("78 0001 09") + [0, UInt8(unit.count)] + unit + hex("0003 6588AA")
        let together = try H264Payload.parse(aggregate.span).frameSize(in: aggregate.span)
        #expect(together == expected)
        // Cut anywhere, there is no other size and no trap.
        for length in 1..<unit.count {
            let part = Array(unit[..<length])
            let size = try H264Payload.parse(part.span).frameSize(in: part.span)
            #expect(size == nil || size == expected)
        }
    }

    @Test(arguments: ["67", "67 42E01F", "67 42E01F 00000000 00000000", "65 88AA"])
    func `parameters that tell no sensible size tell none`(text: String) throws {
        let unit = hex(text)
        let size = try H264Payload.parse(unit.span).frameSize(in: unit.span)
        #expect(size == nil)
    }
}
