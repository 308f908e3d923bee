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
public final class RelayRing: Sendable {
    /// The longest packet taken, bytes.
    public static let mostBytes = 1_536

    public var capacity: Int { ring.capacity }
    private let ring: SlotRing<RelayLabel>
    private let waker: Waker
    private let drops = Atomic<UInt64>(0)

    /// Room for `capacity` packets, a power of two. Wakes the loop that has `waker`.
    public init(capacity: Int, waker: Waker) {
        ring = SlotRing(capacity: capacity, slotBytes: Self.mostBytes)
        self.waker = waker
    }

    /// Packets that found the ring full, or were too long.
    public var dropped: UInt64 { drops.load(ordering: .relaxed) }

    /// For the producer: copies a packet in, without waking anybody. False: dropped and counted.
    @discardableResult
    public func push(_ packet: Span<UInt8>, _ label: RelayLabel) -> Bool {
        guard ring.push(packet, label, room: capacity) else {
            drops.wrappingAdd(1, ordering: .relaxed)
            return false
        }
        return true
    }

    /// For the producer: makes the other loop's current or next wait return.
    public func announce() { waker.wake() }

    /// For the consumer: nothing waits.
    public var isEmpty: Bool { ring.isEmpty }

    /// For the consumer: what the first packet is. The ring must not be empty.
    public var frontLabel: RelayLabel { ring.front }

    /// For the consumer: the first packet, in place, until `removeFront`. The ring must not be empty.
    @_lifetime(borrow self)
    public func frontBytes() -> Span<UInt8> {
        let span = unsafe Span(_unsafeElements: UnsafeBufferPointer(ring.unsafeFrontBytes()))
        return unsafe _overrideLifetime(span, borrowing: self)
    }

    /// For the consumer: gives the first slot back. The ring must not be empty.
    public func removeFront() { ring.removeFront() }
}
