import FixedCollections

/// The lowest estimate of the last 5 to 7.5 s, by minima of 2.5 s each.
///
/// The link is still being found at the start: then there is nothing to be careful about yet, and the newest estimate counts.
struct EstimateHistory: BitwiseCopyable {
    private static var period: Duration { .milliseconds(2_500) }

    /// Bits a second.
    private(set) var latest = 0
    private var running = Int.max
    private var last = Int.max
    private var secondLast = Int.max
    private var periodEnds = Instant.zero
    private var isStarted = false

    /// The link is still being found.
    var isFinding: Bool { !isStarted }

    /// The lower of the last two minima and the one that is being made.
    var stable: Int { min(latest, min(running, min(last, secondLast))) }

    mutating func add(_ estimate: Int, isStarting: Bool, at now: Instant) {
        if isStarting || !isStarted {
            self = EstimateHistory()
            isStarted = !isStarting
            periodEnds = now + Self.period
        }
        advance(to: now)
        latest = estimate
        running = min(running, estimate)
    }

    private mutating func advance(to now: Instant) {
        var rounds = 0
        while now >= periodEnds, rounds < 3 {
            secondLast = last
            last = running
            // It has held all the while.
            running = latest
            periodEnds += Self.period
            rounds += 1
        }
        if now >= periodEnds { periodEnds = now + Self.period }
    }
}
