import FixedCollections

/// How much longer packets take than they did at best in the last 10 to 20 s.
///
/// The trend tells that a queue grows, not that it stands: this does. A route that has become longer looks like a standing
/// queue too, but for one thing: a queue of our own wavers with what we send, a route doesn't. What has been the same for
/// two seconds is taken for the route.
struct QueueingDelay: BitwiseCopyable {
    private static var period: Int64 { 10_000_000_000 }
    private static var steadyTime: Int64 { 2_000_000_000 }
    private static var steadyMessages: Int { 10 }
    /// How far the delay may waver on a route without a queue.
    private static var steadyBand: Int64 { 4_000_000 }
    /// A rise from one message to the next that is none of chance.
    private static var leastRise: Int64 { 1_000_000 }

    private var best = Int64.max
    private var earlierBest = Int64.max
    private var periodBegan: Int64?
    private var lowest = Int64.max
    // The lowest of the message before, and how often it has risen in a row.
    private var previous: Int64?
    private var rises = 0
    // Since when the delay stays in a band, and what that is.
    private var steadySince: Int64 = 0
    private var steadyCount = 0
    private var steadyLowest = Int64.max
    private var steadyHighest = Int64.min

    /// The least of the last message's packets, in milliseconds.
    private(set) var milliseconds = 0.0

    /// The delay has risen from message to message, twice at least. It rises once when the route gets longer.
    var isRising: Bool { rises >= 2 }

    /// Takes in a packet of the message that is being read.
    mutating func add(sent: Instant, arrival: Instant) {
        lowest = min(lowest, arrival.nanoseconds &- sent.nanoseconds)
    }

    /// The message has been read.
    ///
    /// - Parameter isLosing: more is lost than the link itself loses, so that the queue may be full.
    mutating func finish(isLosing: Bool, at now: Instant) {
        guard lowest != .max else { return }
        let began = periodBegan ?? now.nanoseconds
        periodBegan = began
        if now.nanoseconds - began > Self.period {
            earlierBest = best
            best = .max
            periodBegan = now.nanoseconds
        }
        best = min(best, lowest)
        rises = lowest > (previous ?? lowest) &+ Self.leastRise ? rises + 1 : 0
        previous = lowest
        noteSteadiness(isLosing, at: now)
        milliseconds = Double(lowest &- min(best, earlierBest)) / 1e6
        lowest = .max
    }

    private mutating func noteSteadiness(_ isLosing: Bool, at now: Instant) {
        steadyLowest = min(steadyLowest, lowest)
        steadyHighest = max(steadyHighest, lowest)
        steadyCount += 1
        if isLosing || steadyHighest &- steadyLowest > Self.steadyBand {
            steadySince = now.nanoseconds
            steadyCount = 1
            steadyLowest = lowest
            steadyHighest = lowest
        } else if now.nanoseconds - steadySince >= Self.steadyTime, steadyCount >= Self.steadyMessages {
            best = steadyLowest
            earlierBest = steadyLowest
        }
    }
}
