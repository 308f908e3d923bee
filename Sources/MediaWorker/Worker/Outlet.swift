import EventLoop
import FixedCollections
import Forwarding
import Transport
import Wire

/// Where a worker's datagrams leave, sealed: one UDP socket, or a TCP connection by path.
///
/// Packets lie in the sender's arena, where those of several receivers may wait to be encrypted together.
struct Outlet: ~Copyable {
    let socket: UDPSocket
    var sender: DatagramSender
    private(set) var engine: SealingEngine
    var streams: TCPConnectionTable
    /// Room for a packet that leaves by TCP.
    private var frame = FixedArray<UInt8>(repeating: 0, count: 2_048)
    private(set) var packets: UInt64 = 0
    private(set) var bytes: UInt64 = 0
    private(set) var unsealed: UInt64 = 0
    /// Stands before the socket, in tests.
    var faults: FaultInjector?
    /// Connections that turned out to have ended when something was sent.
    private var endedStreams: [TCPConnectionID] = []

    /// A packet with its tag is at most this long.
    private static var mostBytes: Int { 2_048 }

    init(
        socket: consuming UDPSocket, sender: consuming DatagramSender, streams: consuming TCPConnectionTable,
        engine: consuming SealingEngine
    ) {
        self.socket = socket
        self.sender = sender
        self.streams = streams
        self.engine = engine
    }

    /// Takes one that has ended.
    mutating func nextEndedStream() -> TCPConnectionID? {
        endedStreams.popLast()
    }

    /// Encrypts what waits for that, and sends everything.
    mutating func flush() {
        guard faults == nil else { return flushWithFaults() }
        guard sender.pending > 0 else { return }
        Self.finishSealing(in: &sender, &engine)
        sender.flush(socket)
    }

    private mutating func flushWithFaults() {
        Self.finishSealing(in: &sender, &engine)
        faults?.take(sender.removeCommitted(), now: MonotonicClock.now())
        for datagram in faults?.takeReady() ?? [] {
            let count = datagram.bytes.count
            if !sender.hasRoom(for: count, segmentSize: count) { sender.flush(socket) }
            var room = sender.room()
            room.store(datagram.bytes.span, at: 0)
            sender.commit(length: count, to: datagram.destination)
        }
        sender.flush(socket)
    }

    private static func finishSealing(in sender: inout DatagramSender, _ engine: inout SealingEngine) {
        var arena = sender.wholeArena()
        engine.flush(&arena)
    }

    mutating func send(_ datagram: Span<UInt8>, to path: TransportPath) {
        switch path {
        case .udp(let address):
            if !sender.hasRoom(for: datagram.count, segmentSize: datagram.count) { flush() }
            var room = sender.room()
            room.store(datagram, at: 0)
            sender.commit(length: datagram.count, to: address)
        case .tcp(let connection, _):
            let id = TCPConnectionID(rawValue: connection)
            if case .closed = streams.send(datagram, on: id) { endedStreams.append(id) }
        }
    }

    /// Sends what a transport wants sent: answers to checks, handshakes.
    mutating func drain(_ output: inout OutputDatagrams) {
        for index in 0..<output.count { send(output.bytes(at: index), to: output.path(at: index)) }
        output.removeAll()
    }

    /// Seals a packet of the batch for its receiver and sends it.
    mutating func send(
        _ packet: Int, of batch: borrowing EgressBatch, from forwarder: borrowing Forwarder,
        through transport: inout PeerTransport, to path: TransportPath
    ) {
        guard let stream = batch[packet].stream.map({ SealerStream(index: $0) }) else {
            unsealed &+= 1
            return
        }
        var length = 0
        switch path {
        case .udp(let address):
            if !sender.hasRoom(for: Self.mostBytes, segmentSize: Self.mostBytes) { flush() }
            length = Self.queue(
                packet, of: batch, from: forwarder, as: stream, through: &transport, in: &sender, &engine)
            if length > 0 { sender.commit(length: length, to: address) }
        case .tcp(let connection, _):
            length = Self.seal(
                packet, of: batch, from: forwarder, as: stream, through: &transport, into: &frame, &engine)
            let id = TCPConnectionID(rawValue: connection)
            if length > 0, case .closed = Self.send(frame, length: length, on: id, of: &streams) {
                endedStreams.append(id)
            }
        }
        if length > 0 { packets &+= 1 } else { unsealed &+= 1 }
        bytes &+= UInt64(length)
    }

    /// Writes the packet into the arena, where it may wait to be encrypted together with others.
    ///
    /// - Returns: its length; 0 when there are no keys.
    private static func queue(
        _ packet: Int, of batch: borrowing EgressBatch, from forwarder: borrowing Forwarder,
        as stream: SealerStream, through transport: inout PeerTransport, in sender: inout DatagramSender,
        _ engine: inout SealingEngine
    ) -> Int {
        let offset = sender.used
        var arena = sender.wholeArena()
        let request = lay(packet, of: batch, as: stream, at: offset, into: &arena)
        let composed = batch[packet]
        let payload = forwarder.bytes(of: composed.slot).extracting(composed.payloadRange)
        return (try? transport.queueRTP(request, payload: payload, into: &arena, engine: &engine)) ?? 0
    }

    /// Writes the packet into the frame and seals it at once.
    ///
    /// - Returns: its length; 0 when there are no keys.
    private static func seal(
        _ packet: Int, of batch: borrowing EgressBatch, from forwarder: borrowing Forwarder,
        as stream: SealerStream, through transport: inout PeerTransport, into frame: inout FixedArray<UInt8>,
        _ engine: inout SealingEngine
    ) -> Int {
        var room = frame.mutableSpan
        let request = lay(packet, of: batch, as: stream, at: 0, into: &room)
        let composed = batch[packet]
        let payload = forwarder.bytes(of: composed.slot).extracting(composed.payloadRange)
        return (try? transport.sealRTP(request, payload: payload, into: &room, engine: &engine)) ?? 0
    }

    /// Writes header and prefix of a packet; what is to be sealed there.
    private static func lay(
        _ packet: Int, of batch: borrowing EgressBatch, as stream: SealerStream, at offset: Int,
        into room: inout MutableSpan<UInt8>
    ) -> PacketToSeal {
        let composed = batch[packet]
        room.store(batch.head(of: packet), at: offset)
        return PacketToSeal(
            stream: stream, offset: offset, headerLength: composed.headerLength,
            prefixLength: composed.prefixLength,
            paddingLength: composed.paddingLength + batch.padding(of: packet))
    }

    private static func send(
        _ frame: borrowing FixedArray<UInt8>, length: Int, on connection: TCPConnectionID,
        of streams: inout TCPConnectionTable
    ) -> TCPOutput {
        streams.send(frame.span.extracting(0..<length), on: connection)
    }
}
