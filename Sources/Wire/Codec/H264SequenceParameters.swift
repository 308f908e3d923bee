/// The size of the pictures that an H.264 sequence parameter set announces (ITU-T H.264 section 7.3.2.1.1).
enum H264SequenceParameters {
    /// More bytes than the size lies behind, scaling lists included.
    private static var limit: Int { 256 }
    private static var largest: Int { 16_384 }

    /// - Parameter unit: the NAL unit with its header.
    /// - Returns: the size of what is shown of a picture; `nil` if it can't be read or isn't sensible.
    static func frameSize(of unit: Span<UInt8>) -> FrameSize? {
        var bytes = InlineArray<256, UInt8>(repeating: 0)
        let count = unescape(unit, into: &bytes)
        var reader = BitReader(bitCount: count * 8)
        return size(&reader, in: bytes.span)
    }

    /// Takes out the bytes that keep start codes from occurring (section 7.4.1), and the header.
    private static func unescape(_ unit: Span<UInt8>, into bytes: inout InlineArray<256, UInt8>) -> Int {
        var count = 0
        var zeros = 0
        for position in 1..<max(unit.count, 1) where count < limit {
            let byte = unit[position]
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes[count] = byte
            count += 1
        }
        return count
    }

    private static func size(_ reader: inout BitReader, in bytes: Span<UInt8>) -> FrameSize? {
        let profile = reader.read(8, in: bytes)
        _ = reader.read(16, in: bytes)
        _ = reader.readExpGolomb(in: bytes)
        let chroma = hasChromaFormat(profile) ? skipFormat(&reader, in: bytes) : 1
        skipOrder(&reader, in: bytes)
        _ = reader.readExpGolomb(in: bytes)
        _ = reader.readFlag(in: bytes)
        let columns = Int(reader.readExpGolomb(in: bytes)) + 1
        let rows = Int(reader.readExpGolomb(in: bytes)) + 1
        // Fields have half the lines each.
        let fields = reader.readFlag(in: bytes) ? 1 : 2
        if fields == 2 { _ = reader.readFlag(in: bytes) }
        _ = reader.readFlag(in: bytes)
        var cropped = (width: 0, height: 0)
        if reader.readFlag(in: bytes) {
            cropped.width = Int(reader.readExpGolomb(in: bytes)) + Int(reader.readExpGolomb(in: bytes))
            cropped.height = Int(reader.readExpGolomb(in: bytes)) + Int(reader.readExpGolomb(in: bytes))
        }
        let width = columns * 16 - cropped.width * (chroma == 1 || chroma == 2 ? 2 : 1)
        let height = rows * 16 * fields - cropped.height * (chroma == 1 ? 2 : 1) * fields
        guard !reader.isExhausted, (1...largest).contains(width), (1...largest).contains(height) else {
            return nil
        }
        return FrameSize(width: width, height: height)
    }

    private static func hasChromaFormat(_ profile: UInt32) -> Bool {
        switch profile {
        case 44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244: true
        default: false
        }
    }

    /// - Returns: `ChromaArrayType`.
    private static func skipFormat(_ reader: inout BitReader, in bytes: Span<UInt8>) -> UInt32 {
        let format = reader.readExpGolomb(in: bytes)
        let isSeparate = format == 3 && reader.readFlag(in: bytes)
        _ = reader.readExpGolomb(in: bytes)
        _ = reader.readExpGolomb(in: bytes)
        _ = reader.readFlag(in: bytes)
        if reader.readFlag(in: bytes) {
            for list in 0..<(format == 3 ? 12 : 8) where reader.readFlag(in: bytes) {
                skipScalingList(of: list < 6 ? 16 : 64, &reader, in: bytes)
            }
        }
        return isSeparate ? 0 : format
    }

    private static func skipScalingList(of count: Int, _ reader: inout BitReader, in bytes: Span<UInt8>) {
        var last = 8
        for _ in 0..<count {
            let code = Int(reader.readExpGolomb(in: bytes))
            let delta = code & 1 == 1 ? (code + 1) / 2 : -code / 2
            last = (last + delta) & 0xFF
            // The rest is as the last one.
            if last == 0 || reader.isExhausted { return }
        }
    }

    /// Frame numbers and picture order count.
    private static func skipOrder(_ reader: inout BitReader, in bytes: Span<UInt8>) {
        _ = reader.readExpGolomb(in: bytes)
        switch reader.readExpGolomb(in: bytes) {
        case 0: _ = reader.readExpGolomb(in: bytes)
        case 1:
            _ = reader.readFlag(in: bytes)
            _ = reader.readExpGolomb(in: bytes)
            _ = reader.readExpGolomb(in: bytes)
            for _ in 0..<min(reader.readExpGolomb(in: bytes), 255) { _ = reader.readExpGolomb(in: bytes) }
        default: break
        }
    }
}
