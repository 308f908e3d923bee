import FixedCollections

/// How long datagrams wait in the socket before the worker comes to them, and when that is too long.
///
/// A worker that gets more than it can do would be late with everything: its socket's buffer holds seconds. So media that
/// has waited longer than `bound` is dropped unopened, which costs nothing, while all else is still handled; the rest stays
/// in time. After a mere pause (the machine was busy with something else) the worker has strength to catch up, and drops
/// nothing.
struct Backlog {
    static var bound: Duration { .milliseconds(100) }
    /// The share of its time that a worker is busy when there is more than it can do.
    static var exhausted: Double { 0.9 }

    /// Media of the current batch is dropped.
    private(set) var isLate = false
    /// The longest wait of the second that goes on, and of the one before.
    private var longest = Duration.zero
    private var before = Duration.zero
    private var secondEnds = Instant.zero

    /// A batch has been read, its first datagram having waited so long.
    mutating func note(waited: Duration, load: Double, at now: Instant) {
        isLate = waited > Self.bound && load > Self.exhausted
        roll(to: now)
        longest = max(longest, waited)
    }

    mutating func end() {
        isLate = false
    }

    /// Of the last second or two; zero after two seconds without datagrams.
    func longest(at now: Instant) -> Duration {
        now >= secondEnds + .seconds(1) ? .zero : max(longest, before)
    }

    private mutating func roll(to now: Instant) {
        guard now >= secondEnds else { return }
        before = now >= secondEnds + .seconds(1) ? .zero : longest
        longest = .zero
        secondEnds = now + .seconds(1)
    }
}
