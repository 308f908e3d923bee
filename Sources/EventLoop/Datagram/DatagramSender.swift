import CLinux
import Wire

/// Gathers outgoing datagrams in one arena and sends them in as few calls and messages as it can.
///
/// The caller writes packets at the start of `room`, one behind the other, and commits them. A run of equal-size
/// packets to one peer (the last may be shorter) leaves as one message that the kernel or the card cuts (UDP_SEGMENT).
/// Where that isn't possible, each packet becomes a message; this is found out once and remembered.
///
/// Sending never blocks. What the socket has no room for is dropped and counted.
@safe
public struct DatagramSender: ~Copyable {
    /// The most packets in one message (the kernel's limit).
    public static let mostSegments = 64
    /// The most bytes in one message.
    public static let mostBytes = 65_000

    public enum Offload: Hashable, Sendable {
        /// Runs leave as one message.
        case active
        /// The caller wants a message a packet.
        case off
        /// The kernel refused a run whose packets it took one by one.
        case unavailable
    }

    public struct Statistics: Hashable, Sendable {
        /// Messages the kernel took: one or more packets each.
        public var messages: UInt64 = 0
        /// Packets the kernel took.
        public var segments: UInt64 = 0
        public var bytes: UInt64 = 0
        /// Packets the kernel refused (too long for the path, unreachable, filtered).
        public var errors: UInt64 = 0
        /// Packets for which there was no room in the socket's buffer.
        public var dropped: UInt64 = 0
        /// System calls made.
        public var calls: UInt64 = 0
    }

    struct Message {
        var destination: SocketAddress
        var offset: UInt32
        var length: UInt32
        var segmentSize: UInt32

        var segments: UInt64 { UInt64((length + segmentSize - 1) / segmentSize) }
    }

    public internal(set) var offload: Offload
    public internal(set) var statistics = Statistics()
    /// Messages waiting for `flush`.
    public internal(set) var pending = 0
    /// Bytes of the arena in use.
    public internal(set) var used = 0
    /// Size of the arena, bytes.
    public let capacity: Int
    /// The most messages waiting.
    public let messageCapacity: Int

    let arena: UnsafeMutablePointer<UInt8>
    let messages: UnsafeMutablePointer<Message>
    /// What lies in the kernel's form in `batch`: `messages`, or their packets one by one.
    let outgoing: UnsafeMutablePointer<Message>
    let batch: OpaquePointer

    /// `arena` bytes of room and `messages` messages between two flushes, allocated here and never again.
    public init(
        arena bytes: Int = 1 << 20, messages count: Int = 64, offload: Offload = .active
    ) throws(SocketError) {
        precondition((Self.mostBytes...1 << 30).contains(bytes), "the arena holds at least one message")
        precondition((1...1024).contains(count), "a batch has 1 to 1,024 messages")
        let made = unsafe cl_send_batch_create(UInt32(count))
        guard let made = unsafe made else { throw .noMemory("send buffers") }
        unsafe batch = made
        capacity = bytes
        messageCapacity = count
        self.offload = offload
        unsafe arena = .allocate(capacity: bytes)
        unsafe arena.initialize(repeating: 0, count: bytes)
        unsafe messages = .allocate(capacity: count)
        unsafe outgoing = .allocate(capacity: count)
        let nothing = Message(
            destination: SocketAddress(high: 0, low: 0, port: 0), offset: 0, length: 0, segmentSize: 1)
        unsafe messages.initialize(repeating: nothing, count: count)
        unsafe outgoing.initialize(repeating: nothing, count: count)
    }

    deinit {
        unsafe arena.deallocate()
        unsafe messages.deallocate()
        unsafe outgoing.deallocate()
        unsafe cl_send_batch_destroy(batch)
    }

    /// Bytes that may be written now.
    public var free: Int { capacity - used }

    /// Whether a run of `length` bytes in packets of `segmentSize` can be committed, whatever its destination; else
    /// flush first.
    public func hasRoom(for length: Int, segmentSize: Int) -> Bool {
        guard length <= free, segmentSize > 0 else { return false }
        let most = Self.mostRun(of: segmentSize)
        return (length + most - 1) / most <= messageCapacity - pending
    }

    /// The most bytes of packets of `segmentSize` in one message.
    static func mostRun(of segmentSize: Int) -> Int {
        max(1, min(mostSegments, mostBytes / segmentSize)) * segmentSize
    }

    /// The free part of the arena. What is written at its start is sent once committed.
    @_lifetime(&self)
    public mutating func room() -> MutableSpan<UInt8> {
        let span = unsafe MutableSpan(_unsafeElements: unsafeRoom())
        return unsafe _overrideLifetime(span, mutating: &self)
    }

    /// The whole arena: what was committed, and from `used` on what is free. What was committed may still be changed,
    /// but not in length, until it is flushed.
    @_lifetime(&self)
    public mutating func wholeArena() -> MutableSpan<UInt8> {
        let all = unsafe UnsafeMutableBufferPointer(start: arena, count: capacity)
        let span = unsafe MutableSpan(_unsafeElements: all)
        return unsafe _overrideLifetime(span, mutating: &self)
    }

    /// The free part of the arena, valid until the next `commit` or `flush`.
    @unsafe
    public func unsafeRoom() -> UnsafeMutableBufferPointer<UInt8> {
        unsafe UnsafeMutableBufferPointer(start: arena + used, count: capacity - used)
    }
}
