import FixedCollections
import Wire

/// A source's own mapping between its NTP clock and its RTP timestamps, from its last sender report
/// (RFC 3550 section 6.4.1).
///
/// Seats report this mapping on, so that a publisher's audio and video keep the relation that the publisher gave them.
struct SourceClock: BitwiseCopyable, Sendable {
    private var ntp = NTPTime(rawValue: 0)
    private var timestamp = RTPTimestamp(0)
    private var arrival: Instant?

    init() {}

    mutating func update(ntp: NTPTime, timestamp: RTPTimestamp, at now: Instant) {
        self.ntp = ntp
        self.timestamp = timestamp
        arrival = now
    }

    /// When the last report came.
    var updatedAt: Instant? { arrival }

    /// The middle 32 bits of the last report's NTP time, for LSR; 0 before the first.
    var lastReport: UInt32 { arrival == nil ? 0 : ntp.middle }

    /// The pair for the present moment: both sides moved on by the time since the report.
    func reading(at now: Instant, clockRate: Int) -> (ntp: NTPTime, timestamp: RTPTimestamp)? {
        guard let arrival else { return nil }
        let elapsed = max(0, (now - arrival).wholeNanoseconds)
        let ticks = elapsed / 1_000 * Int64(clockRate) / 1_000_000
        // The NTP side moves by exactly as many ticks as the RTP side, so that rounding can't pile up.
        let exact = ticks * 1_000_000_000 / Int64(clockRate)
        let fraction = UInt64(exact % 1_000_000_000) << 32 / 1_000_000_000
        let moved = UInt64(exact / 1_000_000_000) << 32 | fraction
        return (NTPTime(rawValue: ntp.rawValue &+ moved), timestamp.advanced(by: Int(ticks)))
    }

    /// What added to this source's timestamps gives those of another for the same moment, if both have one NTP clock;
    /// `nil` before both have reported.
    func offset(to other: SourceClock, clockRate: Int) -> UInt32? {
        guard arrival != nil, other.arrival != nil else { return nil }
        let elapsed = ntp.elapsed(since: other.ntp).wholeNanoseconds
        guard abs(elapsed) < 3_600_000_000_000 else { return nil }
        let ticks = (Double(elapsed) * Double(clockRate) / 1_000_000_000).rounded()
        return other.timestamp.rawValue &- timestamp.rawValue &+ UInt32(truncatingIfNeeded: Int(ticks))
    }
}
