import CLinux
public import FixedCollections

/// A descriptor that became ready.
public struct ReadyEvent: Hashable, Sendable, BitwiseCopyable {
    /// As given to `EventRegistry.add`.
    public let token: UInt64
    /// Bytes, a connection, the end of a stream or an error wait to be read.
    public let isReadable: Bool
    public let isWritable: Bool
    /// The peer closed, or the descriptor failed.
    public let isHungUp: Bool
}

/// The waiting of one thread: descriptors, a deadline and a waker.
///
/// A turn is `wait`, then the events `0 ..< count`, then (if `wasWoken`) the mailboxes and rings.
@safe
public struct EventLoop: ~Copyable {
    public let registry: EventRegistry
    public let waker: Waker
    /// Events of the last `wait`.
    public private(set) var count = 0
    /// The waker ended the last `wait`: queues may hold something.
    public private(set) var wasWoken = false

    private let events: UnsafeMutablePointer<cl_event>
    private static let capacity = 256

    /// `waker` is made first, so that mailboxes can be handed out before the loop's thread runs.
    public init(waker: Waker) throws(SocketError) {
        let registry = try EventRegistry()
        try registry.add(waker.descriptor, token: EventRegistry.wakerToken, for: .readable)
        self.waker = waker
        self.registry = registry
        unsafe events = .allocate(capacity: Self.capacity)
        unsafe events.initialize(repeating: cl_event(), count: Self.capacity)
    }

    deinit {
        unsafe events.deallocate()
    }

    /// Waits until something is ready, the waker is used or `deadline` has come (nil: no deadline; one in the past:
    /// looks without waiting). Returns `count`; may be 0 earlier than the deadline.
    @discardableResult
    public mutating func wait(until deadline: Instant?) throws(SocketError) -> Int {
        count = 0
        wasWoken = false
        var nanoseconds: Int64 = -1
        if let deadline, deadline != .distantFuture {
            nanoseconds = max(0, deadline.nanoseconds &- cl_monotonic_nanoseconds())
        }
        let result = unsafe cl_epoll_wait(registry.descriptor, events, UInt32(Self.capacity), nanoseconds)
        guard result >= 0 else { throw SocketError("waiting for events", result: result) }
        takeWake(among: Int(result))
        return count
    }

    public func ready(at index: Int) -> ReadyEvent {
        precondition(index >= 0 && index < count, "no such event in this turn")
        let event = unsafe events[index]
        return ReadyEvent(
            token: event.token, isReadable: event.bits & CL_READABLE.rawValue != 0,
            isWritable: event.bits & CL_WRITABLE.rawValue != 0,
            isHungUp: event.bits & CL_HANGUP.rawValue != 0)
    }

    /// Takes the waker's event out of the list, and acknowledges it.
    private mutating func takeWake(among total: Int) {
        for index in 0..<total {
            let event = unsafe events[index]
            if event.token == EventRegistry.wakerToken {
                wasWoken = true
                waker.acknowledge()
            } else {
                unsafe events[count] = event
                count += 1
            }
        }
    }
}
