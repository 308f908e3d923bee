import EventLoop
import FixedCollections
import Forwarding
import Transport
import Wire

/// Where a worker's datagrams leave: one UDP socket, or a TCP connection by path.
struct Outlet: ~Copyable {
    let socket: UDPSocket
    var sender: DatagramSender
    var streams: TCPConnectionTable
    /// Room for a packet that leaves by TCP.
    private var frame = FixedArray<UInt8>(repeating: 0, count: 2_048)
    private(set) var packets: UInt64 = 0
    private(set) var bytes: UInt64 = 0
    private(set) var unsealed: UInt64 = 0
    /// Connections that turned out to have ended when something was sent.
    private var endedStreams: [TCPConnectionID] = []

    /// A packet with its tag is at most this long.
    private static var mostBytes: Int { 2_048 }

    init(socket: consuming UDPSocket, sender: consuming DatagramSender, streams: consuming TCPConnectionTable)
    {
        self.socket = socket
        self.sender = sender
        self.streams = streams
    }

    /// Takes one that has ended.
    mutating func nextEndedStream() -> TCPConnectionID? {
        endedStreams.popLast()
    }

    mutating func flush() {
        sender.flush(socket)
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
        as stream: SealerStream?,
        through transport: inout PeerTransport, _ engine: inout SealingEngine, to path: TransportPath
    ) {
        guard let stream else {
            unsealed &+= 1
            return
        }
        var length = 0
        switch path {
        case .udp(let address):
            if !sender.hasRoom(for: Self.mostBytes, segmentSize: Self.mostBytes) { flush() }
            var room = sender.room()
            length = Self.seal(
                packet, of: batch, from: forwarder, as: stream, through: &transport, &engine, into: &room)
            if length > 0 { sender.commit(length: length, to: address) }
        case .tcp(let connection, _):
            var room = frame.mutableSpan
            length = Self.seal(
                packet, of: batch, from: forwarder, as: stream, through: &transport, &engine, into: &room)
            let id = TCPConnectionID(rawValue: connection)
            if length > 0, case .closed = Self.send(frame, length: length, on: id, of: &streams) {
                endedStreams.append(id)
            }
        }
        if length > 0 { packets &+= 1 } else { unsealed &+= 1 }
        bytes &+= UInt64(length)
    }

    private static func send(
        _ frame: borrowing FixedArray<UInt8>, length: Int, on connection: TCPConnectionID,
        of streams: inout TCPConnectionTable
    ) -> TCPOutput {
        streams.send(frame.span.extracting(0..<length), on: connection)
    }

    /// Writes header and prefix, and seals the payload behind them from the shared plaintext.
    ///
    /// - Returns: the packet's length; 0 when there are no keys.
    private static func seal(
        _ packet: Int, of batch: borrowing EgressBatch, from forwarder: borrowing Forwarder,
        as stream: SealerStream,
        through transport: inout PeerTransport, _ engine: inout SealingEngine,
        into room: inout MutableSpan<UInt8>
    ) -> Int {
        let composed = batch[packet]
        room.store(batch.head(of: packet), at: 0)
        let start = composed.payloadOffset
        let payload = forwarder.bytes(of: composed.slot).extracting(start..<(start + composed.payloadLength))
        let request = PacketToSeal(
            stream: stream, offset: 0, headerLength: composed.headerLength,
            prefixLength: composed.prefixLength,
            paddingLength: batch.padding(of: packet))
        return (try? transport.sealRTP(request, payload: payload, into: &room, engine: &engine)) ?? 0
    }
}
