/// Base64 with the URL-safe alphabet and without padding (RFC 4648 section 5, as RFC 7515 uses it).
enum Base64URL {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 4 / 3 + 3)
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = (bits << 8) | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> UInt32(count)) & 63])
            }
            bits &= (1 << UInt32(count)) - 1
        }
        if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count)) & 63]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes, or nil for a character outside of the alphabet, an impossible length or bits left over.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            bits = (bits << 6) | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
            bits &= (1 << UInt32(count)) - 1
        }
        guard count < 6, bits == 0 else { return nil }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
