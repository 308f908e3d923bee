import CLinux
import EventLoop
import FixedCollections
import Glibc
import Testing
import Wire

@Suite struct SendFailureTests {
    @Test func `when the kernel refuses a run, packets go one by one from then on`() throws {
        var inbox = try Inbox()
        let peer = try UDPSocket.open(loopback)
        // Without checksums the kernel answers UDP_SEGMENT with EINVAL.
        #expect(cl_set_option(peer.descriptor, CL_NO_CHECKSUM, 1) == 0)
        var sender = try DatagramSender()
        let to = inbox.socket.localAddress
        let packets = (0..<12).map { packet($0, length: 400) }
        let single = packet(99, length: 401)
        _ = sender.put(single, to: to)
        _ = sender.put(packets[..<6].flatMap { $0 }, segmentSize: 400, to: to)
        _ = sender.put(single, to: to)
        _ = sender.put(packets[6...].flatMap { $0 }, segmentSize: 400, to: to)
        sender.flush(peer)
        try inbox.await(14)
        #expect(inbox.datagrams == [single] + packets[..<6] + [single] + packets[6...])
        #expect(sender.offload == .unavailable)
        #expect(sender.statistics.errors == 0)

        let calls = sender.statistics.calls
        _ = sender.put(packets.flatMap { $0 }, segmentSize: 400, to: to)
        sender.flush(peer)
        try inbox.await(26)
        #expect(inbox.datagrams.suffix(12) == packets[...])
        #expect(sender.statistics.calls == calls + 1, "a run was tried again")
    }

    @Test func `a peer that can't be reached costs neither the others nor the offload`() throws {
        var inbox = try Inbox()
        let peer = try UDPSocket.open(loopback)
        var sender = try DatagramSender()
        let packets = (0..<4).map { packet($0, length: 400) }
        let run = packets.flatMap { $0 }
        // Port 0, an IPv6 address on an IPv4 socket, and a broadcast address are all refused.
        let bad = [loopback, loopback6.with(port: 9), SocketAddress(ipv4: 0xffff_ffff, port: 9)]
        for address in bad {
            _ = sender.put(run, segmentSize: 400, to: address)
            _ = sender.put(run, segmentSize: 400, to: inbox.socket.localAddress)
        }
        sender.flush(peer)
        try inbox.await(12)
        #expect(inbox.datagrams == packets + packets + packets)
        #expect(sender.statistics.errors == 12)
        #expect(sender.statistics.segments == 12)
        #expect(sender.offload == .active)
    }

    @Test(arguments: [DatagramSender.Offload.active, .off])
    func `a full socket costs packets, not time`(offload: DatagramSender.Offload) throws {
        // Loopback UDP never fills its sender's buffer. A stream whose reader sleeps does, and takes the same calls.
        var pair: [Int32] = try streamPair()
        let reader = pair.removeLast()
        defer { _ = cl_close(reader) }
        let socket = try UDPSocket(adopting: pair[0])
        var sender = try DatagramSender(offload: offload)
        var took = Duration.zero
        var committed: UInt64 = 0
        for _ in 0..<40 {
            for port in UInt16(1)...60 {
                let taken = sender.commit(length: 9000, segmentSize: 1000, to: loopback.with(port: port))
                #expect(taken)
                committed += 9
            }
            let before = MonotonicClock.now()
            sender.flush(socket)
            took += MonotonicClock.now() - before
            #expect(sender.pending == 0 && sender.used == 0)
        }
        #expect(sender.statistics.dropped > 0)
        #expect(sender.statistics.segments + sender.statistics.dropped == committed)
        #expect(sender.statistics.errors == 0)
        #expect(took < patience)
        #expect(sender.offload == offload)
    }

    private func streamPair() throws -> [Int32] {
        let listener = cl_socket(false, true)
        defer { _ = cl_close(listener) }
        var address = cl_address(high: 0, low: 0xffff_7f00_0001, scope: 0, port: 0)
        try #require(unsafe cl_bind(listener, false, &address) == 0)
        try #require(cl_listen(listener, 1) == 0)
        try #require(unsafe cl_local_address(listener, &address) == 0)
        let client = cl_socket(false, true)
        _ = unsafe cl_connect(client, false, &address)
        var accepted: Int32 = -1
        let came = eventually {
            var peer = cl_address()
            accepted = unsafe cl_accept(listener, &peer)
            return accepted >= 0
        }
        try #require(came)
        return [client, accepted]
    }
}
