import CLinux
public import FixedCollections
import Synchronization
public import Wire

/// A TCP connection on its way from one worker's table to another's, with what came on it and wasn't handled. Closed
/// if nobody takes it.
public final class MovingTCPConnection: Sendable {
    public let peer: SocketAddress
    let descriptor: Int32
    let bytes: [UInt8]
    private let isTaken = Atomic<Bool>(false)

    init(descriptor: Int32, peer: SocketAddress, bytes: [UInt8]) {
        self.descriptor = descriptor
        self.peer = peer
        self.bytes = bytes
    }

    deinit {
        if !isTaken.load(ordering: .acquiring) { _ = cl_close(descriptor) }
    }

    /// False if somebody has taken it before.
    func take() -> Bool {
        !isTaken.exchange(true, ordering: .acquiringAndReleasing)
    }
}

extension TCPConnectionTable {
    /// Gives a connection away, from the frame on that `nextFrame` stepped to last. Nil, and nothing has changed, if the
    /// id is stale or something waits to be sent.
    public mutating func detach(_ id: TCPConnectionID) -> MovingTCPConnection? {
        guard let index = find(id), unsafe connections[index].backlogCount == 0 else { return nil }
        let connection = unsafe connections[index]
        let start = connection.frameLength > 0 ? connection.frameStart - 2 : connection.taken
        let unhandled = unsafe UnsafeBufferPointer(
            start: buffers + index * Self.bufferBytes + start, count: connection.filled - start)
        let moving = unsafe MovingTCPConnection(
            descriptor: connection.descriptor, peer: connection.peer, bytes: Array(unhandled))
        registry.remove(connection.descriptor)
        vacate(index)
        return moving
    }

    /// Takes a connection over; its frames are there for `nextFrame` at once. Nil, and it is closed, if the table is
    /// full or it was taken before.
    public mutating func attach(_ moving: MovingTCPConnection, now: Instant) -> TCPConnectionID? {
        guard moving.bytes.count <= Self.bufferBytes, moving.take() else { return nil }
        guard let id = insert(moving.descriptor, from: moving.peer, now: now) else { return nil }
        let buffer = unsafe buffers + id.index * Self.bufferBytes
        for offset in moving.bytes.indices { unsafe buffer[offset] = moving.bytes[offset] }
        unsafe connections[id.index].filled = moving.bytes.count
        unsafe connections[id.index].lastInput = now.nanoseconds
        return id
    }
}
