/// Wakes an actor when the state machine that it owns has something to do. The owner sets it after each change.
struct DeadlineTimer {
    private var pending: (deadline: Int64, task: Task<Void, Never>)?

    /// Waits for another deadline, in milliseconds of the same clock as `now`; nil: for none. A later one than the last
    /// changes nothing: the owner is woken early, finds nothing to do, and sets it again.
    mutating func set(_ deadline: Int64?, now: Int64, _ wake: @escaping @Sendable () async -> Void) {
        if let pending, let deadline, pending.deadline <= deadline { return }
        pending?.task.cancel()
        pending = deadline.map { deadline in
            let wait = max(0, deadline - now)
            return (
                deadline,
                Task {
                    guard (try? await Task.sleep(for: .milliseconds(wait))) != nil else { return }
                    await wake()
                }
            )
        }
    }

    /// To be called first by whoever is woken.
    mutating func woke() {
        pending = nil
    }
}
