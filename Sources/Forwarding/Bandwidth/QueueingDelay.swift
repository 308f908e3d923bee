import FixedCollections

/// How much longer packets take than they did at best in the last 10 to 20 s.
///
/// The trend tells that a queue grows, not that it stands: this does. A route that has become longer looks like a standing
/// queue until the best of the old one is forgotten.
struct QueueingDelay: BitwiseCopyable {
    private static var period: Int64 { 10_000_000_000 }

    private var best = Int64.max
    private var earlierBest = Int64.max
    private var periodBegan: Int64?
    private var lowest = Int64.max

    /// The least of the last message's packets, in milliseconds.
    private(set) var milliseconds = 0.0

    /// Takes in a packet of the message that is being read.
    mutating func add(sent: Instant, arrival: Instant) {
        lowest = min(lowest, arrival.nanoseconds &- sent.nanoseconds)
    }

    /// The message has been read.
    mutating func finish(at now: Instant) {
        guard lowest != .max else { return }
        let began = periodBegan ?? now.nanoseconds
        periodBegan = began
        if now.nanoseconds - began > Self.period {
            earlierBest = best
            best = .max
            periodBegan = now.nanoseconds
        }
        best = min(best, lowest)
        milliseconds = Double(lowest &- min(best, earlierBest)) / 1e6
        lowest = .max
    }
}
