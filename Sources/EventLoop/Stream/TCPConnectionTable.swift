import CLinux
public import FixedCollections
public import Wire

/// The TCP connections of one worker: framed as RFC 4571 says, a 2-byte length before each packet.
///
/// Everything is bounded: the number of connections, how many of them a network may have before it says who it is, a
/// frame's length, what waits to be sent to a slow peer, and the time a peer may take for a frame. Nothing blocks. Reading is: `receive`, then `nextFrame` until it is `partial`.
@safe
public struct TCPConnectionTable: ~Copyable {
    /// The longest frame taken or sent, bytes.
    public static let mostBytes = 2048
    /// Two frames and their headers: a whole frame always fits behind a partial one.
    static let bufferBytes = 2 * (mostBytes + 2)

    public struct Statistics: Hashable, Sendable {
        public var accepted: UInt64 = 0
        /// Closed at once because the table was full.
        public var refused: UInt64 = 0
        public var framesReceived: UInt64 = 0
        /// Sent or queued.
        public var framesSent: UInt64 = 0
        /// Frames for which there was no room in the backlog.
        public var framesDropped: UInt64 = 0
        public var closedForLength: UInt64 = 0
        public var closedForIdling: UInt64 = 0
        /// Unproven ones that made room for another one from their network.
        public var closedForShare: UInt64 = 0
    }

    public let capacity: Int
    /// The most bytes that wait for one peer.
    public let backlogCapacity: Int
    public let idleLimit: Duration
    /// The most unproven connections from one IPv4 address or one IPv6 /64.
    public let share: Int
    /// Open connections.
    public internal(set) var count = 0
    public internal(set) var statistics = Statistics()

    let registry: EventRegistry
    let tokenTag: UInt64
    let connections: UnsafeMutablePointer<TCPConnection>
    let buffers: UnsafeMutablePointer<UInt8>
    /// Places that are free: a stack of `capacity - count`.
    let vacancies: UnsafeMutablePointer<Int32>
    private var sweepIndex = 0

    /// Events of connection `id` come with the token `tokenTag | id.rawValue`; the low half of `tokenTag` is 0.
    public init(
        capacity: Int = 1024, share: Int = 16, backlog: Int = 256 << 10, idleLimit: Duration = .seconds(10),
        registry: EventRegistry, tokenTag: UInt64
    ) {
        precondition((1...65_536).contains(capacity), "a table has 1 to 65,536 places")
        precondition(share > 0, "a network may have at least one connection")
        precondition((Self.mostBytes + 2...1 << 30).contains(backlog), "the backlog holds at least one frame")
        precondition(UInt32(truncatingIfNeeded: tokenTag) == 0, "the low half of the tag is the id's")
        self.capacity = capacity
        self.share = share
        self.backlogCapacity = backlog
        self.idleLimit = idleLimit
        self.registry = registry
        self.tokenTag = tokenTag
        unsafe connections = .allocate(capacity: capacity)
        unsafe connections.initialize(repeating: TCPConnection(), count: capacity)
        unsafe buffers = .allocate(capacity: capacity * Self.bufferBytes)
        unsafe vacancies = .allocate(capacity: capacity)
        for place in 0..<capacity {
            unsafe vacancies[place] = Int32(capacity - 1 - place)
        }
    }

    deinit {
        for index in 0..<capacity where unsafe connections[index].isOpen {
            _ = unsafe cl_close(connections[index].descriptor)
            unsafe connections[index].backlog?.deallocate()
        }
        unsafe connections.deallocate()
        unsafe buffers.deallocate()
        unsafe vacancies.deallocate()
    }

    /// Takes the next waiting connection; nil when none waits. While the table is full, newcomers are closed.
    ///
    /// When its network has used up its share, the oldest of the network's unproven connections is closed: whoever means
    /// to prove themselves does so at once, and somebody who only waits keeps nobody out who shares their address.
    /// O(capacity), which a system call outweighs.
    public mutating func accept(from listener: inout TCPListener, now: Instant) -> TCPConnectionID? {
        while let (descriptor, peer) = listener.accept() {
            makeRoom(for: peer.network)
            guard let id = insert(descriptor, from: peer, now: now) else { continue }
            _ = cl_set_option(descriptor, CL_TCP_NO_DELAY, 1)
            statistics.accepted &+= 1
            return id
        }
        return nil
    }

    private mutating func makeRoom(for network: SocketAddress) {
        var unproven = 0
        var oldest = (index: 0, began: Int64.max)
        for index in 0..<capacity where unsafe connections[index].isUnproven(from: network) {
            unproven += 1
            let began = unsafe connections[index].began
            if began < oldest.began { oldest = (index, began) }
        }
        guard unproven >= share else { return }
        close(at: oldest.index)
        statistics.closedForShare &+= 1
    }

    /// Nil, and the descriptor is closed, if there is no room.
    mutating func insert(_ descriptor: Int32, from peer: SocketAddress, now: Instant) -> TCPConnectionID? {
        guard count < capacity else {
            _ = cl_close(descriptor)
            statistics.refused &+= 1
            return nil
        }
        let index = unsafe Int(vacancies[capacity - count - 1])
        let generation = unsafe connections[index].generation
        let id = TCPConnectionID(index: index, generation: generation)
        guard (try? registry.add(descriptor, token: token(of: id), for: .readable)) != nil else {
            _ = cl_close(descriptor)
            statistics.refused &+= 1
            return nil
        }
        var connection = TCPConnection()
        connection.descriptor = descriptor
        connection.generation = generation
        connection.peer = peer
        connection.began = now.nanoseconds
        connection.lastFrame = now.nanoseconds
        unsafe connections[index] = connection
        count += 1
        return id
    }

    /// The peer's address; nil if the id is stale.
    public func peer(of id: TCPConnectionID) -> SocketAddress? {
        find(id).map { unsafe connections[$0].peer }
    }

    /// Notes whether somebody has proved on the connection who they are: it doesn't count against its network's share
    /// then. Stale ids are ignored.
    public mutating func setProven(_ id: TCPConnectionID, _ isProven: Bool) {
        if let index = find(id) { unsafe connections[index].isProven = isProven }
    }

    /// Closes a connection; stale ids are ignored.
    public mutating func close(_ id: TCPConnectionID) {
        if let index = find(id) { close(at: index) }
    }

    /// Closes the next connection that completed no frame for `idleLimit`, and tells its id, stale now.
    ///
    /// Call it every second or so until it is nil: then all connections were looked at once.
    public mutating func closeNextIdle(now: Instant) -> TCPConnectionID? {
        let limit = idleLimit.wholeNanoseconds
        while sweepIndex < capacity {
            let index = sweepIndex
            sweepIndex += 1
            let connection = unsafe connections[index]
            guard connection.isOpen, now.nanoseconds &- connection.lastFrame >= limit else { continue }
            close(at: index)
            statistics.closedForIdling &+= 1
            return TCPConnectionID(index: index, generation: connection.generation)
        }
        sweepIndex = 0
        return nil
    }

    func find(_ id: TCPConnectionID) -> Int? {
        let index = id.index
        guard index < capacity, unsafe connections[index].isOpen,
            unsafe connections[index].generation == id.generation
        else { return nil }
        return index
    }

    func token(of id: TCPConnectionID) -> UInt64 {
        tokenTag | UInt64(id.rawValue)
    }

    mutating func close(at index: Int) {
        let connection = unsafe connections[index]
        registry.remove(connection.descriptor)
        _ = cl_close(connection.descriptor)
        vacate(index)
    }

    /// Makes the place free for another connection.
    mutating func vacate(_ index: Int) {
        let connection = unsafe connections[index]
        unsafe connection.backlog?.deallocate()
        var vacant = TCPConnection()
        vacant.generation = connection.generation &+ 1
        unsafe connections[index] = vacant
        count -= 1
        unsafe vacancies[capacity - count - 1] = Int32(index)
    }
}
