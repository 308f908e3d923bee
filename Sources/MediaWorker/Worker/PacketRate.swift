import FixedCollections

/// Packets a second, measured now and then.
struct PacketRate {
    /// Over the time between the last two measurements.
    private(set) var value = 0.0
    private var count: UInt64 = 0
    private var at: Instant

    init(now: Instant) {
        at = now
    }

    /// - Parameter count: packets since the start.
    mutating func measure(_ count: UInt64, at now: Instant) {
        let elapsed = Double((now - at).wholeNanoseconds) / 1e9
        guard elapsed > 0 else { return }
        value = Double(count &- self.count) / elapsed
        self.count = count
        at = now
    }
}
