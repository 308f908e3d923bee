/// A generator of random numbers that depend on nothing but the seed (SplitMix64), so that a failure can be repeated.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// True with the probability `chance`, 0 to 1.
    public mutating func happens(_ chance: Double) -> Bool {
        Double(next() >> 11) < chance * 0x1p53
    }

    /// 0 to `bound` − 1. The remainder is uniform enough for tests, and fast in debug builds.
    public mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next() >> 1) % bound
    }

    /// Random bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
