import EventLoop
import FixedCollections
import Forwarding
import Transport
import Wire

extension MediaWorker {
    /// Reads a few batches: enough to keep up, few enough that what they cause is sent soon.
    mutating func receiveDatagrams() {
        // Taken out while its datagrams are handled, since handling changes everything else.
        guard var receiver = receiver.take() else { return }
        for _ in 0..<4 {
            let count = (try? receiver.receive(from: outlet.socket)) ?? 0
            backlog.note(waited: receiver.waited, load: coalescing.load, at: now)
            for index in 0..<count {
                let source = receiver.source(at: index)
                let bytes = receiver.bytes(at: index)
                take(source, bytes.span, origin: nil)
                if forwarder.isTurnFull { finishTurn() }
            }
            announceRelayed()
            if count < WorkerSockets.datagramsABatch { break }
        }
        // What comes another way hasn't waited in the socket.
        backlog.end()
        self.receiver = consume receiver
    }

    mutating func takeHandedOver() {
        for from in shared.rings.indices where from != lane {
            let ring = shared.rings[from][lane]
            // One round: whoever fills it faster than it is emptied must not hold up the turn.
            var left = ring.capacity
            while left > 0, !ring.isEmpty {
                let bytes = ring.frontBytes()
                take(ring.frontSource, bytes.span, origin: from)
                ring.removeFront()
                if forwarder.isTurnFull { finishTurn() }
                left -= 1
            }
            if !ring.isEmpty { loop.waker.wake() }
        }
    }

    private mutating func take(_ source: SocketAddress, _ bytes: Span<UInt8>, origin: Int?) {
        guard bytes.count > 0 else { return }
        // RFC 7983: the first byte tells the protocols apart.
        if bytes[0] < 4 {
            takeSTUN(bytes, from: .udp(source), origin: origin)
            return
        }
        guard let index = addresses[source] else {
            if origin == nil, let worker = foreign[source] {
                counters.handedOver &+= 1
                shared.rings[lane][Int(worker)].push(bytes, from: source, isKnown: true)
            } else {
                takeStranger(bytes, from: source, origin: origin)
            }
            return
        }
        take(bytes, for: Int(index), from: .udp(source))
    }

    /// Anything but STUN, for a known connection.
    mutating func take(_ bytes: Span<UInt8>, for index: Int, from path: TransportPath) {
        switch bytes[0] {
        case 20...63: takeHandshake(bytes, for: index, from: path)
        case 128...191:
            if RTPHeader.isRTCP(bytes) {
                takeControl(bytes, for: index, from: path)
            } else {
                takePacket(bytes, for: index, from: path)
            }
        default: counters.unknownSource &+= 1
        }
    }

    // MARK: DTLS

    private mutating func takeHandshake(_ bytes: Span<UInt8>, for index: Int, from path: TransportPath) {
        let outcome = connections[index].transport.receiveDTLS(
            bytes, from: path, now: now, engine: outlet.engine, into: &output)
        if outcome == .connected {
            counters.handshakes &+= 1
            readyStreams(of: index)
            forwarder.markReady(PeerID(index), at: now)
            shared.events.yield(.connected(connections[index].participant))
        }
        sendOutput()
        timers.set(index, to: connections[index].transport.nextTimeout)
        switch outcome {
        case .failed:
            counters.failedHandshakes &+= 1
            drop(index, tells: true)
        case .closed: drop(index, tells: true)
        case .connected, .handshaking, .ignored, .nothing: break
        }
    }

    // MARK: Media

    private mutating func takePacket(_ bytes: Span<UInt8>, for index: Int, from path: TransportPath) {
        let peer = PeerID(index)
        guard !backlog.isLate else {
            counters.late &+= 1
            return
        }
        guard connections[index].transport.state == .connected,
            let header = try? RTPHeader(parsingHeaderOf: bytes)
        else {
            counters.srtpFailures &+= 1
            return
        }
        guard forwarder.admit(header, packet: bytes, from: peer, at: now) == .open,
            let slot = forwarder.takeBlock()
        else { return }
        let length = Self.open(bytes, slot, from: path, at: now, &forwarder, &connections[index].transport)
        if length > 0 {
            if let relay = forwarder.receive(slot, length: length, from: peer, at: now) {
                send(relay, slot, length: length, of: index)
            }
        } else {
            counters.srtpFailures &+= 1
            forwarder.releaseBlock(slot)
        }
    }

    /// Opens a packet into a block.
    ///
    /// - Returns: its length; 0 if it isn't authentic or was seen before.
    private static func open(
        _ bytes: Span<UInt8>, _ slot: PacketSlot, from path: TransportPath, at now: Instant,
        _ forwarder: inout Forwarder, _ transport: inout PeerTransport
    ) -> Int {
        var block = forwarder.mutableBytes(of: slot)
        block.store(bytes, at: 0)
        return (try? transport.openRTP(&block, length: bytes.count, from: path, now: now)) ?? 0
    }

    private mutating func takeControl(_ bytes: Span<UInt8>, for index: Int, from path: TransportPath) {
        let length = Self.openControl(bytes, from: path, at: now, &control, &connections[index].transport)
        guard length > 0 else {
            counters.controlFailures &+= 1
            return
        }
        Self.deliver(control, length: length, from: PeerID(index), at: now, to: &forwarder)
        relayReports(length: length, of: index)
    }

    private static func deliver(
        _ control: borrowing FixedArray<UInt8>, length: Int, from peer: PeerID, at now: Instant,
        to forwarder: inout Forwarder
    ) {
        forwarder.receiveControl(control.span.extracting(0..<length), from: peer, at: now)
    }

    private static func openControl(
        _ bytes: Span<UInt8>, from path: TransportPath, at now: Instant, _ control: inout FixedArray<UInt8>,
        _ transport: inout PeerTransport
    ) -> Int {
        guard bytes.count <= control.count else { return 0 }
        var copy = control.mutableSpan
        copy.store(bytes, at: 0)
        return (try? transport.openRTCP(&copy, length: bytes.count, from: path, now: now)) ?? 0
    }
}
