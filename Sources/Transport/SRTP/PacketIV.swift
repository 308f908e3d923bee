/// An initialization vector, or the salt it is made from: 16 bytes for AES-CM, 12 (left-aligned) for GCM.
struct PacketIV: BitwiseCopyable {
    /// Bytes 0 to 7, the first one most significant.
    var high: UInt64
    /// Bytes 8 to 15.
    var low: UInt64

    /// Takes `length` bytes, at most 16, and zeros behind them.
    init(salt: UnsafePointer<UInt8>, length: Int) {
        high = 0
        low = 0
        for index in 0..<length {
            let byte = unsafe UInt64(salt[index])
            if index < 8 {
                high |= byte << UInt64(56 - 8 * index)
            } else {
                low |= byte << UInt64(120 - 8 * index)
            }
        }
    }

    /// With this as the session salt: the vector of one packet. `index` is ROC‖SEQ (48 bits) of an RTP packet
    /// or the 31-bit index of an RTCP packet (RFC 3711 section 4.1.1, RFC 7714 sections 8.1 and 9.1).
    @inline(__always)
    func vector(ssrc: UInt32, index: UInt64, suite: SRTPSuite) -> PacketIV {
        var vector = self
        if suite == .aes128CMSHA1 {
            vector.high ^= UInt64(ssrc)
            vector.low ^= index << 16
        } else {
            vector.high ^= UInt64(ssrc) << 16 | index >> 32
            vector.low ^= index << 32
        }
        return vector
    }

    /// Calls `body` with the 16 bytes in network order.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        var ordered = (high.bigEndian, low.bigEndian)
        return unsafe withUnsafeBytes(of: &ordered) { bytes in
            unsafe body(bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self))
        }
    }
}
