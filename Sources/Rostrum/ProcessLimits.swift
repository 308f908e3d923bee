import EventLoop
import Glibc

/// Whether the system gives the process what a server needs. Where it doesn't, the runtime would wait for it without a
/// word: the library under Swift's tasks tries again, once a second and for ever, to start a thread.
enum ProcessLimits {
    /// Address space of a thread: its stack, and what the C library sets aside for its memory.
    private static let bytesAThread = 72 << 20
    /// Address space of the program and its tables.
    private static let bytesBesides = 256 << 20
    /// Threads beside the media workers and those of the processors: signals, HTTP, database, and a few to spare.
    private static let threadsBesides = 6

    /// Descriptors of a media thread: its sockets, its loop and what wakes it; and one of its own for TCP to spare.
    private static let filesAWorker: UInt64 = 8
    /// Descriptors of the rest, those that are kept for the runtime, and a few connections.
    private static let filesBesides: UInt64 = 40

    /// - Parameters:
    ///   - files: how many may be open.
    ///   - workers: media threads.
    static func check(files: Int, workers: Int) throws(CommandError) {
        let needed = filesBesides + UInt64(workers) * filesAWorker
        guard UInt64(max(0, files)) < needed else { return }
        throw CommandError(
            "the limit of open files (ulimit -n, LimitNOFILE) is \(files), and \(needed) are needed here")
    }

    /// - Parameter workers: media threads.
    static func check(workers: Int) throws(CommandError) {
        let threads = workers + Machine.processors + threadsBesides
        try checkAddressSpace(threads * bytesAThread + bytesBesides)
        try checkThreads(threads)
    }

    private static func checkAddressSpace(_ needed: Int) throws(CommandError) {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return }
        guard limit.rlim_cur < UInt(needed) else { return }
        throw CommandError(
            "the limit of address space (ulimit -v, LimitAS) is \(limit.rlim_cur >> 20) MiB, and \(needed >> 20) MiB "
                + "are needed here",
            code: 1)
    }

    /// Has as many threads as there will be, for a moment.
    private static func checkThreads(_ count: Int) throws(CommandError) {
        var ends: (Int32, Int32) = (-1, -1)
        let hasPipe = unsafe withUnsafeMutablePointer(to: &ends) { pointer in
            unsafe pointer.withMemoryRebound(to: Int32.self, capacity: 2) { unsafe pipe($0) == 0 }
        }
        guard hasPipe else { return }
        var threads: [pthread_t] = []
        var failure: Int32 = 0
        while threads.count < count, failure == 0 {
            var thread = pthread_t()
            failure = unsafe pthread_create(
                &thread, nil, waitForEnd, UnsafeMutableRawPointer(bitPattern: Int(ends.0) + 1))
            if failure == 0 { threads.append(thread) }
        }
        close(ends.1)
        for thread in threads { pthread_join(thread, nil) }
        close(ends.0)
        guard failure != 0 else { return }
        let reason = unsafe String(cString: strerror(failure))
        throw CommandError(
            "\(count) threads are needed here, and the system gives \(threads.count) (ulimit -u, TasksMax): \(reason)",
            code: 1)
    }
}

/// Waits until the pipe's other end is closed. The argument is the descriptor, and one more.
private func waitForEnd(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    var byte: UInt8 = 0
    _ = unsafe read(Int32(Int(bitPattern: argument) - 1), &byte, 1)
    return nil
}
