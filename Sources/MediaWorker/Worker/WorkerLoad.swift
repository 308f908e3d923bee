import Synchronization

/// How busy a worker is: written by its thread, read by the pool.
final class WorkerLoad: Sendable {
    private let share = Atomic<Double>(0)

    init() {}

    /// Share of its time, 0 to 1, over the last seconds.
    var value: Double { share.load(ordering: .relaxed) }

    func set(_ value: Double) {
        share.store(value, ordering: .relaxed)
    }
}
