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
public final class HandoverRing: Sendable {
    /// The longest datagram taken, bytes.
    public static let mostBytes = 2048

    public var capacity: Int { ring.capacity }
    private let ring: SlotRing<SocketAddress>
    private let waker: Waker
    private let drops = Atomic<UInt64>(0)
    private let refusals = Atomic<UInt64>(0)

    /// Room for `capacity` datagrams, a power of two. Wakes the loop that has `waker`.
    public init(capacity: Int = 256, waker: Waker) {
        ring = SlotRing(capacity: capacity, slotBytes: Self.mostBytes)
        self.waker = waker
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
        guard ring.push(datagram, source, room: isKnown ? capacity : capacity / 2) else {
            if isKnown {
                drops.wrappingAdd(1, ordering: .relaxed)
            } else {
                refusals.wrappingAdd(1, ordering: .relaxed)
            }
            return false
        }
        waker.wake()
        return true
    }

    /// For the consumer: nothing waits.
    public var isEmpty: Bool { ring.isEmpty }

    /// For the consumer: where the first datagram came from. The ring must not be empty.
    public var frontSource: SocketAddress { ring.front }

    /// For the consumer: the first datagram's bytes, in place, until `removeFront`. The ring must not be empty.
    @_lifetime(borrow self)
    public func frontBytes() -> MutableSpan<UInt8> {
        let span = unsafe MutableSpan(_unsafeElements: unsafeFrontBytes())
        return unsafe _overrideLifetime(span, borrowing: self)
    }

    /// The first datagram's bytes, valid until `removeFront`. The ring must not be empty.
    @unsafe
    public func unsafeFrontBytes() -> UnsafeMutableBufferPointer<UInt8> {
        unsafe ring.unsafeFrontBytes()
    }

    /// For the consumer: gives the first slot back. The ring must not be empty.
    public func removeFront() { ring.removeFront() }
}
