import Synchronization

/// What a store has done so far.
public struct StoreStatistics: Sendable, Equatable {
    /// Transactions that were committed.
    public var commits: Int
    /// Verbs that change something, answered with success or error.
    public var writes: Int
    /// Verbs that read.
    public var reads: Int
    /// Verbs that were refused because too much was waiting.
    public var refused: Int
    /// Verbs that wait now.
    public var waiting: Int
}

/// Counted by the store's threads, read by anybody.
final class StoreCounters: Sendable {
    let commits = Atomic<Int>(0)
    let writes = Atomic<Int>(0)
    let reads = Atomic<Int>(0)
    let refused = Atomic<Int>(0)
    /// The disk refused the last that was to be written.
    let isDiskFailing = Atomic<Bool>(false)

    /// Notes why something wasn't written.
    func note(_ error: StoreError?) {
        switch error {
        case .disk, .cannotOpen, .corrupt, .busy: isDiskFailing.store(true, ordering: .relaxed)
        default: break
        }
    }
}
