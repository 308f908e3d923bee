import FixedCollections

/// A time of day as NTP writes it: seconds since 1900 in the upper, their fraction in the lower 32 bits
/// (RFC 3550 section 4). Wraps in 2036, so that only differences mean something over long times.
public struct NTPTime: Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt64

    @inlinable
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The time `duration` after the start of 1970; cut to the 32 bits of seconds.
    public init(sinceUnixEpoch duration: Duration) {
        let (seconds, attoseconds) = duration.components
        // Attoseconds may be negative when the duration is; borrow a second then.
        let borrow: Int64 = attoseconds < 0 ? 1 : 0
        let nanoseconds = UInt64(attoseconds / 1_000_000_000 + borrow * 1_000_000_000)
        let whole = UInt64(truncatingIfNeeded: seconds &- borrow &+ 2_208_988_800)
        rawValue = whole << 32 &+ nanoseconds << 32 / 1_000_000_000
    }

    /// The middle 32 bits, in units of 2^−16 s: what LSR, LRR, DLSR and DLRR carry.
    @inlinable public var middle: UInt32 {
        UInt32(truncatingIfNeeded: rawValue >> 16)
    }

    /// Time from `other` to this, ±68 years.
    public func elapsed(since other: NTPTime) -> Duration {
        let difference = Int64(truncatingIfNeeded: rawValue &- other.rawValue)
        let seconds = difference >> 32
        let fraction = ((difference & 0xFFFF_FFFF) * 1_000_000_000) >> 32
        return .seconds(seconds) + .nanoseconds(fraction)
    }

    /// A duration as 32 bits in units of 2^−16 s (DLSR, DLRR): 0 if negative, at most 18 hours.
    public static func compact(_ duration: Duration) -> UInt32 {
        let nanoseconds = min(max(duration.wholeNanoseconds, 0), 65_535_999_000_000)
        return UInt32(truncatingIfNeeded: nanoseconds * 65_536 / 1_000_000_000)
    }

    /// The duration that 32 bits in units of 2^−16 s say.
    public static func duration(compact: UInt32) -> Duration {
        .nanoseconds((Int64(compact) * 1_000_000_000) >> 16)
    }
}
