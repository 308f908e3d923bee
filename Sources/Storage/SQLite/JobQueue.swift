import Glibc

/// Work that waits for a store's thread, bounded in number and in bytes.
@safe
final class JobQueue: @unchecked Sendable {
    // Unchecked, because a condition variable isn't known to the compiler. All mutable state is touched only between
    // `lock` and `unlock` of the one mutex; mutex and condition are allocated, so they have one address for life.

    struct Bounds: Sendable {
        /// Jobs that may wait.
        var jobs = 4_096
        /// What may wait altogether, in bytes of text.
        var bytes = 64 << 20
    }

    enum Refusal {
        case full(waiting: Int)
        case closed
    }

    private let bounds: Bounds
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let filled: UnsafeMutablePointer<pthread_cond_t>
    private var jobs: [Job] = []
    private var bytes = 0
    private var closed = false

    init(_ bounds: Bounds) {
        self.bounds = bounds
        unsafe mutex = .allocate(capacity: 1)
        unsafe filled = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe filled.initialize(to: pthread_cond_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(filled, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(filled)
        unsafe pthread_mutex_destroy(mutex)
        unsafe filled.deallocate()
        unsafe mutex.deallocate()
    }

    /// Jobs that wait now.
    var count: Int { locked { jobs.count } }

    /// Whether jobs are refused.
    var isClosed: Bool { locked { closed } }

    /// Puts a job at the end, unless the queue is full or closed.
    func put(_ job: Job) -> Refusal? {
        locked {
            guard !closed else { return .closed }
            guard jobs.count < bounds.jobs, bytes + job.bytes <= bounds.bytes else {
                return .full(waiting: jobs.count)
            }
            jobs.append(job)
            bytes += job.bytes
            unsafe pthread_cond_signal(filled)
            return nil
        }
    }

    /// For the thread: waits until there is work and takes up to `most` jobs, in order. Nil: closed, and nothing is
    /// left.
    func take(most: Int) -> [Job]? {
        locked {
            while jobs.isEmpty && !closed {
                unsafe pthread_cond_wait(filled, mutex)
            }
            guard !jobs.isEmpty else { return nil }
            let taken = Array(jobs.prefix(most))
            jobs.removeFirst(taken.count)
            for job in taken { bytes -= job.bytes }
            return taken
        }
    }

    /// Refuses jobs from now on; those inside are still taken.
    func close() {
        locked {
            closed = true
            unsafe pthread_cond_signal(filled)
        }
    }

    private func locked<Value>(_ body: () -> Value) -> Value {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }
}
