import EventLoop
import FixedCollections
import Forwarding
import Transport
import Wire

extension MediaWorker {
    mutating func sendOutput() {
        outlet.drain(&output)
    }

    /// Sends the RTCP that is due.
    mutating func sendControl() {
        while let (peer, length) = Self.pollControl(at: now, &forwarder, into: &control) {
            let index = Int(peer.index)
            guard let path = connections[index].transport.selectedPath else { continue }
            let sealed = Self.sealControl(length, &connections[index].transport, in: &control)
            if sealed > 0 { Self.send(control, length: sealed, to: path, through: &outlet) }
        }
    }

    private static func pollControl(
        at now: Instant, _ forwarder: inout Forwarder, into control: inout FixedArray<UInt8>
    ) -> (peer: PeerID, length: Int)? {
        var datagram = control.mutableSpan
        return forwarder.pollControl(at: now, into: &datagram)
    }

    private static func send(
        _ control: borrowing FixedArray<UInt8>, length: Int, to path: TransportPath,
        through outlet: inout Outlet
    ) {
        outlet.send(control.span.extracting(0..<length), to: path)
    }

    /// - Returns: the protected length; 0 when there are no keys.
    private static func sealControl(
        _ length: Int, _ transport: inout PeerTransport, in control: inout FixedArray<UInt8>
    ) -> Int {
        var datagram = control.mutableSpan
        return (try? transport.sealRTCP(&datagram, length: length)) ?? 0
    }

    /// Sends the turn's packets, receiver by receiver, and ends the forwarder's turn.
    mutating func sendPackets() {
        var sentAt = now
        var sent = 0
        while let peer = forwarder.nextReceiver() {
            while fillBatch(for: peer, at: sentAt) {
                sendBatch(to: Int(peer.index))
                sent += batch.count
            }
            // What links are judged by is when packets leave: a long turn looks at the clock now and then.
            if sent >= 256 {
                sentAt = MonotonicClock.now()
                sent = 0
            }
        }
        forwarder.endTurn()
    }

    /// - Returns: whether there is something in the batch.
    private mutating func fillBatch(for peer: PeerID, at sentAt: Instant) -> Bool {
        batch.removeAll()
        while !batch.isFull, let entry = forwarder.popPacket(of: peer) {
            batch.append(entry, from: &forwarder, at: sentAt)
        }
        return batch.count > 0
    }

    private mutating func sendBatch(to index: Int) {
        guard let path = connections[index].transport.selectedPath else { return }
        if case .udp = path { batch.arrange() }
        for position in 0..<batch.count {
            let packet = batch.packet(at: position)
            outlet.send(
                packet, of: batch, from: forwarder, through: &connections[index].transport, to: path)
        }
    }

    // MARK: Sealed streams

    /// Readies the SSRCs of the connection's seats; done when keys come, and when seats change.
    mutating func readyStreams(of index: Int) {
        guard connections[index].transport.state == .connected else { return }
        let wanted = connections[index].wanted
        for (ssrc, stream) in connections[index].outgoing where !wanted.contains(ssrc) {
            connections[index].transport.unregisterStream(stream)
            connections[index].outgoing[ssrc] = nil
            forwarder.setStream(nil, of: ssrc, for: PeerID(index))
        }
        for ssrc in wanted where connections[index].outgoing[ssrc] == nil {
            connections[index].outgoing[ssrc] = try? connections[index].transport.registerStream(ssrc)
        }
        for (ssrc, stream) in connections[index].outgoing {
            forwarder.setStream(stream.index, of: ssrc, for: PeerID(index))
        }
    }
}
