import CLinux
import EventLoop
import FixedCollections
import Glibc
import Synchronization
import Testing
import Wire

/// Whether `body` allocates, be it only to free again, as measured on a fresh thread.
///
/// The allocator keeps small blocks that a thread freed for the same thread, and counts them as used. With those
/// caches emptied first, whatever `body` allocates for a moment shows as growth. Other tests run meanwhile and show
/// too, so a quiet window is waited for; one is enough to prove that nothing was allocated.
private func allocates(within limit: Duration, _ body: @escaping @Sendable () -> Void) throws -> Bool {
    let quiet = Shared()
    let deadline = MonotonicClock.now() + limit
    while MonotonicClock.now() < deadline, quiet.value.load(ordering: .acquiring) == 0 {
        let thread = try WorkerThread(name: "heap") {
            var kept: [UInt] = []
            kept.reserveCapacity(2048)
            for size in stride(from: 16, through: 1040, by: 16) {
                for _ in 0..<10 { kept.append(unsafe UInt(bitPattern: malloc(size))) }
            }
            let before = cl_heap_in_use()
            body()
            let after = cl_heap_in_use()
            if after == before { quiet.value.store(1, ordering: .releasing) }
            for block in kept { unsafe free(UnsafeMutableRawPointer(bitPattern: block)) }
        }
        thread.join()
    }
    return quiet.value.load(ordering: .acquiring) == 0
}

private final class Shared: Sendable {
    let value = Atomic<Int>(0)
}

/// Sockets and buffers that are used by one thread at a time.
private final class Exchange: Sendable {
    private struct Ends: ~Copyable {
        let here: UDPSocket
        let there: UDPSocket
        var sender: DatagramSender
        var receiver: DatagramReceiver
        let ring: HandoverRing
        var received = 0

        /// Sends runs and single packets, receives them, and hands each over through a ring.
        mutating func run(rounds: Int) {
            let to = there.localAddress
            for _ in 0..<rounds {
                sender.commit(length: 8 * 500, segmentSize: 500, to: to)
                sender.commit(length: 900, to: to)
                sender.flush(here)
                while let count = try? receiver.receive(from: there), count > 0 {
                    for index in 0..<count { handOver(index) }
                    received += count
                }
            }
        }

        private mutating func handOver(_ index: Int) {
            let ring = ring
            let source = receiver.source(at: index)
            // Not `bytes(at:)`: debug builds put a noncopyable local variable on the heap.
            let bytes = unsafe UnsafeBufferPointer(receiver.unsafeBytes(at: index))
            if unsafe ring.push(bytes.span, from: source) { ring.removeFront() }
        }
    }

    private let ends: Mutex<Ends>

    init() throws {
        ends = Mutex(
            Ends(
                here: try UDPSocket.open(loopback), there: try UDPSocket.open(loopback),
                sender: try DatagramSender(), receiver: try DatagramReceiver(),
                ring: HandoverRing(capacity: 64, waker: try Waker())))
    }

    var received: Int { ends.withLock { $0.received } }

    func run(rounds: Int) {
        ends.withLock { $0.run(rounds: rounds) }
    }
}

@Suite struct AllocationTests {
    @Test func `sending, receiving and handing over allocate nothing`() throws {
        let exchange = try Exchange()
        exchange.run(rounds: 2)
        let before = exchange.received
        let found = try allocates(within: patience) { exchange.run(rounds: 10) }
        #expect(!found)
        #expect(exchange.received >= before + 90)
    }

    @Test func `the measurement sees a block that is freed at once`() throws {
        let found = try allocates(within: .milliseconds(300)) {
            for _ in 0..<10 { unsafe free(malloc(48)) }
        }
        #expect(found)
    }
}
