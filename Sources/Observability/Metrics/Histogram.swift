/// Counts observations in fixed buckets. Any thread may observe; nothing is allocated and no lock taken.
///
/// An observation costs a binary search over the buckets.
public final class Histogram: Sendable {
    /// Upper bounds of the buckets, inclusive, rising; above the last one is another bucket without a bound.
    public let bounds: [Double]
    private let buckets: [Counter]
    private let total = Gauge()

    /// Bounds must rise and be finite.
    public init(bounds: [Double]) {
        precondition(
            bounds.allSatisfy(\.isFinite) && zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 },
            "the bounds of a histogram rise")
        self.bounds = bounds
        buckets = (0...bounds.count).map { _ in Counter() }
    }

    /// What isn't a number is not counted.
    public func observe(_ value: Double) {
        guard !value.isNaN else { return }
        var low = 0
        var high = bounds.count
        while low < high {
            let middle = (low + high) / 2
            if bounds[middle] < value { low = middle + 1 } else { high = middle }
        }
        buckets[low].increment()
        total.add(value)
    }

    /// How many observations were at most each bound, and how many there were; and their sum.
    ///
    /// Observations made meanwhile may be in one of the two and not in the other.
    public var snapshot: (cumulative: [UInt64], sum: Double) {
        var count: UInt64 = 0
        let cumulative = buckets.map { bucket in
            count &+= bucket.value
            return count
        }
        return (cumulative, total.value)
    }
}
