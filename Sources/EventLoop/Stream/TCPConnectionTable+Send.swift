import CLinux

extension TCPConnectionTable {
    /// Sends one packet as a frame, or queues it behind others, or drops it: a slow peer never holds up the caller.
    @discardableResult
    public mutating func send(_ packet: Span<UInt8>, on id: TCPConnectionID) -> TCPOutput {
        guard let index = find(id) else { return .stale }
        guard packet.count <= Self.mostBytes else { return dropFrame() }
        return unsafe packet.withUnsafeBufferPointer { packet in
            unsafe send(packet, at: index)
        }
    }

    /// Sends what waits, when the connection has become writable.
    public mutating func flush(_ id: TCPConnectionID) -> TCPOutput {
        guard let index = find(id) else { return .stale }
        while unsafe connections[index].backlogCount > 0 {
            guard let backlog = unsafe connections[index].backlog else { break }
            let start = unsafe connections[index].backlogStart
            let count = unsafe connections[index].backlogCount
            let first = min(count, backlogCapacity - start)
            let result = unsafe cl_send_pair(
                connections[index].descriptor, backlog + start, first, backlog, count - first)
            guard result > 0 else { return result == 0 ? .queued : failure(result, at: index) ?? .queued }
            unsafe connections[index].backlogStart = (start + result) % backlogCapacity
            unsafe connections[index].backlogCount = count - result
        }
        watch(index, for: .readable)
        return .sent
    }

    /// Bytes that wait for the peer; 0 if the id is stale.
    public func backlog(of id: TCPConnectionID) -> Int {
        find(id).map { unsafe connections[$0].backlogCount } ?? 0
    }

    private mutating func send(_ packet: UnsafeBufferPointer<UInt8>, at index: Int) -> TCPOutput {
        var header = UInt16(packet.count).bigEndian
        return unsafe withUnsafeBytes(of: &header) { header in
            guard unsafe connections[index].backlogCount == 0 else {
                return unsafe queue(header, packet, from: 0, at: index)
            }
            let result = unsafe cl_send_pair(
                connections[index].descriptor, header.baseAddress, 2, packet.baseAddress, packet.count)
            if result < 0, let ended = failure(result, at: index) { return ended }
            let sent = max(0, result)
            if sent == packet.count + 2 {
                statistics.framesSent &+= 1
                return .sent
            }
            return unsafe queue(header, packet, from: sent, at: index)
        }
    }

    /// Queues a frame without its first `sent` bytes, whole or not at all.
    private mutating func queue(
        _ header: UnsafeRawBufferPointer, _ packet: UnsafeBufferPointer<UInt8>, from sent: Int, at index: Int
    ) -> TCPOutput {
        guard unsafe connections[index].backlogCount + 2 + packet.count - sent <= backlogCapacity else {
            return dropFrame()
        }
        if unsafe connections[index].backlog == nil {
            unsafe connections[index].backlog = .allocate(capacity: backlogCapacity)
        }
        if unsafe connections[index].backlogCount == 0 { watch(index, for: [.readable, .writable]) }
        for offset in min(sent, 2)..<2 {
            unsafe append(header.baseAddress.map { unsafe $0 + offset }, 1, at: index)
        }
        let rest = max(0, sent - 2)
        unsafe append(
            packet.baseAddress.map { unsafe UnsafeRawPointer($0 + rest) }, packet.count - rest, at: index)
        statistics.framesSent &+= 1
        return .queued
    }

    private mutating func append(_ bytes: UnsafeRawPointer?, _ count: Int, at index: Int) {
        guard let bytes = unsafe bytes, let backlog = unsafe connections[index].backlog, count > 0 else {
            return
        }
        let end = unsafe (connections[index].backlogStart + connections[index].backlogCount) % backlogCapacity
        let first = min(count, backlogCapacity - end)
        unsafe UnsafeMutableRawPointer(backlog + end).copyMemory(from: bytes, byteCount: first)
        unsafe UnsafeMutableRawPointer(backlog).copyMemory(from: bytes + first, byteCount: count - first)
        unsafe connections[index].backlogCount += count
    }

    private mutating func dropFrame() -> TCPOutput {
        statistics.framesDropped &+= 1
        return .dropped
    }

    /// What a failed call means: nil if the peer is merely slow, else the connection is closed.
    private mutating func failure(_ result: Int, at index: Int) -> TCPOutput? {
        switch cl_errno_name(Int32(truncatingIfNeeded: 0 &- result)) {
        case CL_EAGAIN, CL_EINTR, CL_ENOBUFS: return nil
        default:
            close(at: index)
            return .closed(.failed)
        }
    }

    private func watch(_ index: Int, for interest: EventInterest) {
        let connection = unsafe connections[index]
        let id = TCPConnectionID(index: index, generation: connection.generation)
        // Can't fail for a descriptor that is in the set.
        try? registry.modify(connection.descriptor, token: token(of: id), for: interest)
    }
}
