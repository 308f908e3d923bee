import EventLoop
import FixedCollections
import Glibc
import Testing
import Wire

@Suite struct DatagramTests {
    @Test(arguments: [false, true])
    func `a thousand datagrams arrive intact and in order`(coalesced: Bool) throws {
        var inbox = try Inbox(options: .init(coalescesReceived: coalesced))
        let peer = try UDPSocket.open(loopback)
        var sender = try DatagramSender()
        var sent: [[UInt8]] = []
        for batch in 0..<40 {
            for number in batch * 25..<batch * 25 + 25 {
                let bytes = packet(number, length: 1 + number * 37 % 1400)
                sent.append(bytes)
                let taken = sender.put(bytes, to: inbox.socket.localAddress)
                #expect(taken)
            }
            sender.flush(peer)
            try inbox.await(sent.count)
        }
        #expect(inbox.datagrams == sent)
        #expect(inbox.sources.allSatisfy { $0 == peer.localAddress })
        #expect(inbox.receiver.received == 1000)
        #expect(sender.statistics.segments == 1000)
        #expect(sender.statistics.bytes == UInt64(sent.map(\.count).reduce(0, +)))
        #expect(sender.statistics.dropped == 0 && sender.statistics.errors == 0)
    }

    @Test(arguments: [false, true])
    func `a run leaves as one message and arrives as its packets`(coalesced: Bool) throws {
        var inbox = try Inbox(options: .init(coalescesReceived: coalesced))
        let peer = try UDPSocket.open(loopback)
        var sender = try DatagramSender()
        let packets = (0..<10).map { packet($0, length: $0 == 9 ? 333 : 1100) }
        let taken = sender.put(
            packets.flatMap { $0 }, segmentSize: 1100, to: inbox.socket.localAddress)
        #expect(taken)
        #expect(sender.pending == 1)
        sender.flush(peer)
        try inbox.await(10)
        #expect(inbox.datagrams == packets)
        #expect(sender.statistics.messages == 1)
        #expect(sender.statistics.segments == 10)
        #expect(sender.offload == .active)
    }

    @Test func `the receiver tells how long the first datagram has waited`() throws {
        let socket = try UDPSocket.open(loopback)
        let peer = try UDPSocket.open(loopback)
        var sender = try DatagramSender()
        var receiver = try DatagramReceiver()
        let deadline = MonotonicClock.now() + patience
        var waited = Duration.zero
        // The kernel begins to stamp datagrams a moment after it was asked to; the first ones seem not to have waited.
        while waited < .milliseconds(20), MonotonicClock.now() < deadline {
            let before = MonotonicClock.now()
            _ = sender.put(packet(1, length: 100), to: socket.localAddress)
            sender.flush(peer)
            let sent = MonotonicClock.now()
            _ = eventually { MonotonicClock.now() - sent > .milliseconds(20) }
            _ = sender.put(packet(2, length: 100), to: socket.localAddress)
            sender.flush(peer)
            let count = try receiver.receive(from: socket)
            waited = receiver.waited
            #expect(count == 2)
            #expect(waited <= MonotonicClock.now() - before)
        }
        #expect(waited >= .milliseconds(20))
        let none = try receiver.receive(from: socket)
        #expect(none == 0)
        #expect(receiver.waited == .zero)
    }

    @Test func `one coalesced buffer takes a whole run`() throws {
        let socket = try UDPSocket.open(loopback, options: .init(coalescesReceived: true))
        let supported = socket.coalescesReceived
        try #require(supported)
        let peer = try UDPSocket.open(loopback)
        var sender = try DatagramSender()
        let run = packet(1, length: 64 * 900 - 1)
        _ = sender.put(run, segmentSize: 900, to: socket.localAddress)
        sender.flush(peer)
        var receiver = try DatagramReceiver(buffers: 1, coalesced: true)
        let count = try receiver.receive(from: socket)
        #expect(count == 64)
        var joined: [UInt8] = []
        for index in 0..<count {
            #expect(receiver.source(at: index) == peer.localAddress)
            let bytes = receiver.bytes(at: index)
            for position in bytes.indices { joined.append(bytes[position]) }
        }
        #expect(joined == run)
    }

    @Test func `packets committed one by one join into runs by peer and size`() throws {
        var inbox = try Inbox()
        let peer = try UDPSocket.open(loopback)
        var sender = try DatagramSender()
        let to = inbox.socket.localAddress
        let lengths = [500, 500, 200, 200, 200, 300, 500]
        let packets = lengths.enumerated().map { packet($0, length: $1) }
        // 500 500 200 | 200 200 | 300 | 500: a shorter packet ends its run, a longer one begins another.
        for packet in packets { _ = sender.put(packet, to: to) }
        #expect(sender.pending == 4)
        _ = sender.put([1], to: to.with(port: to.port ^ 1))
        #expect(sender.pending == 5)
        sender.flush(peer)
        try inbox.await(packets.count)
        #expect(inbox.datagrams == packets)
    }

    @Test func `a run longer than a message is cut at 64 packets and 65,000 bytes`() throws {
        var inbox = try Inbox()
        let peer = try UDPSocket.open(loopback)
        var sender = try DatagramSender()
        let small = (0..<150).map { packet($0, length: 10) }
        let large = (0..<90).map { packet($0, length: 1300) }
        _ = sender.put(small.flatMap { $0 }, segmentSize: 10, to: inbox.socket.localAddress)
        #expect(sender.pending == 3)
        _ = sender.put(large.flatMap { $0 }, segmentSize: 1300, to: inbox.socket.localAddress)
        #expect(sender.pending == 5)
        sender.flush(peer)
        try inbox.await(240)
        #expect(inbox.datagrams == small + large)
        #expect(sender.statistics.messages == 5)
    }

    @Test func `what doesn't fit is refused before anything is committed`() throws {
        var sender = try DatagramSender(arena: 65_000, messages: 2)
        let to = loopback.with(port: 9)
        let runs = [(65_001, 1000), (129 * 10, 10), (128 * 10, 10), (65_000, 1000)]
        var rooms: [Bool] = []
        for (length, size) in runs { rooms.append(sender.hasRoom(for: length, segmentSize: size)) }
        #expect(rooms == [false, false, true, true])
        for (length, size) in [(0, 10), (-1, 10), (10, 0), (10, -5), (65_001, 1000), (1290, 10)] {
            let taken = sender.commit(length: length, segmentSize: size, to: to)
            #expect(!taken)
        }
        #expect(sender.pending == 0 && sender.used == 0)
        let fits = sender.commit(length: 65_000, segmentSize: 65_000, to: to)
        #expect(fits)
        #expect(sender.free == 0)
        let more = sender.commit(length: 1, to: to)
        #expect(!more)
    }

    @Test func `without offload the same packets arrive, a message each`() throws {
        var inbox = try Inbox()
        let peer = try UDPSocket.open(loopback)
        var sender = try DatagramSender(offload: .off)
        let packets = (0..<100).map { packet($0, length: $0 == 99 ? 7 : 600) }
        _ = sender.put(packets.flatMap { $0 }, segmentSize: 600, to: inbox.socket.localAddress)
        sender.flush(peer)
        try inbox.await(100)
        #expect(inbox.datagrams == packets)
        #expect(sender.statistics.messages == 100)
        #expect(sender.offload == .off)
    }

    @Test(arguments: [false, true])
    func `a datagram longer than a buffer is counted and the others still come`(coalesced: Bool) throws {
        var inbox = try Inbox(options: .init(coalescesReceived: coalesced))
        let peer = try UDPSocket.open(loopback)
        var sender = try DatagramSender()
        _ = sender.put(packet(1, length: 2049), to: inbox.socket.localAddress)
        _ = sender.put(packet(2, length: 2048), to: inbox.socket.localAddress.with(port: 9))
        _ = sender.put(packet(3, length: 2048), to: inbox.socket.localAddress)
        sender.flush(peer)
        try inbox.await(1)
        #expect(inbox.datagrams == [packet(3, length: 2048)])
        #expect(inbox.receiver.truncated == 1)
    }

    @Test func `the kernel's drops are counted`() throws {
        var inbox = try Inbox(options: .init(receiveBuffer: 16 << 10))
        let peer = try UDPSocket.open(loopback)
        var sender = try DatagramSender(offload: .off)
        for number in 0..<60 {
            _ = sender.put(packet(number, length: 1400), to: inbox.socket.localAddress)
        }
        sender.flush(peer)
        try inbox.takeWaiting()
        let survivors = inbox.datagrams.count
        #expect(survivors < 60)
        _ = sender.put([1], to: inbox.socket.localAddress)
        sender.flush(peer)
        try inbox.await(survivors + 1)
        #expect(inbox.receiver.droppedByKernel == UInt64(60 - survivors))
    }

    @Test func `an empty datagram arrives as one of length 0`() throws {
        var inbox = try Inbox()
        let peer = try UDPSocket.open(loopback)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = inbox.socket.localAddress.port.bigEndian
        address.sin_addr.s_addr = inbox.socket.localAddress.ipv4.bigEndian
        let sent = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe sendto(peer.descriptor, nil, 0, 0, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(sent == 0)
        try inbox.await(1)
        #expect(inbox.datagrams == [[]])
    }
}
