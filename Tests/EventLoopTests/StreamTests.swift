import CLinux
import EventLoop
import FixedCollections
import Testing
import Wire

/// A listener, its table, and a loop that watches both, on a virtual clock.
private struct StreamServer: ~Copyable {
    static let tag: UInt64 = 7 << 32
    var listener: TCPListener
    var loop: EventLoop
    var table: TCPConnectionTable
    var now = Instant.zero

    init(capacity: Int = 8, share: Int = 8, backlog: Int = 256 << 10) throws {
        let listener = try TCPListener.open(loopback)
        let loop = try EventLoop(waker: Waker())
        try loop.registry.add(listener.descriptor, token: 1, for: .readable)
        table = TCPConnectionTable(
            capacity: capacity, share: share, backlog: backlog, registry: loop.registry, tokenTag: Self.tag)
        self.listener = listener
        self.loop = loop
    }

    /// Waits for the next event's token; nil when patience is at its end.
    mutating func nextToken() throws -> ReadyEvent? {
        let deadline = MonotonicClock.now() + patience
        while MonotonicClock.now() < deadline {
            if try loop.wait(until: deadline) > 0 { return loop.ready(at: 0) }
        }
        return nil
    }

    mutating func accept() throws -> TCPConnectionID {
        let event = try #require(try nextToken())
        #expect(event.token == 1)
        let id = table.accept(from: &listener, now: now)
        return try #require(id)
    }

    /// Reads until the connection has brought `frames` frames or is closed.
    mutating func read(
        _ id: TCPConnectionID, frames: Int
    ) throws -> (frames: [[UInt8]], closed: TCPCloseReason?) {
        var found: [[UInt8]] = []
        while found.count < frames {
            let event = try #require(try nextToken())
            #expect(event.token == Self.tag | UInt64(id.rawValue))
            if case .closed(let reason) = table.receive(on: id, now: now) { return (found, reason) }
            loop: while true {
                switch table.nextFrame(of: id) {
                case .complete(let length):
                    let bytes = table.frameBytes(of: id)
                    #expect(bytes.count == length)
                    found.append(bytes.indices.map { bytes[$0] })
                case .partial, .stale: break loop
                case .closed(let reason): return (found, reason)
                }
            }
        }
        return (found, nil)
    }
}

struct CannotBind: Error {}

/// A peer's end of a connection.
private final class StreamPeer {
    let descriptor: Int32

    init(_ address: SocketAddress, from own: SocketAddress = loopback) throws {
        descriptor = cl_socket(false, true)
        var source = cl_address(high: own.high, low: own.low, scope: 0, port: 0)
        guard unsafe cl_bind(descriptor, false, &source) >= 0 else { throw CannotBind() }
        var native = cl_address(high: address.high, low: address.low, scope: 0, port: address.port)
        _ = unsafe cl_connect(descriptor, false, &native)
        _ = cl_set_option(descriptor, CL_TCP_NO_DELAY, 1)
    }

    deinit {
        _ = cl_close(descriptor)
    }

    /// Sends as much as the connection takes at once.
    func send(_ bytes: [UInt8]) -> Int {
        unsafe cl_send_pair(descriptor, bytes, bytes.count, nil, 0)
    }

    func receive(_ most: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        let count = unsafe cl_receive(descriptor, &bytes, most)
        return Array(bytes.prefix(max(0, count)))
    }

    var isClosed: Bool {
        var byte: UInt8 = 0
        let count = unsafe cl_receive(descriptor, &byte, 1)
        return count == 0 || (count < 0 && cl_errno_name(Int32(0 - count)) != CL_EAGAIN)
    }
}

private func frame(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
}

@Suite struct StreamTests {
    @Test func `frames that come byte by byte are put together`() throws {
        var server = try StreamServer()
        let peer = try StreamPeer(server.listener.localAddress)
        let id = try server.accept()
        let sent = [packet(1, length: 1), packet(2, length: 40), packet(3, length: 300)]
        var found: [[UInt8]] = []
        for bytes in sent {
            let framed = frame(bytes)
            for (position, byte) in framed.enumerated() {
                #expect(peer.send([byte]) == 1)
                let isLast = position == framed.count - 1
                found += try server.readOnce(id)
                #expect(found.count < sent.count || isLast)
            }
        }
        #expect(found == sent)
    }

    @Test func `many frames in one piece come apart, the longest and empty ones too`() throws {
        var server = try StreamServer()
        let peer = try StreamPeer(server.listener.localAddress)
        let id = try server.accept()
        let sent = [2048, 1, 2048, 2047, 700, 2, 2048, 2048].enumerated().map { packet($0, length: $1) }
        let stream = sent.flatMap { frame([]) + frame($0) }
        #expect(peer.send(stream) == stream.count)
        let result = try server.read(id, frames: sent.count)
        #expect(result.frames == sent)
        #expect(result.closed == nil)
        #expect(server.table.statistics.framesReceived == UInt64(sent.count))
    }

    @Test func `a frame that is too long closes the connection, and its id is stale`() throws {
        var server = try StreamServer()
        let peer = try StreamPeer(server.listener.localAddress)
        let id = try server.accept()
        let good = packet(1, length: 10)
        let stream = frame(good) + [0x08, 0x01, 1, 2, 3]
        #expect(peer.send(stream) == stream.count)
        let result = try server.read(id, frames: 2)
        #expect(result.frames == [good])
        #expect(result.closed == .frameTooLong)
        #expect(server.table.count == 0)
        let closed = eventually { peer.isClosed }
        #expect(closed)

        let later = try StreamPeer(server.listener.localAddress)
        let next = try server.accept()
        #expect(next != id)
        let output = server.table.send([1, 2].span, on: id)
        let input = server.table.receive(on: id, now: .zero)
        let step = server.table.nextFrame(of: id)
        server.table.close(id)
        #expect(output == .stale && input == .stale && step == .stale)
        #expect(server.table.count == 1)
        #expect(!later.isClosed)
    }

    @Test func `packets reach the peer framed`() throws {
        var server = try StreamServer()
        let peer = try StreamPeer(server.listener.localAddress)
        let id = try server.accept()
        let sent = [packet(1, length: 1200), packet(2, length: 3)]
        for bytes in sent {
            let output = server.table.send(bytes.span, on: id)
            #expect(output == .sent)
        }
        let expected = sent.flatMap(frame)
        var received: [UInt8] = []
        let all = eventually {
            received += peer.receive(4096)
            return received.count >= expected.count
        }
        #expect(all)
        #expect(received == expected)
    }

    @Test func `a slow reader is bounded, and gets whole frames in order when it reads on`() throws {
        var server = try StreamServer(backlog: 64 << 10)
        let peer = try StreamPeer(server.listener.localAddress)
        let id = try server.accept()
        var taken: [UInt8] = []
        var number = 0
        while server.table.statistics.framesDropped < 100 {
            let bytes = packet(number, length: 900 + number % 200)
            number += 1
            let output = server.table.send(bytes.span, on: id)
            if output == .sent || output == .queued { taken += frame(bytes) }
            try #require(number < 1_000_000)
            #expect(server.table.backlog(of: id) <= 64 << 10)
        }
        #expect(server.table.backlog(of: id) > 60 << 10)

        var received: [UInt8] = []
        let deadline = MonotonicClock.now() + patience
        while received.count < taken.count, MonotonicClock.now() < deadline {
            received += peer.receive(1 << 16)
            try server.loop.wait(until: .zero)
            for index in 0..<server.loop.count where server.loop.ready(at: index).isWritable {
                _ = server.table.flush(id)
            }
        }
        #expect(received == taken)
        #expect(server.table.backlog(of: id) == 0)
        let ready = try server.loop.wait(until: .zero)
        #expect(ready == 0, "a drained connection is still watched for room")
    }

    @Test func `a connection without a whole frame in 10 s is closed, another one stays`() throws {
        var server = try StreamServer()
        let silent = try StreamPeer(server.listener.localAddress)
        let silentID = try server.accept()
        let talking = try StreamPeer(server.listener.localAddress)
        let talkingID = try server.accept()
        server.now = .zero + .seconds(9)
        #expect(talking.send(frame([1])) == 3)
        let result = try server.read(talkingID, frames: 1)
        #expect(result.frames == [[1]])
        // Bytes alone don't count.
        #expect(silent.send([0]) == 1)
        _ = try server.readOnce(silentID)
        let early = server.table.closeNextIdle(now: .zero + .milliseconds(9_999))
        #expect(early == nil)
        let idle = server.table.closeNextIdle(now: .zero + .seconds(10))
        let none = server.table.closeNextIdle(now: .zero + .seconds(10))
        #expect(idle == silentID)
        #expect(none == nil)
        #expect(server.table.count == 1)
        #expect(server.table.statistics.closedForIdling == 1)
        let closed = eventually { silent.isClosed }
        #expect(closed)
    }

    @Test func `who only waits makes room for the next one from their address, and for nobody else`() throws {
        var server = try StreamServer(capacity: 16, share: 2)
        let address = server.listener.localAddress
        let proven = try StreamPeer(address)
        let provenID = try server.accept()
        server.table.setProven(provenID, true)
        let elsewhere = try StreamPeer(address, from: SocketAddress(ipv4: 0x7f00_0002, port: 0))
        let elsewhereID = try server.accept()
        var waiting: [(id: TCPConnectionID, peer: StreamPeer)] = []
        for second in 1...6 {
            server.now = .zero + .seconds(second)
            let peer = try StreamPeer(address)
            waiting.append((try server.accept(), peer))
        }
        #expect(server.table.count == 4)
        #expect(server.table.statistics.closedForShare == 4)
        // The oldest ones are gone.
        for (index, entry) in waiting.enumerated() {
            let isOpen = server.table.peer(of: entry.id) != nil
            #expect(isOpen == (index >= 4))
            if !isOpen {
                let isClosed = eventually { entry.peer.isClosed }
                #expect(isClosed)
            }
        }
        let others = [provenID, elsewhereID].map { server.table.peer(of: $0) != nil }
        #expect(others == [true, true])
        #expect(!proven.isClosed && !elsewhere.isClosed)
    }

    @Test func `connections on which somebody has proved who they are have no limit but the table`() throws {
        var server = try StreamServer(capacity: 8, share: 1)
        var ids: [TCPConnectionID] = []
        var peers: [StreamPeer] = []
        for _ in 0..<7 {
            peers.append(try StreamPeer(server.listener.localAddress))
            let id = try server.accept()
            server.table.setProven(id, true)
            ids.append(id)
        }
        #expect(server.table.count == 7)
        #expect(server.table.statistics.closedForShare == 0)
        // One whose peer has gone counts again.
        server.table.setProven(ids[3], false)
        peers.append(try StreamPeer(server.listener.localAddress))
        ids.append(try server.accept())
        let open = ids.map { server.table.peer(of: $0) != nil }
        #expect(open == [true, true, true, false, true, true, true, true])
    }

    @Test func `a full table closes newcomers and takes them again when there is room`() throws {
        var server = try StreamServer(capacity: 1)
        let first = try StreamPeer(server.listener.localAddress)
        let id = try server.accept()
        let second = try StreamPeer(server.listener.localAddress)
        _ = try server.nextToken()
        let refused = server.table.accept(from: &server.listener, now: .zero)
        #expect(refused == nil)
        #expect(server.table.statistics.refused == 1)
        let closed = eventually { second.isClosed }
        #expect(closed)
        #expect(!first.isClosed)
        server.table.close(id)
        let third = try StreamPeer(server.listener.localAddress)
        let next = try server.accept()
        #expect(next.rawValue & 0xffff == id.rawValue & 0xffff)
        #expect(next != id)
        withExtendedLifetime(third) {}
    }

    @Test func `a peer that leaves is noticed`() throws {
        var server = try StreamServer()
        var peer: StreamPeer? = try StreamPeer(server.listener.localAddress)
        let id = try server.accept()
        #expect(peer?.send([0, 9, 1]) == 3)
        peer = nil
        let result = try server.read(id, frames: 1)
        #expect(result.frames.isEmpty)
        #expect(result.closed == .peerClosed)
        #expect(server.table.count == 0)
    }

    @Test func `a taken TCP port is named, and workers of one server may share one`() throws {
        let first = try TCPListener.open(loopback, sharing: .first)
        let address = first.localAddress
        let second = try TCPListener.open(address, sharing: .joining)
        #expect(second.localAddress == address)
        let error = #expect(throws: SocketError.self) {
            _ = try TCPListener.open(address, sharing: .first)
        }
        #expect(error?.description == "TCP port \(address.port) on 127.0.0.1 is taken")
    }
}

extension StreamServer {
    /// Waits for one event of the connection and takes what it brought.
    fileprivate mutating func readOnce(_ id: TCPConnectionID) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        let event = try #require(try nextToken())
        #expect(event.token == Self.tag | UInt64(id.rawValue))
        let input = table.receive(on: id, now: now)
        #expect(input == .bytes)
        while case .complete = table.nextFrame(of: id) {
            let bytes = table.frameBytes(of: id)
            found.append(bytes.indices.map { bytes[$0] })
        }
        return found
    }
}
