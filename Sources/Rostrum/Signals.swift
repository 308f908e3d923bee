import Glibc

/// Waits for SIGTERM or SIGINT.
///
/// Blocking them and waiting with sigwait isn't enough: the runtime lets the main thread sleep with nothing blocked.
struct Signals {
    private let arrived: AsyncStream<Void>

    /// From here on the signals don't end the process.
    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        arrived = stream
        guard signalPipe.read >= 0 else {
            continuation.finish()
            return
        }
        let waiter = unsafe Unmanaged.passRetained(Waiter(continuation))
        var thread = pthread_t()
        guard unsafe pthread_create(&thread, nil, waitForSignal, waiter.toOpaque()) == 0 else {
            unsafe waiter.release()
            continuation.finish()
            return
        }
        signal(SIGTERM, noteSignal)
        signal(SIGINT, noteSignal)
        // A client that went away mid-write is an error of that write, and no reason to end.
        signal(SIGPIPE, SIG_IGN)
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

/// From the handler to the thread that waits; made before the handler is installed. Negative if there is none.
private let signalPipe: (read: Int32, write: Int32) = {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return (-1, -1) }
    return (ends[0], ends[1])
}()

/// The handler: may only do what is safe in the middle of anything, and write is.
private func noteSignal(_: Int32) {
    let saved = errno
    var byte: UInt8 = 1
    _ = unsafe write(signalPipe.write, &byte, 1)
    errno = saved
}

private func waitForSignal(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let waiter = unsafe Unmanaged<Waiter>.fromOpaque(argument).takeRetainedValue()
    var byte: UInt8 = 0
    while unsafe read(signalPipe.read, &byte, 1) < 0, errno == EINTR {}
    waiter.continuation.yield()
    waiter.continuation.finish()
    return nil
}
