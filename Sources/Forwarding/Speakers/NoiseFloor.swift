/// The level that a sender's background noise reaches, from the minimum of the last 15 s and how far the quiet samples
/// lie above it.
///
/// Loudness alone can't tell noise from speech, since a fan may be as loud as a voice. But a voice comes down to the
/// background between words, and a noise stays near its own minimum.
struct NoiseFloor: BitwiseCopyable, Sendable {
    /// Minima of 3 s each, 150 samples; `unknown` for those that are still to come.
    private var minima = InlineArray<5, UInt8>(repeating: unknown)
    private var current: UInt8 = 0
    private var samples: UInt8 = 0
    private var minimum = unknown
    /// Mean distance of quiet samples from the minimum, in 1/256.
    private var spread: UInt16 = 0
    /// Quiet samples taken in, as far as it matters.
    private var learned: UInt8 = 0

    private static var unknown: UInt8 { .max }
    private static var samplesAMinimum: UInt8 { 150 }
    /// What lies higher above the minimum isn't noise.
    private static var quietRange: UInt8 { 20 }
    /// The spread is learned from so many quiet samples, and follows slowly afterwards: over a loud noise, words are
    /// quiet samples too, and would raise the threshold that they have to pass.
    private static var learningSamples: UInt8 { 150 }

    private var isLearning: Bool { learned < Self.learningSamples }

    init() {}

    /// Below this level a sample may be noise: 8 to 15 dB above the minimum, more the more the noise varies, and 10 at
    /// least while it isn't known well.
    var threshold: UInt8 {
        guard minimum != Self.unknown else { return 0 }
        let margin = Int(spread) * 13 / 8 / 256
        return UInt8(min(127, Int(minimum) + max(isLearning ? 10 : 8, min(15, margin))))
    }

    /// Takes a sample of 20 ms in. Digital silence says nothing about the background: it is left out.
    mutating func add(_ level: UInt8) {
        guard level > 0 else { return }
        minima[Int(current)] = min(minima[Int(current)], level)
        minimum = min(minimum, level)
        let distance = level - minimum
        if distance < Self.quietRange {
            spread = UInt16(Int(spread) + (Int(distance) * 256 - Int(spread)) / (isLearning ? 32 : 256))
            if isLearning { learned += 1 }
        }
        samples += 1
        if samples == Self.samplesAMinimum { beginNext() }
    }

    private mutating func beginNext() {
        samples = 0
        current = (current + 1) % 5
        minima[Int(current)] = Self.unknown
        minimum = Self.unknown
        for index in 0..<5 { minimum = min(minimum, minima[index]) }
    }
}
