/// A token bucket: so many a second, so many at once.
struct RateLimiter {
    private let perSecond: Int
    private let burst: Int
    /// Thousandths of a request that may still be made.
    private var credit: Int
    private var filledAt: Int64

    /// - Parameter now: milliseconds that never run backwards.
    init(perSecond: Int, burst: Int, now: Int64) {
        self.perSecond = perSecond
        self.burst = burst
        credit = burst * 1_000
        filledAt = now
    }

    /// Takes a request: nil if it may be made, else after how many milliseconds the next may.
    mutating func take(now: Int64) -> Int? {
        let elapsed = Int(min(max(now - filledAt, 0), 60_000))
        credit = min(burst * 1_000, credit + elapsed * perSecond)
        filledAt = now
        guard credit < 1_000 else {
            credit -= 1_000
            return nil
        }
        return (1_000 - credit + perSecond - 1) / perSecond
    }
}
