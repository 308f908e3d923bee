import FixedCollections

/// The receiver's clock as transport-cc feedback tells it: 24 bits in units of 64 ms, unwrapped.
///
/// The epoch is the receiver's own: only differences, and changes of the difference to the sender's clock, mean something.
struct ArrivalClock: BitwiseCopyable {
    private var units: Int64 = 0
    private var last: Int32?

    /// The time that a message's arrivals count from.
    mutating func reference(_ time: Int32) -> Instant {
        if let last {
            // To the nearer of the two sides of a wrap.
            units += Int64(((time &- last) << 8) >> 8)
        }
        last = time
        return Instant(nanoseconds: units &* 64_000_000)
    }
}
