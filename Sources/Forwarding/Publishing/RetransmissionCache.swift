import FixedCollections

/// The newest packets of one encoding by number, shared by all its viewers.
struct RetransmissionCache: ~Copyable {
    private var slots: FixedArray<PacketSlot>
    private let mask: Int64
    /// Everything below is gone.
    private var oldest: Int64 = 0
    private var newest: Int64 = -1
    private let keep: Duration

    /// - Parameters:
    ///   - packets: how many at the most, rounded up to a power of two.
    ///   - keep: how long.
    init(packets: Int, keep: Duration) {
        var size = 16
        while size < packets { size *= 2 }
        slots = FixedArray(repeating: .none, count: size)
        mask = Int64(size - 1)
        self.keep = keep
    }

    subscript(extended: Int64) -> PacketSlot? {
        guard extended >= oldest, extended <= newest, newest - extended <= mask else { return nil }
        let slot = slots[Int(extended & mask)]
        return slot == .none ? nil : slot
    }

    /// Whether a packet of this number would still find a place.
    func hasRoom(for extended: Int64) -> Bool {
        extended >= oldest && (newest < 0 || newest - extended <= mask)
    }

    /// Keeps the packet, and releases those that are too old or whose place is needed.
    ///
    /// The number must be free and have room.
    mutating func insert(_ slot: PacketSlot, extended: Int64, in store: inout PacketStore, at now: Instant) {
        // What is late even for the first packet finds room below it.
        if newest < 0 { oldest = extended - mask }
        if extended > newest {
            let firstKept = extended - mask
            if firstKept > oldest { release(below: firstKept, in: &store) }
            newest = extended
        }
        slots[Int(extended & mask)] = slot
        releaseExpired(in: &store, at: now)
    }

    private mutating func release(below bound: Int64, in store: inout PacketStore) {
        // After a restart the numbers jump: no more than one round of the ring is to be emptied.
        var number = max(oldest, newest - mask)
        while number < bound, number <= newest {
            let index = Int(number & mask)
            if slots[index] != .none {
                store.release(slots[index])
                slots[index] = .none
            }
            number += 1
        }
        oldest = bound
    }

    private mutating func releaseExpired(in store: inout PacketStore, at now: Instant) {
        var steps = 0
        while oldest < newest, steps < 8 {
            let index = Int(oldest & mask)
            if slots[index] != .none {
                guard store[slots[index]].arrival + keep < now else { return }
                store.release(slots[index])
                slots[index] = .none
            }
            oldest += 1
            steps += 1
        }
    }

    /// Releases the older half, for want of room in the store.
    mutating func trim(in store: inout PacketStore) {
        let first = max(oldest, newest - mask)
        guard newest > first else { return }
        release(below: first + (newest - first + 1) / 2, in: &store)
    }

    /// Releases everything.
    mutating func removeAll(in store: inout PacketStore) {
        guard newest >= 0 else { return }
        release(below: newest + 1, in: &store)
    }
}
