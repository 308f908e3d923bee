import FixedCollections
import Testing

final class Tracked {
    static nonisolated(unsafe) var alive = 0
    init() { unsafe Self.alive += 1 }
    deinit { unsafe Self.alive -= 1 }
}

struct Unique: ~Copyable {
    var value: Int
    let tracked = Tracked()
}

@Suite(.serialized)
struct TableTests {
    @Test
    func `an index stays valid while others come and go`() {
        var table = Table<Unique>(capacity: 3)
        let first = table.insert(Unique(value: 1)) ?? -1
        let second = table.insert(Unique(value: 2)) ?? -1
        let third = table.insert(Unique(value: 3)) ?? -1
        let value1 = table.isFull
        #expect(value1)
        let value2 = table.insert(Unique(value: 4))
        #expect(value2 == nil)
        table.remove(at: second)
        let value3 = table.contains(second)
        #expect(!value3)
        table[first].value = 10
        let fourth = table.insert(Unique(value: 4))
        #expect(fourth == second)
        let value4 = table[first].value
        #expect(value4 == 10)
        let value5 = table[third].value
        #expect(value5 == 3)
        let value6 = table.count
        #expect(value6 == 3)
    }

    @Test
    func `elements of a second kind lie above, and don't change where the others go`() {
        var plain = Table<Int>(capacity: 3)
        var table = Table<Int>(capacity: 3, above: 2)
        // Where the others would be without them, whatever comes and goes.
        for step in [1, 2, -2, 3, 4, -1, -3, 5, 6, 7] {
            if step < 0 {
                plain.remove(at: -step - 1)
                table.remove(at: -step - 1)
                continue
            }
            let expected = plain.insert(step)
            let index = table.insert(step)
            #expect(index == expected)
            let above = table.insertAbove(step)
            #expect(above == (step < 3 ? 2 + step : nil))
        }
        let isFull = table.isFull
        #expect(isFull)
        table.remove(at: 3)
        let again = table.insertAbove(9)
        #expect(again == 3)
        let last = table.contains(5)
        #expect(!last)
        let count = table.count
        #expect(count == 5)
    }

    @Test
    func `elements are destroyed once, removed or not`() {
        let before = unsafe Tracked.alive
        do {
            var table = Table<Unique>(capacity: 8)
            for value in 0..<6 { _ = table.insert(Unique(value: value)) }
            table.remove(at: 2)
            #expect(unsafe Tracked.alive == before + 5)
        }
        #expect(unsafe Tracked.alive == before)
    }

    @Test
    func `any integer may be asked for`() {
        let table = Table<Int>(capacity: 2)
        let value7 = table.contains(-1)
        #expect(!value7)
        let value8 = table.contains(0)
        #expect(!value8)
        let value9 = table.contains(.max)
        #expect(!value9)
    }
}

struct RingTests {
    @Test
    func `elements leave in the order in which they came, around the end`() {
        var ring = Ring<Int>(minimumCapacity: 3)
        let value10 = ring.capacity
        #expect(value10 == 4)
        var expected = 0
        for value in 0..<100 {
            let value11 = ring.append(value)
            #expect(value11)
            if value % 3 != 0 || ring.isFull {
                let value12 = ring.popFirst()
                #expect(value12 == expected)
                expected += 1
            }
        }
        while let value = ring.popFirst() {
            #expect(value == expected)
            expected += 1
        }
        #expect(expected == 100)
    }

    @Test
    func `a full ring refuses the newcomer`() {
        var ring = Ring<Int>(minimumCapacity: 2)
        let value13 = ring.append(1)
        #expect(value13)
        let value14 = ring.append(2)
        #expect(value14)
        let value15 = ring.append(3)
        #expect(!value15)
        let value16 = ring[0]
        #expect(value16 == 1)
        let value17 = ring[1]
        #expect(value17 == 2)
    }
}

struct SlabTests {
    @Test
    func `blocks are apart, and come back`() throws {
        var slab = Slab(blockSize: 16, capacity: 300)
        var blocks: [Int32] = []
        while let block = slab.take() {
            var bytes = slab.mutableBytes(of: block)
            for index in 0..<16 { bytes[index] = UInt8(truncatingIfNeeded: Int(block) + index) }
            blocks.append(block)
        }
        #expect(blocks.count == slab.capacity)
        #expect(Set(blocks).count == blocks.count)
        for block in blocks {
            let bytes = slab.bytes(of: block)
            for index in 0..<16 { #expect(bytes[index] == UInt8(truncatingIfNeeded: Int(block) + index)) }
        }
        slab.giveBack(blocks[7])
        let value18 = slab.count
        #expect(value18 == slab.capacity - 1)
        let value19 = slab.take()
        #expect(value19 == blocks[7])
    }
}
