import CMallocCount
import EventLoop
import FixedCollections
import Glibc
import Synchronization
import Testing
import Wire

/// How often `body` asks the heap for memory, be it only to free it again.
private func allocations(in body: () -> Void) -> UInt64 {
    let before = malloc_count()
    body()
    return malloc_count() - before
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
            if unsafe ring.push(bytes.span, from: source, isKnown: true) { ring.removeFront() }
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
        #expect(allocations { exchange.run(rounds: 10) } == 0)
        #expect(exchange.received >= before + 90)
    }

    @Test func `the measurement sees a block that is freed at once`() {
        #expect(malloc_count_works())
        #expect(allocations { unsafe free(malloc(48)) } == 1)
    }
}
