/// The FINGERPRINT attribute: CRC-32 (ISO 3309) of what precedes it, XORed (RFC 8489 section 14.7).
enum STUNFingerprint {
    /// Bytes of the whole attribute.
    static let size = 8
    private static let mask: UInt32 = 0x5354_554e

    /// Remainders of the sixteen values of four bits, lowest bit first.
    private static let remainders: InlineArray<16, UInt32> = [
        0x0000_0000, 0x1db7_1064, 0x3b6e_20c8, 0x26d9_30ac,
        0x76dc_4190, 0x6b6b_51f4, 0x4db2_6158, 0x5005_713c,
        0xedb8_8320, 0xf00f_9344, 0xd6d6_a3e8, 0xcb61_b38c,
        0x9b64_c2b0, 0x86d3_d2d4, 0xa00a_e278, 0xbdbd_f21c,
    ]

    /// The attribute's value for a message whose first `count` bytes precede the attribute.
    ///
    /// - Complexity: linear in `count`.
    static func value(of bytes: Span<UInt8>, count: Int) -> UInt32 {
        var remainder: UInt32 = 0xffff_ffff
        for index in 0..<min(count, bytes.count) {
            remainder ^= UInt32(bytes[index])
            remainder = remainder >> 4 ^ remainders[Int(remainder & 15)]
            remainder = remainder >> 4 ^ remainders[Int(remainder & 15)]
        }
        return ~remainder ^ mask
    }

    /// Whether the message ends in a FINGERPRINT, and the right one.
    static func isValid(in bytes: Span<UInt8>) -> Bool {
        let offset = bytes.count - size
        guard offset >= STUNHeader.size,
            bytes.loadUInt16(at: offset) == STUNAttributeType.fingerprint.rawValue,
            bytes.loadUInt16(at: offset + 2) == 4
        else { return false }
        return bytes.loadUInt32(at: offset + 4) == value(of: bytes, count: offset)
    }
}
