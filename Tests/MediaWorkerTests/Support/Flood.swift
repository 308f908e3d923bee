import EventLoop
import Glibc
import Synchronization

/// A thread that sends datagrams one by one, at an even pace, until it is stopped or has none left.
final class Flood: Sendable {
    private let descriptor: Int32
    private let datagrams: [[UInt8]]
    private let next = Atomic<Int>(0)
    private let isStopped = Atomic<Bool>(false)

    /// - Parameter descriptor: a connected socket; used, not closed.
    init(_ datagrams: [[UInt8]], through descriptor: Int32) {
        self.datagrams = datagrams
        self.descriptor = descriptor
    }

    /// How many were sent, one that is on its way included.
    var sent: Int { next.load(ordering: .acquiring) }

    func start(every microseconds: UInt32) throws -> WorkerThread {
        try WorkerThread(name: "flood") { [self] in
            while !isStopped.load(ordering: .acquiring) {
                let index = next.load(ordering: .relaxed)
                guard index < datagrams.count else { return }
                next.store(index + 1, ordering: .releasing)
                _ = unsafe Glibc.send(descriptor, datagrams[index], datagrams[index].count, 0)
                usleep(microseconds)
            }
        }
    }

    func stop() {
        isStopped.store(true, ordering: .releasing)
    }
}
