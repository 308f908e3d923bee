import FixedCollections

/// How long a worker gathers packets before it sends them, from how busy it is.
///
/// What is sent together costs less; what waits comes later. A worker with time to spare sends at once. From half of its
/// time in use on it gathers, up to the longest wait at full load, as network cards do with interrupts.
struct Coalescing {
    static var window: Duration { .milliseconds(100) }

    let longest: Duration
    /// Share of the last window that the worker was busy, 0 to 1.
    private(set) var load = 0.0
    /// The same over about two seconds.
    private(set) var averageLoad = 0.0
    private var windowStart: Instant
    private var busy = Duration.zero
    /// When what has gathered must leave; `nil` while nothing waits.
    private(set) var deadline: Instant?

    init(longest: Duration, now: Instant) {
        self.longest = longest
        windowStart = now
    }

    /// Counts a turn that ran from `start` to `end`.
    mutating func note(from start: Instant, to end: Instant) {
        busy += end - start
        let elapsed = end - windowStart
        guard elapsed >= Self.window else { return }
        load = min(1, Double(busy.wholeNanoseconds) / Double(elapsed.wholeNanoseconds))
        averageLoad += (load - averageLoad) * min(1, Double(elapsed.wholeNanoseconds) / 2e9)
        busy = .zero
        windowStart = end
    }

    /// Whether packets that wait at `now` leave in this turn. If not, `deadline` says when.
    mutating func shouldSend(at now: Instant) -> Bool {
        guard load > 0.5 else { return true }
        let gathered =
            deadline ?? now + .nanoseconds(Int64((load - 0.5) * 2 * Double(longest.wholeNanoseconds)))
        deadline = gathered
        return now >= gathered
    }

    /// What waited has left.
    mutating func sent() {
        deadline = nil
    }
}
