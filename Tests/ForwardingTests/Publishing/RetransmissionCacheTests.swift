import FixedCollections
import Testing

@testable import Forwarding

/// A cache with its store, and what is in it by name.
private final class Shelf {
    var store = PacketStore(capacity: 1_024)
    var cache: RetransmissionCache

    init(packets: Int = 64, keep: Duration = .seconds(1)) {
        cache = RetransmissionCache(packets: packets, keep: keep)
    }

    @discardableResult
    func insert(_ number: Int64, at milliseconds: Int64 = 0) -> PacketSlot? {
        let now = Instant(nanoseconds: milliseconds * 1_000_000)
        guard let slot = store.take() else { return nil }
        store[slot].arrival = now
        store[slot].extendedSequence = number
        cache.insert(slot, extended: number, in: &store, at: now)
        store.reclaim()
        return slot
    }

    /// The number that the packet found under a number really has.
    func number(at number: Int64) -> Int64? {
        cache[number].map { store[$0].extendedSequence }
    }

    var held: Int { store.count }

    func hasRoom(for number: Int64) -> Bool { cache.hasRoom(for: number) }

    func removeAll() { cache.removeAll(in: &store) }

    func trim() { cache.trim(in: &store) }
}

@Suite struct RetransmissionCacheTests {
    @Test func `packets are found by number, others aren't`() {
        let shelf = Shelf()
        for number in Int64(100)..<110 where number != 104 { shelf.insert(number) }
        let found = (Int64(95)..<115).filter { shelf.number(at: $0) == $0 }
        #expect(found == [100, 101, 102, 103, 105, 106, 107, 108, 109])
        let strange = (Int64(95)..<115).filter { shelf.number(at: $0) != nil && shelf.number(at: $0) != $0 }
        #expect(strange.isEmpty)
    }

    @Test func `the oldest gives its place to the newest`() {
        let shelf = Shelf(packets: 64)
        for number in Int64(0)..<1_000 { shelf.insert(number) }
        #expect(shelf.held == 64)
        #expect(shelf.number(at: 936) == 936)
        #expect(shelf.number(at: 935) == nil)
        #expect(shelf.number(at: 999) == 999)
        #expect(shelf.number(at: 1_000) == nil)
    }

    @Test func `late packets have room within the window, even before the first`() {
        let shelf = Shelf(packets: 64)
        shelf.insert(1_000)
        var rooms = [999, 950, 936, 1].map { shelf.hasRoom(for: $0) }
        #expect(rooms == [true, true, false, false])
        shelf.insert(999)
        #expect(shelf.number(at: 999) == 999)
        for number in Int64(1_001)..<1_100 { shelf.insert(number) }
        rooms = [1_036, 1_035, 999].map { shelf.hasRoom(for: $0) }
        #expect(rooms == [true, false, false])
        #expect(shelf.held == 64)
    }

    @Test func `packets that are too old are released`() {
        let shelf = Shelf(packets: 256, keep: .seconds(1))
        for number in Int64(0)..<100 { shelf.insert(number, at: number * 20) }
        // 50 a second are kept for a second.
        #expect(shelf.held == 51)
        #expect(shelf.number(at: 48) == nil)
        #expect(shelf.number(at: 49) == 49)
    }

    @Test func `a silence of the stream doesn't keep what is old`() {
        let shelf = Shelf(packets: 256, keep: .seconds(1))
        for number in Int64(0)..<100 { shelf.insert(number, at: number) }
        for number in Int64(100)..<115 { shelf.insert(number, at: 60_000 + number) }
        #expect(shelf.held == 15)
    }

    @Test func `a jump releases what is behind and leaks nothing`() {
        let shelf = Shelf(packets: 64)
        for number in Int64(0)..<64 { shelf.insert(number) }
        shelf.insert(1_000_000)
        #expect(shelf.held == 1)
        #expect(shelf.number(at: 1_000_000) == 1_000_000)
        #expect(shelf.number(at: 63) == nil)
    }

    @Test func `a restart leaves nothing behind`() {
        let shelf = Shelf(packets: 64)
        for number in Int64(0)..<100 { shelf.insert(number) }
        shelf.removeAll()
        #expect(shelf.held == 0)
        #expect((Int64(0)..<120).allSatisfy { shelf.number(at: $0) == nil })
        shelf.insert(131_172)
        #expect(shelf.number(at: 131_172) == 131_172)
        shelf.removeAll()
        shelf.removeAll()
        #expect(shelf.held == 0)
    }

    @Test func `trimming releases the older half`() {
        let shelf = Shelf(packets: 64)
        for number in Int64(0)..<64 { shelf.insert(number) }
        shelf.trim()
        #expect(shelf.held == 32)
        #expect(shelf.number(at: 31) == nil)
        #expect(shelf.number(at: 32) == 32)
        for _ in 0..<10 { shelf.trim() }
        #expect(shelf.held <= 1)
    }
}
