/// A point on a monotonic clock, in whole nanoseconds since an epoch that the caller chooses.
///
/// The cores never read a clock: whoever drives them passes the time in, so that tests run on a virtual one.
/// Arithmetic with a literal `Duration` folds to an integer addition.
public struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
    public var nanoseconds: Int64

    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The epoch itself.
    @inlinable public static var zero: Instant { Instant(nanoseconds: 0) }

    /// Later than everything that happens: a timer that is not armed.
    @inlinable public static var distantFuture: Instant { Instant(nanoseconds: .max) }

    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Saturates at `distantFuture`.
    @inlinable
    public static func + (left: Instant, right: Duration) -> Instant {
        let (sum, overflow) = left.nanoseconds.addingReportingOverflow(right.wholeNanoseconds)
        return Instant(nanoseconds: overflow ? .max : sum)
    }

    @inlinable
    public static func - (left: Instant, right: Duration) -> Instant {
        Instant(nanoseconds: left.nanoseconds &- right.wholeNanoseconds)
    }

    @inlinable
    public static func - (left: Instant, right: Instant) -> Duration {
        .nanoseconds(left.nanoseconds &- right.nanoseconds)
    }

    @inlinable
    public static func += (left: inout Instant, right: Duration) {
        left = left + right
    }
}

extension Duration {
    /// The duration in nanoseconds, cut to a whole number; exact within ±292 years.
    @inlinable public var wholeNanoseconds: Int64 {
        Int64(truncatingIfNeeded: attoseconds / 1_000_000_000)
    }

    /// The duration in milliseconds, cut to a whole number.
    @inlinable public var wholeMilliseconds: Int64 {
        wholeNanoseconds / 1_000_000
    }
}
