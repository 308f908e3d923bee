import CLinux
import Wire

extension DatagramSender {
    private enum Progress {
        case done
        /// The socket's buffer is full; the messages from here on were not sent.
        case congested(at: Int)
        /// The kernel refused this message as a run.
        case refused(at: Int)
    }

    /// Sends everything committed and empties the arena.
    ///
    /// A message the kernel refuses is counted and skipped. If the socket's buffer is full, one more attempt is made,
    /// and what is left is dropped: media that waits is worth less than what comes next.
    public mutating func flush(_ socket: borrowing UDPSocket) {
        var next = 0
        while next < pending && offload == .active {
            next = sendRuns(from: next, socket)
        }
        if next < pending { _ = sendSingly(next..<pending, socket) }
        pending = 0
        used = 0
    }

    /// Sends messages as runs; where to go on, which is short of the end only after a run was refused.
    private mutating func sendRuns(from first: Int, _ socket: borrowing UDPSocket) -> Int {
        for index in first..<pending {
            unsafe describe(messages[index], at: index - first, socket)
        }
        switch transmit(pending - first, socket) {
        case .done:
            return pending
        case .congested(let index):
            drop(from: first + index)
            return pending
        case .refused(let index):
            // An unreachable peer or too small a path is refused too, and must not cost all others the offload:
            // it is at fault only if the same packets pass one by one.
            let refused = first + index
            let errors = statistics.errors
            guard sendSingly(refused..<refused + 1, socket) else {
                drop(from: refused + 1)
                return pending
            }
            if statistics.errors == errors { offload = .unavailable }
            return refused + 1
        }
    }

    /// Sends messages packet by packet. False: the socket's buffer was full, and the rest of them was dropped.
    private mutating func sendSingly(_ range: Range<Int>, _ socket: borrowing UDPSocket) -> Bool {
        var filled = 0
        for index in range {
            let message = unsafe messages[index]
            var offset: UInt32 = 0
            while offset < message.length {
                let size = min(message.segmentSize, message.length - offset)
                var packet = message
                packet.offset += offset
                packet.length = size
                packet.segmentSize = size
                describe(packet, at: filled, socket)
                filled += 1
                offset += size
                guard filled == messageCapacity else { continue }
                if case .congested(let unsent) = transmit(filled, socket) {
                    statistics.dropped &+= UInt64(filled - unsent)
                    statistics.dropped &+= UInt64(
                        (message.length - offset + message.segmentSize - 1)
                            / message.segmentSize)
                    drop(index + 1..<range.upperBound)
                    return false
                }
                filled = 0
            }
        }
        if case .congested(let unsent) = transmit(filled, socket) {
            statistics.dropped &+= UInt64(filled - unsent)
            return false
        }
        return true
    }

    private mutating func transmit(_ count: Int, _ socket: borrowing UDPSocket) -> Progress {
        var first = 0
        var retried = false
        while first < count {
            statistics.calls &+= 1
            let result = unsafe cl_send_batch_send(
                batch, socket.descriptor, UInt32(first), UInt32(count - first))
            if result > 0 {
                account(first..<first + Int(result))
                first += Int(result)
                retried = false
                continue
            }
            let message = unsafe outgoing[first]
            switch cl_errno_name(0 &- result) {
            case CL_EAGAIN, CL_ENOBUFS:
                if retried { return .congested(at: first) }
                retried = true
            case CL_EINVAL, CL_ENOPROTOOPT, CL_EIO, CL_EOPNOTSUPP:
                if message.segments > 1 { return .refused(at: first) }
                fallthrough
            default:
                statistics.errors &+= message.segments
                first += 1
            }
        }
        return .done
    }

    private func describe(_ message: Message, at index: Int, _ socket: borrowing UDPSocket) {
        unsafe outgoing[index] = message
        var destination = message.destination.native
        // The kernel refuses an IPv6 destination on an IPv4 socket; it would take its low bytes for an address.
        let ipv6 = socket.isIPv6 || !message.destination.isIPv4
        unsafe cl_send_batch_set(
            batch, UInt32(index), ipv6, &destination, arena + Int(message.offset), message.length,
            message.segments > 1 ? UInt16(message.segmentSize) : 0)
    }

    private mutating func account(_ range: Range<Int>) {
        for index in range {
            let message = unsafe outgoing[index]
            statistics.messages &+= 1
            statistics.segments &+= message.segments
            statistics.bytes &+= UInt64(message.length)
        }
    }

    private mutating func drop(from index: Int) {
        drop(index..<pending)
    }

    private mutating func drop(_ range: Range<Int>) {
        for index in range {
            statistics.dropped &+= unsafe messages[index].segments
        }
    }
}
