import Synchronization
public import Wire

/// What a relayed packet is, for the worker that takes it.
public struct RelayLabel: Hashable, Sendable, BitwiseCopyable {
    public enum Content: Hashable, Sendable, BitwiseCopyable {
        /// An RTP packet of the publication with this mid, its encoding with this rid, or of its retransmissions.
        case media(mid: ShortID, rid: ShortID?, isRTX: Bool)
        /// A sender report.
        case report
    }

    /// Numbers the connection that it came from.
    public var connection: UInt64
    public var content: Content

    public init(connection: UInt64, content: Content) {
        self.connection = connection
        self.content = content
    }
}

/// Opened packets of a session on their way from the worker that received them to another one that hosts the session
/// too, copied into fixed slots.
///
/// One thread pushes, one other takes; neither ever waits or allocates. The other one is woken by `announce`, once for all
/// that was pushed before.
@safe
public final class RelayRing: @unchecked Sendable {
    // Unchecked, because slots are plain memory. Slot i belongs to the producer while i is outside head ..< tail, to
    // the consumer while inside. Each side stores only its own index, with release order after it is done with the
    // slot; the other side loads it with acquire order before it touches the slot.

    /// The longest packet taken, bytes.
    public static let mostBytes = 1_536

    struct Header: BitwiseCopyable {
        var label: RelayLabel
        var length: Int
    }

    public let capacity: Int
    private let waker: Waker
    private let headers: UnsafeMutablePointer<Header>
    /// Not touched before it is used: most pairs of workers share no session.
    private let bytes: UnsafeMutablePointer<UInt8>
    private let mask: Int
    /// The next slot to take; written by the consumer.
    private let head = Atomic<Int>(0)
    /// The next slot to fill; written by the producer.
    private let tail = Atomic<Int>(0)
    private let drops = Atomic<UInt64>(0)

    /// Room for `capacity` packets, a power of two. Wakes the loop that has `waker`.
    public init(capacity: Int, waker: Waker) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "the capacity is a power of two")
        self.capacity = capacity
        self.waker = waker
        mask = capacity - 1
        unsafe headers = .allocate(capacity: capacity)
        unsafe bytes = .allocate(capacity: capacity * Self.mostBytes)
    }

    deinit {
        unsafe headers.deallocate()
        unsafe bytes.deallocate()
    }

    /// Packets that found the ring full, or were too long.
    public var dropped: UInt64 { drops.load(ordering: .relaxed) }

    /// For the producer: copies a packet in, without waking anybody. False: dropped and counted.
    @discardableResult
    public func push(_ packet: Span<UInt8>, _ label: RelayLabel) -> Bool {
        let next = tail.load(ordering: .relaxed)
        guard next &- head.load(ordering: .acquiring) < capacity, packet.count <= Self.mostBytes else {
            drops.wrappingAdd(1, ordering: .relaxed)
            return false
        }
        let slot = next & mask
        unsafe (headers + slot).initialize(to: Header(label: label, length: packet.count))
        let target = unsafe bytes + slot * Self.mostBytes
        unsafe packet.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe target.initialize(from: start, count: source.count)
        }
        tail.store(next &+ 1, ordering: .releasing)
        return true
    }

    /// For the producer: makes the other loop's current or next wait return.
    public func announce() {
        waker.wake()
    }

    /// For the consumer: nothing waits.
    public var isEmpty: Bool {
        head.load(ordering: .relaxed) == tail.load(ordering: .acquiring)
    }

    /// For the consumer: what the first packet is. The ring must not be empty.
    public var frontLabel: RelayLabel {
        unsafe headers[frontSlot].label
    }

    /// For the consumer: the first packet, in place, until `removeFront`. The ring must not be empty.
    @_lifetime(borrow self)
    public func frontBytes() -> Span<UInt8> {
        let slot = frontSlot
        let span = unsafe Span(
            _unsafeElements: UnsafeBufferPointer(
                start: bytes + slot * Self.mostBytes, count: headers[slot].length))
        return unsafe _overrideLifetime(span, borrowing: self)
    }

    /// For the consumer: gives the first slot back. The ring must not be empty.
    public func removeFront() {
        precondition(!isEmpty, "the ring is empty")
        head.store(head.load(ordering: .relaxed) &+ 1, ordering: .releasing)
    }

    private var frontSlot: Int {
        precondition(!isEmpty, "the ring is empty")
        return head.load(ordering: .relaxed) & mask
    }
}
