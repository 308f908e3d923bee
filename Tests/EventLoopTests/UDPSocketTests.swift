import EventLoop
import Testing
import Wire

@Suite struct UDPSocketTests {
    @Test func `a port that is taken is named in one line`() throws {
        let first = try UDPSocket.open(loopback)
        let port = first.localAddress.port
        let error = #expect(throws: SocketError.self) {
            _ = try UDPSocket.open(loopback.with(port: port))
        }
        #expect(error?.reason == .addressTaken)
        #expect(error?.description == "UDP port \(port) on 127.0.0.1 is taken")
    }

    @Test func `an address of another machine is named in one line`() {
        let error = #expect(throws: SocketError.self) {
            _ = try UDPSocket.open(SocketAddress(ipv4: 0xc000_0201, port: 4000))
        }
        #expect(error?.reason == .addressUnavailable)
        #expect(
            error?.description
                == "UDP port 4000 can't be opened: 192.0.2.1 isn't an address of this machine")
    }

    @Test func `a second server can't join a port by accident`() throws {
        let first = try UDPSocket.open(loopback, options: .init(sharing: .first))
        let address = loopback.with(port: first.localAddress.port)
        let second = try UDPSocket.open(address, options: .init(sharing: .joining))
        #expect(second.localAddress == first.localAddress)
        let error = #expect(throws: SocketError.self) {
            _ = try UDPSocket.open(address, options: .init(sharing: .first))
        }
        #expect(error?.reason == .addressTaken)
    }

    @Test func `peers are spread over the sockets that share a port, and stay where they are`() throws {
        var first = try Inbox(options: .init(sharing: .first))
        let address = first.socket.localAddress
        var second = try Inbox(address, options: .init(sharing: .joining))
        var sender = try DatagramSender()
        for number in 0..<32 {
            let peer = try UDPSocket.open(loopback)
            for _ in 0..<2 {
                _ = sender.put(packet(number, length: 20), to: address)
                sender.flush(peer)
            }
        }
        let all = try eventually {
            try first.takeWaiting()
            try second.takeWaiting()
            return first.datagrams.count + second.datagrams.count == 64
        }
        #expect(all)
        #expect(!first.datagrams.isEmpty && !second.datagrams.isEmpty)
        #expect(Set(first.sources).isDisjoint(with: Set(second.sources)))
    }

    @Test func `a dual-stack socket hears both families and answers both`() throws {
        var inbox = try Inbox(anywhere)
        let fellBack = inbox.socket.fellBackToIPv4
        try #require(!fellBack, "this machine has no IPv6")
        let port = inbox.socket.localAddress.port
        var sender = try DatagramSender()
        var peers: [SocketAddress] = []
        for address in [loopback, loopback6] {
            var peer = try Inbox(address)
            peers.append(peer.socket.localAddress)
            _ = sender.put([1, 2, 3], to: address.with(port: port))
            sender.flush(peer.socket)
            try inbox.await(peers.count)
            _ = sender.put([4, 5], to: peer.socket.localAddress)
            sender.flush(inbox.socket)
            try peer.await(1)
            #expect(peer.datagrams == [[4, 5]])
            #expect(peer.sources == [address.with(port: port)])
        }
        #expect(inbox.datagrams == [[1, 2, 3], [1, 2, 3]])
        #expect(inbox.sources == peers)
    }

    @Test func `without IPv6 a dual-stack socket is an IPv4 one and says so`() throws {
        var inbox = try Inbox(anywhere, options: .init(allowsIPv6: false))
        let fellBack = inbox.socket.fellBackToIPv4
        let isIPv6 = inbox.socket.isIPv6
        #expect(fellBack && !isIPv6)
        let peer = try UDPSocket.open(loopback)
        var sender = try DatagramSender()
        _ = sender.put([9], to: loopback.with(port: inbox.socket.localAddress.port))
        sender.flush(peer)
        try inbox.await(1)
        #expect(inbox.sources == [peer.localAddress])
    }

    @Test func `buffer sizes asked for are granted up to what the system allows`() throws {
        let small = try UDPSocket.open(
            loopback, options: .init(receiveBuffer: 64 << 10, sendBuffer: 32 << 10))
        #expect(small.receiveBufferSize == 128 << 10)
        #expect(small.sendBufferSize == 64 << 10)
        let large = try UDPSocket.open(loopback)
        #expect(large.receiveBufferSize > small.receiveBufferSize)
        #expect(large.sendBufferSize > small.sendBufferSize)
    }
}
