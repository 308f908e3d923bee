import FixedCollections

/// Durations in buckets of which each is at most 1.6 % wide, from 1 µs to 134 s. Recording is O(1) and allocates nothing.
///
/// Two of them can be subtracted, so that a window of time is what was counted at its end minus what was at its start.
public struct Histogram: Sendable, Equatable {
    /// Buckets an octave; below as many microseconds, each has a bucket of its own.
    private static let steps = 64
    private static let octaves = 22

    private var counts = [UInt64](repeating: 0, count: steps * octaves)
    /// Values recorded.
    public private(set) var count: UInt64 = 0
    /// Of all values, in nanoseconds.
    public private(set) var sum: Int64 = 0

    public init() {}

    /// Negative durations count as 0.
    public mutating func record(_ duration: Duration) {
        record(nanoseconds: duration.wholeNanoseconds)
    }

    mutating func record(nanoseconds: Int64) {
        counts[Self.bucket(UInt64(max(0, nanoseconds) / 1_000))] += 1
        count += 1
        sum += max(0, nanoseconds)
    }

    public mutating func add(_ other: Histogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        count += other.count
        sum += other.sum
    }

    /// Takes away what was counted earlier in this same histogram.
    public mutating func subtract(_ earlier: Histogram) {
        for index in counts.indices { counts[index] -= earlier.counts[index] }
        count -= earlier.count
        sum -= earlier.sum
    }

    /// The duration that this share (0 to 1) of the values doesn't exceed, to within a bucket; nil without values.
    public func percentile(_ share: Double) -> Duration? {
        guard count > 0 else { return nil }
        let rank = max(1, UInt64((share * Double(count)).rounded(.up)))
        var seen: UInt64 = 0
        for index in counts.indices {
            seen += counts[index]
            if seen >= rank { return .microseconds(Self.middle(of: index)) }
        }
        return nil
    }

    public var mean: Duration? {
        count > 0 ? .nanoseconds(sum / Int64(count)) : nil
    }

    private static func bucket(_ microseconds: UInt64) -> Int {
        guard microseconds >= UInt64(steps) else { return Int(microseconds) }
        let octave = 63 - microseconds.leadingZeroBitCount - 6
        let within = Int(microseconds >> UInt64(octave)) - steps
        return min(steps * (octave + 1) + within, steps * octaves - 1)
    }

    private static func middle(of bucket: Int) -> Double {
        guard bucket >= steps else { return Double(bucket) }
        let octave = bucket / steps - 1
        let low = UInt64(steps + bucket % steps) << UInt64(octave)
        return Double(low) + Double(UInt64(1) << UInt64(octave)) / 2
    }
}
