import CLinux
public import FixedCollections

extension TCPConnectionTable {
    /// Reads what the peer sent, as far as the connection's buffer has room, one system call. Frames that were not
    /// taken since the last time stay.
    public mutating func receive(on id: TCPConnectionID, now: Instant) -> TCPInput {
        guard let index = find(id) else { return .stale }
        let buffer = unsafe buffers + index * Self.bufferBytes
        let kept = unsafe connections[index].filled - connections[index].taken
        if unsafe connections[index].taken > 0 {
            unsafe buffer.update(from: buffer + connections[index].taken, count: kept)
            unsafe connections[index].filled = kept
            unsafe connections[index].taken = 0
            unsafe connections[index].frameLength = 0
        }
        guard kept < Self.bufferBytes else { return .bytes }
        let result = unsafe cl_receive(
            connections[index].descriptor, buffer + kept, Self.bufferBytes - kept)
        if result > 0 {
            unsafe connections[index].filled = kept + result
            unsafe connections[index].lastInput = now.nanoseconds
            return .bytes
        }
        let reason: TCPCloseReason
        if result == 0 {
            reason = .peerClosed
        } else {
            switch cl_errno_name(Int32(truncatingIfNeeded: 0 &- result)) {
            case CL_EAGAIN, CL_EINTR: return .nothing
            default: reason = .failed
            }
        }
        close(at: index)
        return .closed(reason)
    }

    /// Steps to the next whole frame among the bytes read. Empty frames are skipped.
    public mutating func nextFrame(of id: TCPConnectionID) -> TCPFrame {
        guard let index = find(id) else { return .stale }
        let buffer = unsafe buffers + index * Self.bufferBytes
        while true {
            let start = unsafe connections[index].taken
            let available = unsafe connections[index].filled - start
            guard available >= 2 else { return .partial }
            let length = unsafe Int(buffer[start]) << 8 | Int(buffer[start + 1])
            guard length <= Self.mostBytes else {
                close(at: index)
                statistics.closedForLength &+= 1
                return .closed(.frameTooLong)
            }
            guard available >= 2 + length else { return .partial }
            unsafe connections[index].taken = start + 2 + length
            guard length > 0 else { continue }
            unsafe connections[index].frameStart = start + 2
            unsafe connections[index].frameLength = length
            unsafe connections[index].lastFrame = connections[index].lastInput
            statistics.framesReceived &+= 1
            return .complete(length: length)
        }
    }

    /// The frame that `nextFrame` stepped to, in place; empty if there is none.
    @_lifetime(&self)
    public mutating func frameBytes(of id: TCPConnectionID) -> MutableSpan<UInt8> {
        let span = unsafe MutableSpan(_unsafeElements: unsafeFrameBytes(of: id))
        return unsafe _overrideLifetime(span, mutating: &self)
    }

    /// The frame that `nextFrame` stepped to, valid until the connection's next `receive`; empty if there is none.
    @unsafe
    public func unsafeFrameBytes(of id: TCPConnectionID) -> UnsafeMutableBufferPointer<UInt8> {
        guard let index = find(id) else { return unsafe UnsafeMutableBufferPointer(start: nil, count: 0) }
        let connection = unsafe connections[index]
        return unsafe UnsafeMutableBufferPointer(
            start: buffers + index * Self.bufferBytes + connection.frameStart, count: connection.frameLength)
    }
}
