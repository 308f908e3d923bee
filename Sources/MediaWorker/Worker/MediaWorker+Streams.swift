import EventLoop
import FixedCollections
import Transport
import Wire

/// ICE over TCP: the same protocols in frames (RFC 4571, RFC 6544).
extension MediaWorker {
    mutating func acceptStreams() {
        // Taken out, since accepting changes the table beside it.
        guard var open = listener.take() else { return }
        // Those that are left are there in the next turn too.
        var left = 64
        while left > 0, outlet.streams.accept(from: &open, now: now) != nil { left -= 1 }
        listener = consume open
    }

    mutating func receiveStream(_ event: ReadyEvent) {
        let id = TCPConnectionID(rawValue: UInt32(truncatingIfNeeded: event.token))
        if event.isWritable, case .closed = outlet.streams.flush(id) {
            forgetStream(id)
            return
        }
        guard event.isReadable || event.isHungUp, let peer = outlet.streams.peer(of: id) else { return }
        let path = TransportPath.tcp(connection: id.rawValue, peer)
        if case .closed = outlet.streams.receive(on: id, now: now) {
            forgetStream(id)
            return
        }
        takeFrames(of: id, from: path)
    }

    /// Gives a connection on which nobody has proved who they are yet to the worker whose peer it is.
    mutating func move(_ id: TCPConnectionID, to worker: Int) {
        guard tcpOwners[id.rawValue] == nil, let moving = outlet.streams.detach(id) else { return }
        _ = shared.mailboxes[worker].post(.stream(moving))
    }

    /// Takes a connection over from another worker.
    mutating func take(_ moving: MovingTCPConnection) {
        guard let id = outlet.streams.attach(moving, now: now) else { return }
        takeFrames(of: id, from: .tcp(connection: id.rawValue, moving.peer))
    }

    private mutating func takeFrames(of id: TCPConnectionID, from path: TransportPath) {
        while true {
            switch outlet.streams.nextFrame(of: id) {
            case .complete(let length): takeFrame(of: id, length: length, from: path)
            case .partial, .stale: return
            case .closed:
                forgetStream(id)
                return
            }
        }
    }

    private mutating func takeFrame(of id: TCPConnectionID, length: Int, from path: TransportPath) {
        // Copied, since handling a frame may close the connection that holds it.
        guard length > 0, var frame = frame.take() else { return }
        copyFrame(of: id, into: &frame)
        take(frame.span.extracting(0..<length), ofStream: id, from: path)
        self.frame = consume frame
        // The first frame of a peer is a check that proves who it is; strangers don't keep the place.
        if tcpOwners[id.rawValue] == nil { outlet.streams.close(id) }
    }

    private mutating func copyFrame(of id: TCPConnectionID, into frame: inout FixedArray<UInt8>) {
        let bytes = outlet.streams.frameBytes(of: id)
        var copy = frame.mutableSpan
        copy.store(bytes.span, at: 0)
    }

    private mutating func take(_ bytes: Span<UInt8>, ofStream id: TCPConnectionID, from path: TransportPath) {
        if bytes[0] < 4 {
            takeSTUN(bytes, from: path, origin: nil)
        } else if let index = tcpOwners[id.rawValue] {
            take(bytes, for: Int(index), from: path)
        } else {
            counters.unknownSource &+= 1
        }
    }

    mutating func forgetStream(_ id: TCPConnectionID) {
        guard let index = tcpOwners[id.rawValue].map({ Int($0) }) else { return }
        let paths = connections[index].paths
        for known in paths {
            guard case .tcp(id.rawValue, _) = known.path else { continue }
            _ = connections[index].transport.removePath(known.path)
            forget(known.path, of: index)
        }
    }
}
