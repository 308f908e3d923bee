import Synchronization
public import Wire

/// Datagrams on their way from one worker to another, copied into fixed slots.
///
/// The kernel spreads peers over the sockets of a shared port by their addresses, and knows nothing of who serves
/// them: a datagram that reached the wrong worker goes on through the ring of that pair of workers. One thread
/// pushes, one other takes; neither ever waits or allocates.
///
/// Anyone can send what names another worker's peer. Half of the ring is kept for those who are known, so that strangers
/// crowd out only each other.
@safe
public final class HandoverRing: @unchecked Sendable {
    // Unchecked, because slots are plain memory. Slot i belongs to the producer while i is outside head ..< tail, to
    // the consumer while inside. Each side stores only its own index, with release order after it is done with the
    // slot; the other side loads it with acquire order before it touches the slot.

    /// The longest datagram taken, bytes.
    public static let mostBytes = 2048

    struct Header {
        var source: SocketAddress
        var length: Int
    }

    public let capacity: Int
    private let waker: Waker
    private let headers: UnsafeMutablePointer<Header>
    private let bytes: UnsafeMutablePointer<UInt8>
    private let mask: Int
    /// The next slot to take; written by the consumer.
    private let head = Atomic<Int>(0)
    /// The next slot to fill; written by the producer.
    private let tail = Atomic<Int>(0)
    private let drops = Atomic<UInt64>(0)
    private let refusals = Atomic<UInt64>(0)

    /// Room for `capacity` datagrams, a power of two. Wakes the loop that has `waker`.
    public init(capacity: Int = 256, waker: Waker) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "the capacity is a power of two")
        self.capacity = capacity
        self.waker = waker
        mask = capacity - 1
        unsafe headers = .allocate(capacity: capacity)
        let nothing = Header(source: SocketAddress(high: 0, low: 0, port: 0), length: 0)
        unsafe headers.initialize(repeating: nothing, count: capacity)
        unsafe bytes = .allocate(capacity: capacity * Self.mostBytes)
        unsafe bytes.initialize(repeating: 0, count: capacity * Self.mostBytes)
    }

    deinit {
        unsafe headers.deallocate()
        unsafe bytes.deallocate()
    }

    /// Datagrams that found the ring full, or were too long.
    public var dropped: UInt64 { drops.load(ordering: .relaxed) }
    /// Strangers' datagrams that found half of the ring in use, or were too long.
    public var refused: UInt64 { refusals.load(ordering: .relaxed) }

    /// For the producer: copies a datagram in and wakes the other loop. False: dropped and counted.
    ///
    /// - Parameter isKnown: the other worker's peer has proved that it is at `source`.
    @discardableResult
    public func push(_ datagram: Span<UInt8>, from source: SocketAddress, isKnown: Bool) -> Bool {
        let next = tail.load(ordering: .relaxed)
        let room = isKnown ? capacity : capacity / 2
        guard next &- head.load(ordering: .acquiring) < room, datagram.count <= Self.mostBytes else {
            if isKnown {
                drops.wrappingAdd(1, ordering: .relaxed)
            } else {
                refusals.wrappingAdd(1, ordering: .relaxed)
            }
            return false
        }
        let slot = next & mask
        unsafe headers[slot] = Header(source: source, length: datagram.count)
        let target = unsafe bytes + slot * Self.mostBytes
        unsafe datagram.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe target.update(from: start, count: source.count)
        }
        tail.store(next &+ 1, ordering: .releasing)
        waker.wake()
        return true
    }

    /// For the consumer: nothing waits.
    public var isEmpty: Bool {
        head.load(ordering: .relaxed) == tail.load(ordering: .acquiring)
    }

    /// For the consumer: where the first datagram came from. The ring must not be empty.
    public var frontSource: SocketAddress {
        unsafe headers[frontSlot].source
    }

    /// For the consumer: the first datagram's bytes, in place, until `removeFront`. The ring must not be empty.
    @_lifetime(borrow self)
    public func frontBytes() -> MutableSpan<UInt8> {
        let span = unsafe MutableSpan(_unsafeElements: unsafeFrontBytes())
        return unsafe _overrideLifetime(span, borrowing: self)
    }

    /// The first datagram's bytes, valid until `removeFront`. The ring must not be empty.
    @unsafe
    public func unsafeFrontBytes() -> UnsafeMutableBufferPointer<UInt8> {
        let slot = frontSlot
        return unsafe UnsafeMutableBufferPointer(
            start: bytes + slot * Self.mostBytes, count: headers[slot].length)
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
