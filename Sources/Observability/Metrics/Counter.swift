import Synchronization

/// A number that only rises. Any thread may raise it; nothing is allocated and no lock taken.
public final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)

    public init() {}

    public var value: UInt64 {
        count.load(ordering: .relaxed)
    }

    public func increment(by amount: UInt64 = 1) {
        count.wrappingAdd(amount, ordering: .relaxed)
    }
}
