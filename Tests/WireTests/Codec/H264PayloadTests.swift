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
}
