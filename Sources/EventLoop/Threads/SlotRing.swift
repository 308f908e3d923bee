import Synchronization

/// Packets on their way from one thread to another: a header and up to `slotBytes` bytes each, copied into fixed slots.
///
/// One thread pushes, one other takes; neither ever waits or allocates.
@safe
struct SlotRing<Header: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    // Unchecked, because slots are plain memory. Slot i belongs to the producer while i is outside head ..< tail, to
    // the consumer while inside. Each side stores only its own index, with release order after it is done with the
    // slot; the other side loads it with acquire order before it touches the slot.

    let capacity: Int
    let slotBytes: Int
    private let headers: UnsafeMutablePointer<Header>
    private let lengths: UnsafeMutablePointer<Int>
    /// Not touched before it is used: most pairs of workers have nothing to say to each other.
    private let bytes: UnsafeMutablePointer<UInt8>
    private let mask: Int
    /// The next slot to take; written by the consumer.
    private let head = Atomic<Int>(0)
    /// The next slot to fill; written by the producer.
    private let tail = Atomic<Int>(0)

    /// Room for `capacity` packets, a power of two.
    init(capacity: Int, slotBytes: Int) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "the capacity is a power of two")
        self.capacity = capacity
        self.slotBytes = slotBytes
        mask = capacity - 1
        unsafe headers = .allocate(capacity: capacity)
        unsafe lengths = .allocate(capacity: capacity)
        unsafe bytes = .allocate(capacity: capacity * slotBytes)
    }

    deinit {
        unsafe headers.deallocate()
        unsafe lengths.deallocate()
        unsafe bytes.deallocate()
    }

    /// For the producer: copies a packet in. False: it is too long, or as many as `room` slots are in use.
    func push(_ packet: Span<UInt8>, _ header: Header, room: Int) -> Bool {
        let next = tail.load(ordering: .relaxed)
        guard next &- head.load(ordering: .acquiring) < room, packet.count <= slotBytes else { return false }
        let slot = next & mask
        unsafe (headers + slot).initialize(to: header)
        unsafe (lengths + slot).initialize(to: packet.count)
        let target = unsafe bytes + slot * slotBytes
        unsafe packet.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe target.initialize(from: start, count: source.count)
        }
        tail.store(next &+ 1, ordering: .releasing)
        return true
    }

    /// For the consumer: nothing waits.
    var isEmpty: Bool {
        head.load(ordering: .relaxed) == tail.load(ordering: .acquiring)
    }

    /// For the consumer: the first packet's header. The ring must not be empty.
    var front: Header {
        unsafe headers[frontSlot]
    }

    /// For the consumer: the first packet's bytes, valid until `removeFront`. The ring must not be empty.
    @unsafe
    func unsafeFrontBytes() -> UnsafeMutableBufferPointer<UInt8> {
        let slot = frontSlot
        return unsafe UnsafeMutableBufferPointer(start: bytes + slot * slotBytes, count: lengths[slot])
    }

    /// For the consumer: gives the first slot back. The ring must not be empty.
    func removeFront() {
        precondition(!isEmpty, "the ring is empty")
        head.store(head.load(ordering: .relaxed) &+ 1, ordering: .releasing)
    }

    private var frontSlot: Int {
        precondition(!isEmpty, "the ring is empty")
        return head.load(ordering: .relaxed) & mask
    }
}
