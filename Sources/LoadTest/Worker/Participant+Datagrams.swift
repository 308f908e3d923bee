import EventLoop
import FixedCollections
import Transport
import Wire

/// Datagrams out and in.
extension Participant {
    func flushOutput(_ shared: LoadShared, now: Instant) {
        for index in 0..<shared.output.count {
            send(shared.output.bytes(at: index), shared, now: now)
        }
        shared.output.removeAll()
    }

    /// Sends one datagram at once.
    func send(_ bytes: Span<UInt8>, _ shared: LoadShared, now: Instant) {
        var room = shared.sender.room()
        for index in 0..<bytes.count { room[index] = bytes[index] }
        commit(bytes.count, shared, now: now)
        flush(shared)
    }

    /// Sends what was committed to the sender.
    func flush(_ shared: LoadShared) {
        // Borrowing through an optional needs a switch.
        switch socket {
        case .some(let socket): shared.sender.flush(socket)
        case .none: break
        }
    }

    /// Takes a datagram of the server's.
    func receive(_ bytes: inout MutableSpan<UInt8>, _ shared: LoadShared, now: Instant) {
        guard bytes.count > 0 else { return }
        switch bytes[0] {
        case 0...3:
            transport?.receiveSTUN(bytes.span, now: now, into: &shared.output)
        case 20...63:
            transport?.receiveDTLS(bytes.span, now: now, engine: shared.engine, into: &shared.output)
        case 128...191:
            guard state == .connected, bytes.count >= 12 else { return }
            if RTPHeader.isRTCP(bytes.span) {
                receiveControl(&bytes, shared, now: now)
            } else {
                receiveMedia(&bytes, shared, now: now)
            }
            return
        default: return
        }
        flushOutput(shared, now: now)
        noteProgress(shared, now: now)
        schedule()
    }
}
