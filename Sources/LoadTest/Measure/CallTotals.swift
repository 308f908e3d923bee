/// What became of calls between users, and how soon each side knew.
public struct CallTotals: Sendable, Equatable {
    public var made: UInt64 = 0
    public var answered: UInt64 = 0
    public var rejected: UInt64 = 0
    public var cancelled: UInt64 = 0
    /// Counted by both sides.
    public var ended: UInt64 = 0
    /// From the call to the ringing of the other side.
    public var rang = Histogram()
    /// From the other side's acceptance to the caller's knowledge of it.
    public var told = Histogram()

    public init() {}

    mutating func combine(
        _ other: CallTotals, _ number: (UInt64, UInt64) -> UInt64,
        _ histogram: (inout Histogram, Histogram) -> Void
    ) {
        made = number(made, other.made)
        answered = number(answered, other.answered)
        rejected = number(rejected, other.rejected)
        cancelled = number(cancelled, other.cancelled)
        ended = number(ended, other.ended)
        histogram(&rang, other.rang)
        histogram(&told, other.told)
    }
}
