import EventLoop
import FixedCollections
import Glibc
import Wire

let loopback = SocketAddress(ipv4: 0x7f00_0001, port: 0)
let loopback6 = SocketAddress(high: 0, low: 1, port: 0)
let anywhere = SocketAddress(high: 0, low: 0, port: 0)

/// Nothing on loopback takes this long, on however busy a machine; a test that waits so long has failed.
let patience = Duration.seconds(20)

extension SocketAddress {
    func with(port: UInt16) -> SocketAddress {
        SocketAddress(high: high, low: low, scope: scope, port: port)
    }
}

/// Bytes that tell their packet and position.
func packet(_ number: Int, length: Int) -> [UInt8] {
    (0..<length).map { $0 == 0 ? UInt8(number >> 8 & 255) : UInt8((number + ($0 - 1) * 7) & 255) }
}

/// Waits until `condition` holds; false if it never does.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = MonotonicClock.now() + patience
    while MonotonicClock.now() < deadline {
        if try condition() { return true }
        sched_yield()
    }
    return false
}

extension DatagramSender {
    /// Writes bytes at the start of the room and commits them as a run.
    mutating func put(_ bytes: [UInt8], segmentSize: Int? = nil, to destination: SocketAddress) -> Bool {
        var room = room()
        for index in bytes.indices { room[index] = bytes[index] }
        return commit(length: bytes.count, segmentSize: segmentSize ?? bytes.count, to: destination)
    }
}

/// A socket and what arrives on it.
struct Inbox: ~Copyable {
    let socket: UDPSocket
    var receiver: DatagramReceiver
    var loop: EventLoop
    var datagrams: [[UInt8]] = []
    var sources: [SocketAddress] = []

    init(_ address: SocketAddress = loopback, options: UDPSocket.Options = .init()) throws {
        let socket = try UDPSocket.open(address, options: options)
        let receiver = try DatagramReceiver(coalesced: socket.coalescesReceived)
        let loop = try EventLoop(waker: Waker())
        try loop.registry.add(socket.descriptor, token: 1, for: .readable)
        self.socket = socket
        self.receiver = receiver
        self.loop = loop
    }

    /// Receives until `total` datagrams have come, or patience is at its end.
    mutating func await(_ total: Int) throws {
        let deadline = MonotonicClock.now() + patience
        while datagrams.count < total, MonotonicClock.now() < deadline {
            try loop.wait(until: deadline)
            try takeWaiting()
        }
    }

    mutating func takeWaiting() throws {
        while try receiver.receive(from: socket) > 0 {
            for index in 0..<receiver.count {
                sources.append(receiver.source(at: index))
                let bytes = receiver.bytes(at: index)
                datagrams.append(bytes.indices.map { bytes[$0] })
            }
        }
    }
}
