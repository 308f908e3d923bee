import Testing
import Wire

@Suite struct VP8DescriptorTests {
    /// Everything there is, a key frame of 640 × 480: X S, I L T K, 15-bit picture id, layer 2, Y, key index 21.
    static let key = hex("90 F0 9234 56 B5 10 0200 9D012A 8002 E001")
    /// X, no S: 7-bit picture id only, in the middle of a partition.
    static let short = hex("80 80 7F AABB")

    @Test func `all values of a full descriptor are read`() throws {
        let bytes = Self.key
        let descriptor = try VP8Descriptor.parse(bytes.span)
        #expect(descriptor.length == 6)
        #expect(descriptor.isFrameStart && descriptor.isKeyFrame && !descriptor.isNonReference)
        #expect(descriptor.pictureID == 0x1234 && descriptor.places.hasLongPictureID)
        #expect(descriptor.tl0PictureIndex == 0x56)
        #expect(descriptor.temporalID == 2 && descriptor.isLayerSync)
        #expect(descriptor.keyIndex == 21)
        #expect(descriptor.places.pictureID == 2)
        #expect(descriptor.places.tl0PictureIndex == 4)
        #expect(descriptor.places.keyIndex == 5)
        let size = descriptor.frameSize(in: bytes.span)
        #expect(size == FrameSize(width: 640, height: 480))
    }

    @Test func `a short picture id is read, and what isn't there is nil`() throws {
        let bytes = Self.short
        let descriptor = try VP8Descriptor.parse(bytes.span)
        #expect(descriptor.length == 3)
        #expect(descriptor.pictureID == 127 && !descriptor.places.hasLongPictureID)
        #expect(
            descriptor.tl0PictureIndex == nil && descriptor.temporalID == nil && descriptor.keyIndex == nil)
        #expect(!descriptor.isFrameStart && !descriptor.isKeyFrame)
        let size = descriptor.frameSize(in: bytes.span)
        #expect(size == nil)
    }

    @Test(arguments: [
        ("10 00", true, true), ("10 01", true, false), ("11 00", false, false), ("00 00", false, false),
    ])
    func `a key frame is one at the start of its first partition`(text: String, start: Bool, key: Bool) throws
    {
        let descriptor = try VP8Descriptor.parse(hex(text).span)
        #expect(descriptor.isFrameStart == start)
        #expect(descriptor.isKeyFrame == key)
    }

    @Test func `every cut through the descriptor is refused`() {
        for count in 0..<7 {
            let prefix = Array(Self.key.prefix(count))
            #expect(throws: CodecError.truncated) { try VP8Descriptor.parse(prefix.span) }
        }
    }

    @Test func `values are replaced without moving anything`() throws {
        var bytes = Self.key
        let before = try VP8Descriptor.parse(bytes.span)
        var payload = bytes.mutableSpan
        before.places.rewrite(&payload, pictureID: 0x7FFF, tl0PictureIndex: 1, keyIndex: 0xFF)
        var expected = before
        expected.pictureID = 0x7FFF
        expected.tl0PictureIndex = 1
        expected.keyIndex = 31
        #expect(try VP8Descriptor.parse(bytes.span) == expected)
        #expect(bytes.count == Self.key.count && bytes.suffix(10) == Self.key.suffix(10))
    }

    @Test func `a short picture id keeps its length, and absent values stay absent`() throws {
        var bytes = Self.short
        let before = try VP8Descriptor.parse(bytes.span)
        var payload = bytes.mutableSpan
        before.places.rewrite(&payload, pictureID: 0x1285, tl0PictureIndex: 1, keyIndex: 2)
        #expect(bytes == hex("80 80 05 AABB"))
    }

    @Test func `the size needs the start code and all of its bytes`() throws {
        var bytes = Self.key
        let descriptor = try VP8Descriptor.parse(bytes.span)
        let cut = descriptor.frameSize(in: bytes.span.extracting(..<15))
        bytes[9] = 0
        let wrong = descriptor.frameSize(in: bytes.span)
        #expect(cut == nil)
        #expect(wrong == nil)
    }
}
