import CLinux
public import Wire

/// Receives datagrams in batches into buffers of its own, allocated once.
///
/// After `receive` the datagrams `0 ..< count` may be read and changed in place until the next `receive`. Those
/// the kernel coalesced (UDP_GRO) come cut apart, in order of arrival.
@safe
public struct DatagramReceiver: ~Copyable {
    /// The longest datagram taken, bytes; longer ones are dropped and counted.
    public static let mostBytes = 2048

    /// Datagrams of the last `receive`.
    public private(set) var count = 0
    /// How long the first datagram of the last `receive` had waited in the socket; zero if the kernel doesn't say.
    ///
    /// By the wall clock: a leap of it shows here once.
    public var waited: Duration { .nanoseconds(unsafe cl_receive_batch_waited(batch)) }
    /// Datagrams received so far.
    public private(set) var received: UInt64 = 0
    /// Datagrams the kernel dropped because the socket's buffer was full, as far as it told (it does so with the
    /// next datagram it delivers).
    public private(set) var droppedByKernel: UInt64 = 0

    private let coalesced: Bool
    private let batch: OpaquePointer
    private let datagrams: UnsafeMutablePointer<cl_datagram>
    private var lastDrops: UInt32 = 0

    /// `buffers` messages a call. `coalesced`: the socket has `coalescesReceived`; each buffer is 64 KiB then.
    public init(buffers: Int = 64, coalesced: Bool = false) throws(SocketError) {
        precondition((1...1024).contains(buffers), "a batch has 1 to 1,024 buffers")
        // The kernel joins at most 64 datagrams, and takes up to 128 joined ones from a local sender.
        let size = coalesced ? 65_536 : Self.mostBytes
        let made = unsafe cl_receive_batch_create(
            UInt32(buffers), UInt32(size), coalesced ? 128 : 1, UInt32(Self.mostBytes))
        guard let made = unsafe made else { throw .noMemory("receive buffers") }
        self.coalesced = coalesced
        unsafe batch = made
        unsafe datagrams = cl_receive_batch_datagrams(made)
    }

    deinit {
        unsafe cl_receive_batch_destroy(batch)
    }

    /// Datagrams dropped for being longer than `mostBytes`; a coalesced run of them counts once.
    public var truncated: UInt64 { unsafe cl_receive_batch_truncated(batch) }

    /// Takes what waits, one system call, without blocking. Returns `count`, 0 when nothing waits.
    @discardableResult
    public mutating func receive(from socket: borrowing UDPSocket) throws(SocketError) -> Int {
        precondition(coalesced || !socket.coalescesReceived, "coalesced datagrams need larger buffers")
        count = 0
        let result = unsafe cl_receive_batch_fill(batch, socket.descriptor)
        guard result >= 0 else { throw SocketError("receiving datagrams", result: result) }
        count = Int(result)
        received &+= UInt64(result)
        let drops = unsafe cl_receive_batch_drops(batch)
        droppedByKernel &+= UInt64(drops &- lastDrops)
        lastDrops = drops
        return count
    }

    /// Who sent the datagram, as the kernel says; anybody can forge it.
    public func source(at index: Int) -> SocketAddress {
        check(index)
        return SocketAddress(unsafe datagrams[index].source)
    }

    /// Bytes of the datagram; may be 0.
    public func length(at index: Int) -> Int {
        check(index)
        return Int(unsafe datagrams[index].length)
    }

    /// The datagram's bytes, in place.
    @_lifetime(&self)
    public mutating func bytes(at index: Int) -> MutableSpan<UInt8> {
        let span = unsafe MutableSpan(_unsafeElements: unsafeBytes(at: index))
        return unsafe _overrideLifetime(span, mutating: &self)
    }

    /// The datagram's bytes, valid until the next `receive` and no longer than this receiver.
    @unsafe
    public func unsafeBytes(at index: Int) -> UnsafeMutableBufferPointer<UInt8> {
        check(index)
        let datagram = unsafe datagrams[index]
        return unsafe UnsafeMutableBufferPointer(start: datagram.bytes, count: Int(datagram.length))
    }

    private func check(_ index: Int) {
        precondition(index >= 0 && index < count, "no such datagram in this batch")
    }
}
