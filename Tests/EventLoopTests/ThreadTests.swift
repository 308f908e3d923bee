import CLinux
import EventLoop
import FixedCollections
import Synchronization
import Testing
import Wire

@Suite struct ThreadTests {
    @Test func `messages of four threads all arrive, in each one's order, with fewer wakes than messages`()
        throws
    {
        let waker = try Waker()
        let mailbox = Mailbox<(Int, Int)>(capacity: 512, waker: waker)
        let perThread = 5_000
        let threads = try (0..<4).map { producer in
            try WorkerThread(name: "producer \(producer)") {
                for number in 0..<perThread {
                    while !mailbox.post((producer, number)) {}
                }
            }
        }
        var loop = try EventLoop(waker: waker)
        var next = [0, 0, 0, 0]
        var batch: [(Int, Int)] = []
        let deadline = MonotonicClock.now() + patience
        while next.reduce(0, +) < 4 * perThread, MonotonicClock.now() < deadline {
            try loop.wait(until: deadline)
            mailbox.drain(into: &batch)
            for (producer, number) in batch {
                #expect(number == next[producer])
                next[producer] += 1
            }
            batch.removeAll(keepingCapacity: true)
        }
        for thread in threads { thread.join() }
        #expect(next == [perThread, perThread, perThread, perThread])
        #expect(waker.signalCount < UInt64(4 * perThread))
        #expect(waker.signalCount > 0)
    }

    @Test func `a full mailbox says so, keeps what it has, and wakes once`() throws {
        let waker = try Waker()
        let mailbox = Mailbox<Int>(capacity: 3, waker: waker)
        let taken = (0..<5).map { mailbox.post($0) }
        #expect(taken == [true, true, true, false, false])
        #expect(mailbox.refused == 2)
        #expect(waker.signalCount == 1)
        var messages: [Int] = []
        mailbox.drain(into: &messages)
        #expect(messages == [0, 1, 2])
        messages.removeAll()
        mailbox.close()
        let late = mailbox.post(9)
        #expect(!late)
    }

    @Test func `a wake before the wait is not lost, and comes once`() throws {
        let waker = try Waker()
        var loop = try EventLoop(waker: waker)
        waker.wake()
        waker.wake()
        let count = try loop.wait(until: nil)
        #expect(count == 0)
        var woken = [loop.wasWoken]
        try loop.wait(until: .zero)
        woken.append(loop.wasWoken)
        waker.wake()
        try loop.wait(until: nil)
        woken.append(loop.wasWoken)
        #expect(woken == [true, false, true])
        #expect(waker.signalCount == 2)
    }

    @Test func `a wait ends at its deadline and not before`() throws {
        var loop = try EventLoop(waker: Waker())
        for microseconds in [300, 2_500] {
            let deadline = MonotonicClock.now() + .microseconds(microseconds)
            try loop.wait(until: deadline)
            #expect(MonotonicClock.now() >= deadline)
        }
    }

    @Test func `a thread runs where it is pinned, under its name, and join waits for it`() throws {
        let core = Atomic<Int32>(-1)
        let box = Shared(core)
        let allowed = Int(cl_current_core())
        let thread = try WorkerThread(name: "rostrum pinned", core: allowed) {
            box.value.store(cl_current_core(), ordering: .releasing)
        }
        thread.join()
        #expect(box.value.load(ordering: .acquiring) == Int32(allowed))
        #expect(throws: SocketError.self) {
            _ = try WorkerThread(name: "nowhere", core: 1000) {}
        }
    }

    @MainActor @Test func `a thread may be started from the main actor`() throws {
        let ran = Shared(Atomic<Int32>(0))
        let thread = try WorkerThread(name: "from main") { ran.value.store(1, ordering: .releasing) }
        thread.join()
        #expect(ran.value.load(ordering: .acquiring) == 1)
    }

    @Test func `the descriptor limit is as high as it may be`() throws {
        let limit = try FileDescriptorLimit.raise()
        #expect(limit.soft == limit.hard)
        #expect(limit.hard > 0)
    }
}

/// A place that two threads reach.
private final class Shared: Sendable {
    let value: Atomic<Int32>

    init(_ value: consuming Atomic<Int32>) {
        self.value = value
    }
}

@Suite struct HandoverRingTests {
    @Test func `a full ring drops and counts, and has room again once drained`() throws {
        let ring = HandoverRing(capacity: 4, waker: try Waker())
        let pushed = (0..<6).map { ring.push(packet($0, length: 10).span, from: loopback, isKnown: true) }
        #expect(pushed == [true, true, true, true, false, false])
        #expect(ring.dropped == 2)
        ring.removeFront()
        let again = ring.push(packet(6, length: 10).span, from: loopback, isKnown: true)
        let full = ring.push(packet(7, length: 10).span, from: loopback, isKnown: true)
        #expect(again)
        #expect(!full)
        var found: [[UInt8]] = []
        while !ring.isEmpty {
            let bytes = ring.frontBytes()
            found.append(bytes.indices.map { bytes[$0] })
            ring.removeFront()
        }
        #expect(found == [1, 2, 3, 6].map { packet($0, length: 10) })
    }

    @Test func `strangers leave half of the ring to those who are known`() throws {
        let ring = HandoverRing(capacity: 8, waker: try Waker())
        let strangers = (0..<6).map { ring.push(packet($0, length: 9).span, from: loopback, isKnown: false) }
        #expect(strangers == [true, true, true, true, false, false])
        let known = (6..<11).map { ring.push(packet($0, length: 9).span, from: loopback, isKnown: true) }
        #expect(known == [true, true, true, true, false])
        #expect(ring.refused == 2)
        #expect(ring.dropped == 1)
        // Strangers get in again when less than half is in use, whoever uses it.
        for taken in 1...5 {
            ring.removeFront()
            let isTaken = ring.push(packet(11, length: 9).span, from: loopback, isKnown: false)
            #expect(isTaken == (taken == 5))
        }
    }

    @Test func `a datagram longer than a slot is dropped, the longest and the empty one are not`() throws {
        let ring = HandoverRing(capacity: 4, waker: try Waker())
        let lengths = [2049, 2048, 0]
        let pushed = lengths.map { ring.push(packet(1, length: $0).span, from: loopback, isKnown: true) }
        #expect(pushed == [false, true, true])
        #expect(ring.frontBytes().count == 2048)
        ring.removeFront()
        #expect(ring.frontBytes().count == 0)
    }

    @Test func `datagrams cross from thread to thread intact and in order`() throws {
        let waker = try Waker()
        let ring = HandoverRing(capacity: 64, waker: waker)
        let total = 20_000
        let thread = try WorkerThread(name: "producer") {
            for number in 0..<total {
                let source = SocketAddress(ipv4: UInt32(number), port: UInt16(number & 0xffff))
                let bytes = packet(number, length: 3 + number % 40)
                while !ring.push(bytes.span, from: source, isKnown: true) {}
            }
        }
        var loop = try EventLoop(waker: waker)
        var number = 0
        var wrong = 0
        let deadline = MonotonicClock.now() + patience
        while number < total, MonotonicClock.now() < deadline {
            try loop.wait(until: deadline)
            while !ring.isEmpty {
                let bytes = ring.frontBytes()
                let intact = bytes.indices.map { bytes[$0] } == packet(number, length: 3 + number % 40)
                if !intact || ring.frontSource.ipv4 != UInt32(number) { wrong += 1 }
                ring.removeFront()
                number += 1
            }
        }
        // If patience ended first, the producer must still find room, or join would wait for ever.
        while number < total { if !ring.isEmpty { ring.removeFront(); number += 1; wrong += 1 } }
        thread.join()
        #expect(wrong == 0)
    }
}
