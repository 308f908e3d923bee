import CLinux
import Synchronization

/// A thread of the operating system's, outside the cooperative pool: for event loops and for calls that block.
public final class WorkerThread: Sendable {
    private let handle: Mutex<UInt64?>

    /// Starts a thread that runs `body` once.
    ///
    /// The name shows in `top -H`, its first 15 bytes. `core` pins the thread; a core the machine doesn't have is
    /// an error. Signals of the process are blocked in it.
    public init(
        name: String, core: Int? = nil, _ body: @escaping @Sendable () -> Void
    ) throws(SocketError) {
        let context = unsafe Unmanaged.passRetained(ThreadBody(body))
        var thread: UInt64 = 0
        let pinned = core.map { Int32(clamping: $0) } ?? -1
        let result = unsafe cl_thread_start(name, pinned, enterThread, context.toOpaque(), &thread)
        guard result >= 0 else {
            unsafe context.release()
            throw SocketError("starting thread \(name)", result: result)
        }
        handle = Mutex(thread)
    }

    deinit {
        if let thread = handle.withLock({ $0 }) { cl_thread_detach(thread) }
    }

    /// Waits until the body has returned. Blocks: not for the cooperative pool, nor for the thread itself.
    public func join() {
        let thread = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let thread { _ = cl_thread_join(thread) }
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
