import Glibc

/// What the outside world wants of the process: SIGTERM, SIGINT and SIGHUP, which reach no other thread.
struct Signals: Sendable {
    enum Signal: Sendable {
        case terminate, interrupt, hangUp
        /// No signal: nobody is left, or nobody may stay any longer.
        case drained
    }

    /// What came, in order. One consumer.
    let arrived: AsyncStream<Signal>
    private let continuation: AsyncStream<Signal>.Continuation

    /// Call it before other threads exist: they inherit that these signals are blocked.
    init() {
        var set = Self.ours
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        // A client that went away mid-write is an error of that write, and no reason to end.
        signal(SIGPIPE, SIG_IGN)
        (arrived, continuation) = AsyncStream.makeStream(of: Signal.self)
        let waiter = unsafe Unmanaged.passRetained(Waiter(continuation))
        var thread = pthread_t()
        if unsafe pthread_create(&thread, nil, waitForSignals, waiter.toOpaque()) != 0 {
            unsafe waiter.release()
            continuation.finish()
        }
    }

    func send(_ signal: Signal) {
        continuation.yield(signal)
    }

    fileprivate static var ours: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, number) }
        return set
    }
}

private final class Waiter {
    let continuation: AsyncStream<Signals.Signal>.Continuation

    init(_ continuation: AsyncStream<Signals.Signal>.Continuation) {
        self.continuation = continuation
    }
}

private func waitForSignals(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let waiter = unsafe Unmanaged<Waiter>.fromOpaque(argument).takeRetainedValue()
    var set = Signals.ours
    while true {
        var number: Int32 = 0
        guard unsafe sigwait(&set, &number) == 0 else { continue }
        switch number {
        case SIGTERM: waiter.continuation.yield(.terminate)
        case SIGHUP: waiter.continuation.yield(.hangUp)
        default: waiter.continuation.yield(.interrupt)
        }
    }
}
