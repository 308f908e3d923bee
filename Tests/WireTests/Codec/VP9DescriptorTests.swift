import Testing
import Wire

@Suite struct VP9DescriptorTests {
    /// Non-flexible key picture: I L B E V, 15-bit id, T0 S0, TL0PICIDX 9, two layers with sizes, a group of two.
    static let key = hex("AE 8123 00 09 38 014000B4 02800168 02 00 44 01 AABB")
    /// Flexible, I P L F B, 7-bit id, T2 U S1 D, two references.
    static let flexible = hex("F8 11 53 0304 AA")

    @Test func `a key picture with its structure is read`() throws {
        let bytes = Self.key
        let descriptor = try VP9Descriptor.parse(bytes.span)
        #expect(descriptor.length == bytes.count - 2)
        #expect(descriptor.isKeyFrame && descriptor.isFrameStart && descriptor.isFrameEnd)
        #expect(descriptor.pictureID == 0x0123 && descriptor.pictureIDOffset == 1)
        #expect(descriptor.tl0PictureIndex == 9 && descriptor.tl0PictureIndexOffset == 4)
        let structure = try #require(descriptor.structure)
        #expect(structure.spatialLayerCount == 2 && structure.groupSize == 2)
        #expect(structure.size(ofLayer: 0) == FrameSize(width: 320, height: 180))
        #expect(structure.size(ofLayer: 1) == FrameSize(width: 640, height: 360))
        #expect(structure.size(ofLayer: 2) == nil && structure.size(ofLayer: -1) == nil)
    }

    @Test func `layers and references of flexible mode are read`() throws {
        let descriptor = try VP9Descriptor.parse(Self.flexible.span)
        #expect(descriptor.isInterPicture && descriptor.isFlexible && !descriptor.isKeyFrame)
        #expect(descriptor.pictureID == 0x11 && !descriptor.hasLongPictureID)
        #expect(descriptor.temporalID == 2 && descriptor.isSwitchingUpPoint)
        #expect(descriptor.spatialID == 1 && descriptor.dependsOnLowerLayer)
        #expect(descriptor.tl0PictureIndex == nil)
        #expect(descriptor.firstReference == 1 && descriptor.secondReference == 2)
        #expect(descriptor.thirdReference == 0)
        #expect(descriptor.length == 5)
    }

    @Test func `sizes of eight layers are kept apart`() throws {
        let sizes = (1...8).map { "00" + "0\($0)" + "01" + "0\($0)" }.joined()
        let descriptor = try VP9Descriptor.parse(hex("0A F0" + sizes).span)
        let structure = try #require(descriptor.structure)
        let found = (0..<8).map { structure.size(ofLayer: $0) }
        #expect(found == (1...8).map { FrameSize(width: $0, height: 256 + $0) })
    }

    @Test func `an upper layer of a key picture, and a packet inside it, aren't a start`() throws {
        // L B, SID 1; then L without B, SID 0.
        #expect(try !VP9Descriptor.parse(hex("28 02 00 AA").span).isKeyFrame)
        #expect(try !VP9Descriptor.parse(hex("20 00 00 AA").span).isKeyFrame)
        #expect(try VP9Descriptor.parse(hex("28 00 00 AA").span).isKeyFrame)
    }

    @Test func `a fourth reference is refused`() {
        #expect(throws: CodecError.malformed) { try VP9Descriptor.parse(hex("50 030303 02").span) }
    }

    @Test func `every cut through the descriptor is refused`() {
        for sample in [Self.key.dropLast(2), Self.flexible.dropLast(1)] {
            for count in 0..<sample.count {
                let prefix = Array(sample.prefix(count))
                #expect(throws: CodecError.truncated) { try VP9Descriptor.parse(prefix.span) }
            }
        }
    }

    @Test func `values are replaced without moving anything`() throws {
        var bytes = Self.key
        let before = try VP9Descriptor.parse(bytes.span)
        var payload = bytes.mutableSpan
        before.places.rewrite(&payload, pictureID: 0x7ABC, tl0PictureIndex: 77, keyIndex: 0)
        var expected = before
        expected.pictureID = 0x7ABC
        expected.tl0PictureIndex = 77
        #expect(try VP9Descriptor.parse(bytes.span) == expected)
    }
}
