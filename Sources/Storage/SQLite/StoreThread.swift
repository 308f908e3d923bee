import CLinux
import Synchronization

/// A thread that owns a database and runs the jobs of one queue: what SQLite does blocks, and the threads of the
/// cooperative pool mustn't.
final class StoreThread: Sendable {
    /// What the thread does with its database.
    struct Role: Sendable {
        /// Shows in `top -H`.
        var name: String
        /// Jobs that it takes from the queue at once.
        var mostJobs: Int
        var open: @Sendable () throws(StoreError) -> Database
        var serve: @Sendable (Database, [Job]) -> Void
    }

    let queue: JobQueue
    private let ended: Latch

    private init(_ queue: JobQueue, _ ended: Latch) {
        self.queue = queue
        self.ended = ended
    }

    /// Returns once the thread has opened its database. Errors: what opening throws.
    static func start(_ role: Role, bounds: JobQueue.Bounds) async throws(StoreError) -> StoreThread {
        let queue = JobQueue(bounds)
        let ended = Latch()
        let opened = await withCheckedContinuation { (opened: CheckedContinuation<StoreError?, Never>) in
            let body: @Sendable () -> Void = {
                serve(role, queue) { error in opened.resume(returning: error) }
                ended.open()
            }
            if let error = launch(role.name, body) { opened.resume(returning: error) }
        }
        if let opened { throw opened }
        return StoreThread(queue, ended)
    }

    /// Lets the thread finish what waits, then returns once its database is closed.
    func close() async {
        queue.close()
        await ended.wait()
    }

    /// The database is closed on return.
    private static func serve(_ role: Role, _ queue: JobQueue, opened: (StoreError?) -> Void) {
        do throws(StoreError) {
            let database = try role.open()
            opened(nil)
            while let jobs = queue.take(most: role.mostJobs) { role.serve(database, jobs) }
        } catch {
            opened(error)
        }
    }

    private static func launch(_ name: String, _ body: @escaping @Sendable () -> Void) -> StoreError? {
        let context = unsafe Unmanaged.passRetained(ThreadBody(body))
        var thread: UInt64 = 0
        let result = unsafe cl_thread_start(name, -1, enterThread, context.toOpaque(), &thread)
        guard result >= 0 else {
            unsafe context.release()
            return .failed(reason: "no thread could be started (errno \(-result))")
        }
        cl_thread_detach(thread)
        return nil
    }
}

private final class ThreadBody {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

/// A function and not a closure: one written in a main-actor context would check for that actor and trap.
private nonisolated func enterThread(_ context: UnsafeMutableRawPointer) {
    unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
}

/// Opens once; tasks can wait for that.
final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
