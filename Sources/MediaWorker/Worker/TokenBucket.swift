import FixedCollections

/// Lets things happen at a rate, with bursts.
struct TokenBucket: BitwiseCopyable {
    private let interval: Duration
    private let tolerance: Duration
    /// When the next one would come if they came evenly.
    private var next = Instant.zero

    /// - Parameters:
    ///   - rate: how many a second on average, 1 to 1,000,000,000.
    ///   - burst: how many at once after a pause, from 1 on.
    init(rate: Int, burst: Int) {
        interval = .nanoseconds(1_000_000_000 / Int64(rate))
        tolerance = .nanoseconds(interval.wholeNanoseconds * Int64(burst - 1))
    }

    /// Takes one; false if there is none.
    mutating func take(at now: Instant) -> Bool {
        let start = max(next, now)
        guard start - now <= tolerance else { return false }
        next = start + interval
        return true
    }

    /// Puts the last one back.
    mutating func giveBack() {
        next = next - interval
    }
}
