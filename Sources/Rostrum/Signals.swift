import Glibc

/// Waits for SIGTERM or SIGINT, which reach no other thread.
struct Signals: Sendable {
    private let arrived: AsyncStream<Void>

    /// Call it before other threads exist: they inherit that these signals are blocked.
    init() {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, SIGTERM)
        unsafe sigaddset(&set, SIGINT)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        // A client that went away mid-write is an error of that write, and no reason to end.
        signal(SIGPIPE, SIG_IGN)
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        arrived = stream
        let waiter = unsafe Unmanaged.passRetained(Waiter(continuation))
        var thread = pthread_t()
        if unsafe pthread_create(&thread, nil, waitForSignal, waiter.toOpaque()) != 0 {
            unsafe waiter.release()
            continuation.finish()
        }
    }

    /// Returns when the first signal came.
    func wait() async {
        for await _ in arrived { return }
    }
}

private final class Waiter {
    let continuation: AsyncStream<Void>.Continuation

    init(_ continuation: AsyncStream<Void>.Continuation) {
        self.continuation = continuation
    }
}

private func waitForSignal(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let waiter = unsafe Unmanaged<Waiter>.fromOpaque(argument).takeRetainedValue()
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGTERM)
    unsafe sigaddset(&set, SIGINT)
    var number: Int32 = 0
    while unsafe sigwait(&set, &number) != 0 {}
    waiter.continuation.yield()
    waiter.continuation.finish()
    return nil
}
