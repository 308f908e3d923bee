import Testing
import Wire

@Suite struct MediaFrameInfoTests {
    @Test(arguments: [
        (Codec.vp8, "90 F0 9234 56 B5 10 0200 9D012A 8002 E001", true),
        (.vp8, "10 01", false),
        (.vp9, "28 00 00 AA", true),
        (.vp9, "68 00 00 AA", false),
        (.h264, "65 88AA", true),
        (.h264, "41 9AAA", false),
        (.av1, "18 30AA", true),
        (.av1, "10 30AA", false),
        (.opus, "78", true),
        (.red, "6F", true),
    ])
    func `key frames and frame starts of each codec are told`(codec: Codec, text: String, key: Bool) throws {
        let info = try MediaFrameInfo.describe(codec, payload: hex(text).span, marker: false)
        #expect(info.isKeyFrame == key)
        #expect(info.isFrameStart)
    }

    @Test func `the marker ends a frame, but for VP9, which says so itself, and audio`() throws {
        func ends(_ codec: Codec, _ text: String, marker: Bool) throws -> Bool {
            try MediaFrameInfo.describe(codec, payload: hex(text).span, marker: marker).isFrameEnd
        }
        for (codec, text) in [(Codec.vp8, "10 01"), (.h264, "41 9A"), (.av1, "10 30AA")] {
            #expect(try ends(codec, text, marker: true))
            #expect(try !ends(codec, text, marker: false))
        }
        #expect(try ends(.vp9, "2C 00 00 AA", marker: false))
        #expect(try !ends(.vp9, "28 00 00 AA", marker: true))
        #expect(try ends(.opus, "78", marker: false))
    }

    @Test func `layers and switching points are told`() throws {
        let bytes = VP9DescriptorTests.flexible
        let upper = try MediaFrameInfo.describe(.vp9, payload: bytes.span, marker: true)
        #expect(upper.spatialID == 1 && upper.temporalID == 2 && upper.isSwitchingUpPoint)
        let sync = try MediaFrameInfo.describe(.vp8, payload: hex("90 20 60 01").span, marker: true)
        #expect(sync.temporalID == 1 && sync.isSwitchingUpPoint && !sync.isKeyFrame)
    }

    @Test(arguments: Codec.allCases)
    func `an empty payload is refused`(codec: Codec) {
        #expect(throws: CodecError.truncated) {
            try MediaFrameInfo.describe(codec, payload: [UInt8]().span, marker: true)
        }
    }

    @Test func `hostile payloads are refused or described`() throws {
        let samples = [
            VP8DescriptorTests.key, VP8DescriptorTests.short, VP9DescriptorTests.key,
            VP9DescriptorTests.flexible,
            hex("78 0002 67AA 0001 68 0003 6588AA"), hex("7C 85 88"), hex("28 03 080000 30AA"),
            hex("FB 03 BBCC"),
        ]
        var inputs = HostileInputs(seed: 5, changing: samples)
        var described: [Codec: Int] = [:]
        for _ in 0..<100_000 {
            let bytes = inputs.next()
            for codec in Codec.allCases {
                guard let info = try? MediaFrameInfo.describe(codec, payload: bytes.span, marker: true) else {
                    continue
                }
                described[codec, default: 0] += 1
                try #require(info.spatialID <= 7 && info.temporalID <= 7)
            }
            if let descriptor = try? VP8Descriptor.parse(bytes.span) {
                try #require(descriptor.length <= bytes.count)
                _ = descriptor.frameSize(in: bytes.span)
            }
        }
        for codec in Codec.allCases { #expect(described[codec, default: 0] > 1_000) }
    }
}
