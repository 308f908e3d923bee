import Testing
import Wire

@Suite struct RTPWriterTests {
    private let fields = RTPFields(
        marker: true, payloadType: PayloadType(111), sequenceNumber: SequenceNumber(0x0102),
        timestamp: RTPTimestamp(0x0304_0506), ssrc: SSRC(0x0708_090A))

    private func written(
        twoByte: Bool = false, count: Int = 64,
        _ body: (inout RTPWriter, inout MutableSpan<UInt8>) throws(RTPError) -> Void
    ) throws(RTPError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xEE, count: count)
        var packet = bytes.mutableSpan
        var writer = try RTPWriter(fields, usingTwoByteForm: twoByte, into: &packet)
        try body(&writer, &packet)
        let length = try writer.finish(&packet)
        return Array(bytes.prefix(length))
    }

    @Test func `without elements there is no extension block`() throws {
        let bytes = try written { _, _ in }
        #expect(bytes == hex("80 EF 0102 03040506 0708090A"))
    }

    @Test func `small ids and values take the one-byte form`() throws {
        let bytes = try written { writer, packet throws(RTPError) in
            try writer.append(id: 1, AudioLevel(level: 30, isVoice: false), to: &packet)
            try writer.append(id: 3, SequenceNumber(0xBEEF), to: &packet)
            try writer.append(id: 14, absoluteSendTime: 0xFF01_0203, to: &packet)
        }
        #expect(bytes == hex("90 EF 0102 03040506 0708090A BEDE0003 101E 31BEEF E2010203 000000"))
    }

    @Test func `the two-byte form is taken when it is asked for`() throws {
        let bytes = try written(twoByte: true) { writer, packet throws(RTPError) in
            try writer.append(id: 1, hex("AA").span, to: &packet)
        }
        #expect(bytes == hex("90 EF 0102 03040506 0708090A 10000001 0101AA 00"))
    }

    @Test(arguments: [(UInt8(15), 1), (16, 3), (2, 0), (2, 17), (255, 40)])
    func `elements turn to the two-byte form once one needs it`(id: UInt8, length: Int) throws {
        let long = [UInt8](repeating: 0xCC, count: length)
        let bytes = try written(count: 128) { writer, packet throws(RTPError) in
            if let mid = ShortID("m1") { try writer.append(id: 4, mid, to: &packet) }
            try writer.append(id: 5, SequenceNumber(0x0A0B), to: &packet)
            try writer.append(id: id, long.span, to: &packet)
            try writer.append(id: 6, hex("66").span, to: &packet)
        }
        let header = try RTPHeader.parse(bytes.span)
        #expect(header.extensionProfile == 0x1000)
        var found: [UInt8: [UInt8]] = [:]
        var walk = HeaderExtensions(of: header)
        while let element = walk.next(in: bytes.span) { found[element.id] = Array(bytes[element.range]) }
        #expect(found == [4: hex("6D31"), 5: hex("0A0B"), id: long, 6: hex("66")])
    }

    @Test func `id 0 and values above 255 bytes are refused`() {
        #expect(throws: RTPError.invalidExtension) {
            try written { writer, packet throws(RTPError) in
                try writer.append(id: 0, hex("AA").span, to: &packet)
            }
        }
        #expect(throws: RTPError.invalidExtension) {
            try written(count: 400) { writer, packet throws(RTPError) in
                try writer.append(id: 1, [UInt8](repeating: 0, count: 256).span, to: &packet)
            }
        }
    }

    @Test func `a buffer of any size is filled or refused, never overrun`() throws {
        var refused = 0
        for count in 0...64 {
            do {
                let bytes = try written(count: count) { writer, packet throws(RTPError) in
                    try writer.append(id: 1, hex("AABBCC").span, to: &packet)
                    try writer.append(id: 20, hex("DDEE").span, to: &packet)
                }
                #expect(try RTPHeader.parse(bytes.span).headerLength == 28)
            } catch {
                #expect(error == .noSpace)
                refused += 1
            }
        }
        #expect(refused >= 28 && refused <= 32)
    }
}
