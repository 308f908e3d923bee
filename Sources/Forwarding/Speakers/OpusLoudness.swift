import Wire

/// What an Opus packet's length tells about its loudness, for senders without the audio level extension.
///
/// A heuristic: encoders with a variable rate spend about twice the bytes on speech that they spend on background
/// noise, and next to none on silence. A doubling of the bytes in 20 ms counts as 16 dB, which puts voice (above
/// −47 dBov) at 13 kbit/s and more. DTX packets are silence. With a constant rate, or padding, the level is constant:
/// such a sender is taken for a steady noise and never named.
enum OpusLoudness {
    /// - Parameters:
    ///   - bytes: length of the payload.
    ///   - ticks: length in ticks of the 48 kHz clock.
    /// - Returns: 0 (silence) to 127.
    static func level(bytes: Int, ticks: Int) -> UInt8 {
        guard bytes > 2, ticks > 0 else { return 0 }
        // In 1/16 of a byte, so that small packets are told apart.
        let scaled = max(16, bytes * 16 * 960 / ticks)
        let exponent = Int.bitWidth - 1 - scaled.leadingZeroBitCount
        let fraction = ((scaled - (1 << exponent)) * 16) >> exponent
        return UInt8(max(0, min(127, (exponent - 4) * 16 + fraction)))
    }
}
