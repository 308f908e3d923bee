public import Wire

/// A packet that was committed, by itself.
public struct CommittedDatagram: Sendable, Equatable {
    public var destination: SocketAddress
    public var bytes: [UInt8]

    public init(destination: SocketAddress, bytes: [UInt8]) {
        self.destination = destination
        self.bytes = bytes
    }
}

extension DatagramSender {
    /// Takes back everything that was committed, packet by packet. Allocates.
    public mutating func removeCommitted() -> [CommittedDatagram] {
        var datagrams: [CommittedDatagram] = []
        for index in 0..<pending {
            let message = unsafe messages[index]
            var offset = 0
            while offset < message.length {
                let count = min(Int(message.segmentSize), Int(message.length) - offset)
                let start = unsafe arena + Int(message.offset) + offset
                let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
                datagrams.append(CommittedDatagram(destination: message.destination, bytes: bytes))
                offset += count
            }
        }
        pending = 0
        used = 0
        return datagrams
    }

    /// Commits the first `length` bytes of `room`: packets of `segmentSize` bytes each, the last one may be shorter.
    ///
    /// A run longer than one message holds becomes several; one that continues the last commit (same peer, same
    /// size, or one shorter last packet) joins its message. False, and nothing is committed, if it doesn't fit:
    /// see `hasRoom(for:segmentSize:)`.
    @discardableResult
    public mutating func commit(length: Int, segmentSize: Int, to destination: SocketAddress) -> Bool {
        guard length > 0, length <= free, segmentSize > 0, min(segmentSize, length) <= Self.mostBytes else {
            return false
        }
        let size = min(segmentSize, length)
        if joinLast(length: length, segmentSize: size, to: destination) { return true }
        let most = Self.mostRun(of: size)
        guard (length + most - 1) / most <= messageCapacity - pending else { return false }
        var left = length
        while left > 0 {
            let part = min(left, most)
            unsafe messages[pending] = Message(
                destination: destination, offset: UInt32(used), length: UInt32(part),
                segmentSize: UInt32(size))
            pending += 1
            used += part
            left -= part
        }
        return true
    }

    /// Commits one packet.
    @discardableResult
    public mutating func commit(length: Int, to destination: SocketAddress) -> Bool {
        commit(length: length, segmentSize: length, to: destination)
    }

    private mutating func joinLast(length: Int, segmentSize: Int, to destination: SocketAddress) -> Bool {
        guard pending > 0 else { return false }
        let last = unsafe messages[pending - 1]
        let size = Int(last.segmentSize)
        let total = Int(last.length) + length
        // Only behind a full packet, only full packets or a single shorter one; and within a message's limits.
        guard last.destination == destination, Int(last.length) % size == 0,
            segmentSize == size || (length == segmentSize && length < size),
            total <= Self.mostBytes, (total + size - 1) / size <= Self.mostSegments
        else { return false }
        unsafe messages[pending - 1].length = UInt32(total)
        used += length
        return true
    }
}
