import CLinux

/// What to be told about a descriptor.
public struct EventInterest: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let readable = EventInterest(rawValue: CL_READABLE.rawValue)
    public static let writable = EventInterest(rawValue: CL_WRITABLE.rawValue)
}

/// The set of descriptors an event loop watches (level-triggered).
public final class EventRegistry: Sendable {
    /// The token the loop keeps for its waker.
    static let wakerToken = UInt64.max

    let descriptor: Int32

    init() throws(SocketError) {
        descriptor = cl_epoll_create()
        guard descriptor >= 0 else { throw SocketError("creating an epoll set", result: descriptor) }
    }

    deinit {
        _ = cl_close(descriptor)
    }

    /// Watches a descriptor until it is closed or removed. `token` comes back with its events; the highest value
    /// is reserved.
    public func add(_ descriptor: Int32, token: UInt64, for interest: EventInterest) throws(SocketError) {
        let result = cl_epoll_add(self.descriptor, descriptor, token, interest.rawValue)
        guard result >= 0 else { throw SocketError("watching a descriptor", result: result) }
    }

    /// Changes what is told about a descriptor that is watched.
    public func modify(_ descriptor: Int32, token: UInt64, for interest: EventInterest) throws(SocketError) {
        let result = cl_epoll_modify(self.descriptor, descriptor, token, interest.rawValue)
        guard result >= 0 else { throw SocketError("watching a descriptor", result: result) }
    }

    /// Stops watching a descriptor; one that isn't watched is ignored.
    public func remove(_ descriptor: Int32) {
        _ = cl_epoll_remove(self.descriptor, descriptor)
    }
}
