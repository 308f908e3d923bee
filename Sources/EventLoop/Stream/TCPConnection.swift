import Wire

/// Names one TCP connection of one table. An id is not given again before 65,536 others had its place: one that was
/// kept too long is recognised as stale.
public struct TCPConnectionID: Hashable, Sendable, BitwiseCopyable {
    /// Place in the table in the low 16 bits, generation above.
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    init(index: Int, generation: UInt16) {
        rawValue = UInt32(generation) << 16 | UInt32(index)
    }

    var index: Int { Int(rawValue & 0xffff) }
    var generation: UInt16 { UInt16(rawValue >> 16) }
}

/// Why a connection ended.
public enum TCPCloseReason: Hashable, Sendable {
    case peerClosed
    case failed
    /// A frame longer than `TCPConnectionTable.mostBytes`.
    case frameTooLong
}

/// What reading a connection brought.
public enum TCPInput: Hashable, Sendable {
    /// Bytes came: take the frames.
    case bytes
    case nothing
    /// The connection is gone; its id is stale from now on.
    case closed(TCPCloseReason)
    /// There is no such connection (any more).
    case stale
}

/// The next step through the bytes that were read.
public enum TCPFrame: Hashable, Sendable {
    /// A frame of this many bytes, see `frameBytes(of:)`.
    case complete(length: Int)
    /// No whole frame is left: read again when the connection is readable.
    case partial
    /// The connection was closed for what it sent; its id is stale from now on.
    case closed(TCPCloseReason)
    case stale
}

/// What became of a frame.
public enum TCPOutput: Hashable, Sendable {
    case sent
    /// Waits for the peer to take what came before.
    case queued
    /// There was no room for it.
    case dropped
    case closed(TCPCloseReason)
    case stale
}

/// One place of the table.
@safe
struct TCPConnection {
    var descriptor: Int32 = -1
    var generation: UInt16 = 0
    var peer = SocketAddress(high: 0, low: 0, port: 0)
    /// Somebody has proved on it who they are.
    var isProven = false
    var began: Int64 = 0
    /// When the connection began or last completed a frame; nanoseconds of the monotonic clock.
    var lastFrame: Int64 = 0
    var lastInput: Int64 = 0
    /// Bytes in the receive buffer, and how many of them were taken.
    var filled = 0
    var taken = 0
    var frameStart = 0
    var frameLength = 0
    /// A ring of bytes that wait to be sent; allocated when first needed.
    var backlog: UnsafeMutablePointer<UInt8>?
    var backlogStart = 0
    var backlogCount = 0

    var isOpen: Bool { descriptor >= 0 }

    /// Whether it counts against its network's share.
    func isUnproven(from network: SocketAddress) -> Bool {
        isOpen && !isProven && peer.network == network
    }
}
