import Synchronization

/// A number that rises and falls. Any thread may change it; nothing is allocated and no lock taken.
public final class Gauge: Sendable {
    /// The bit pattern of a `Double`.
    private let bits = Atomic<UInt64>(0)

    public init() {}

    public var value: Double {
        Double(bitPattern: bits.load(ordering: .relaxed))
    }

    public func set(_ value: Double) {
        bits.store(value.bitPattern, ordering: .relaxed)
    }

    public func add(_ amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (exchanged, found) = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if exchanged { return }
            old = found
        }
    }
}
