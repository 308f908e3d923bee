/// Payloads that carry a number and whose every byte follows from it.
enum TestPayload {
    /// Looks like Opus to a forwarder.
    static func audio(_ number: Int, length: Int = 80) -> [UInt8] {
        [0x78] + numbered(number, length: length - 1)
    }

    /// Looks like a VP8 key frame, or like what follows within one.
    static func video(_ number: Int, length: Int = 900, startsFrame: Bool = true) -> [UInt8] {
        let descriptor: [UInt8] = [
            startsFrame ? 0x90 : 0x80, 0x80, 0x80 | UInt8(number >> 8 & 0x7f), UInt8(number & 0xff),
        ]
        return descriptor + [0x10] + numbered(number, length: length - 5)
    }

    private static func numbered(_ number: Int, length: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(4, length))
        for index in 0..<4 { bytes[index] = UInt8(number >> (24 - 8 * index) & 0xff) }
        for index in 4..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: number &* 31 &+ index) }
        return bytes
    }

    /// The number in a payload; nil if a byte of it isn't as it was sent.
    static func number(of payload: [UInt8], isVideo: Bool) -> Int? {
        let start = isVideo ? 5 : 1
        guard payload.count >= start + 4 else { return nil }
        var number = 0
        for index in 0..<4 { number = number << 8 | Int(payload[start + index]) }
        let expected = numbered(number, length: payload.count - start)
        return Array(payload[start...]) == expected ? number : nil
    }
}
