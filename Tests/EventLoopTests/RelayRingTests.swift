import EventLoop
import FixedCollections
import Testing
import Wire

@Suite struct RelayRingTests {
    private func label(_ number: Int) throws -> RelayLabel {
        let mid = try #require(ShortID("m\(number)"))
        return RelayLabel(
            connection: UInt64(number),
            content: number % 3 == 0 ? .report : .media(mid: mid, rid: nil, isRTX: number % 2 == 0))
    }

    @Test func `a full ring drops and counts, and has room again once drained`() throws {
        let ring = RelayRing(capacity: 4, waker: try Waker())
        var pushed: [Bool] = []
        for number in 0..<6 { pushed.append(ring.push(packet(number, length: 10).span, try label(number))) }
        #expect(pushed == [true, true, true, true, false, false])
        #expect(ring.dropped == 2)
        ring.removeFront()
        let again = ring.push(packet(6, length: 10).span, try label(6))
        #expect(again)
        var found: [[UInt8]] = []
        var labels: [RelayLabel] = []
        while !ring.isEmpty {
            let bytes = ring.frontBytes()
            found.append(bytes.indices.map { bytes[$0] })
            labels.append(ring.frontLabel)
            ring.removeFront()
        }
        #expect(found == [1, 2, 3, 6].map { packet($0, length: 10) })
        #expect(labels == (try [1, 2, 3, 6].map { try label($0) }))
    }

    @Test func `a packet longer than a slot is dropped, the longest and the empty one are not`() throws {
        let ring = RelayRing(capacity: 4, waker: try Waker())
        let lengths = [RelayRing.mostBytes + 1, RelayRing.mostBytes, 0]
        var pushed: [Bool] = []
        for length in lengths { pushed.append(ring.push(packet(1, length: length).span, try label(1))) }
        #expect(pushed == [false, true, true])
        #expect(ring.dropped == 1)
        #expect(ring.frontBytes().count == RelayRing.mostBytes)
        ring.removeFront()
        #expect(ring.frontBytes().count == 0)
    }

    @Test func `nobody is woken before the packets are announced, and then once for all`() throws {
        let waker = try Waker()
        var loop = try EventLoop(waker: waker)
        let ring = RelayRing(capacity: 64, waker: waker)
        for number in 0..<50 { ring.push(packet(number, length: 20).span, try label(number)) }
        #expect(waker.signalCount == 0)
        ring.announce()
        ring.announce()
        #expect(waker.signalCount == 1)
        try loop.wait(until: MonotonicClock.now() + patience)
        let wasWoken = loop.wasWoken
        #expect(wasWoken)
    }

    @Test func `packets cross from thread to thread intact and in order`() throws {
        let waker = try Waker()
        let ring = RelayRing(capacity: 64, waker: waker)
        let total = 20_000
        let labels = try (0..<total).map { try label($0) }
        let thread = try WorkerThread(name: "producer") {
            for number in 0..<total {
                let bytes = packet(number, length: 3 + number % 40)
                while !ring.push(bytes.span, labels[number]) {}
                ring.announce()
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
                if !intact || ring.frontLabel != labels[number] { wrong += 1 }
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
