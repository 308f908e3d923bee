import FixedCollections

/// Numbers that come out the same for the same seed (SplitMix64).
struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }

    /// From 0 up to, not including, 1.
    mutating func unit() -> Double {
        Double(next() >> 11) / Double(1 << 53)
    }
}

/// Sizes of video frames as a real-time encoder makes them: they vary around what the rate allows, key frames are
/// several times as large and are paid back by the frames behind them.
struct EncoderModel: Sendable {
    /// A key frame's size in mean frames.
    static let keyFrameFactor = 6.0
    /// The smallest frame, bytes.
    static let smallest = 120

    let bitsPerSecond: Int
    let framesPerSecond: Int
    /// 1 to 3.
    let temporalLayers: Int
    private var random: SeededRandom
    /// Bytes spent beyond the rate.
    private var debt = 0.0
    private var position = 0

    init(bitsPerSecond: Int, framesPerSecond: Int, temporalLayers: Int = 1, seed: UInt64) {
        self.bitsPerSecond = bitsPerSecond
        self.framesPerSecond = framesPerSecond
        self.temporalLayers = temporalLayers
        random = SeededRandom(seed: seed)
    }

    struct Frame: Equatable {
        var bytes: Int
        var isKey: Bool
        /// 0 is the lowest.
        var temporal: UInt8
    }

    /// The next frame. A key frame starts the pattern of temporal layers anew.
    mutating func next(isKey: Bool) -> Frame {
        if isKey { position = 0 }
        let temporal = Self.pattern(temporalLayers)[position % Self.pattern(temporalLayers).count]
        position += 1
        let mean = Double(bitsPerSecond) / 8 / Double(framesPerSecond)
        var size = mean * (0.75 + 0.5 * random.unit())
        if isKey {
            size = mean * Self.keyFrameFactor * (0.9 + 0.2 * random.unit())
        } else {
            // A second is how long a rate controller takes to get even.
            size = max(size - debt / Double(framesPerSecond) * 2, mean * 0.4)
        }
        let bytes = max(Self.smallest, Int(size))
        debt = max(-mean, debt + Double(bytes) - mean)
        return Frame(bytes: bytes, isKey: isKey, temporal: temporal)
    }

    private static func pattern(_ layers: Int) -> [UInt8] {
        switch layers {
        case 2: [0, 1]
        case 3: [0, 2, 1, 2]
        default: [0]
        }
    }
}
