import FixedCollections
public import Wire

/// Whether datagrams to an address come in at a port of this machine.
public enum Reachability {
    /// Listens on an address, sends datagrams with a random word to each target from another port, and waits for them.
    ///
    /// A target behind a router that doesn't lead back what comes from inside is not reached, though others may reach it.
    ///
    /// - Parameters:
    ///   - listening: where they have to come in; its port must be free.
    ///   - patience: how long each may take.
    /// - Returns: those of the targets that were reached.
    /// - Throws: when a socket can't be opened.
    public static func reached(
        _ targets: [SocketAddress], listening: SocketAddress, usesIPv6: Bool = true,
        patience: Duration = .milliseconds(500)
    ) throws(SocketError) -> Set<SocketAddress> {
        let server = try UDPSocket.open(listening, options: .init(allowsIPv6: usesIPv6))
        let any = server.isIPv6 ? "::" : "0.0.0.0"
        guard let own = SocketAddress(host: any, port: 0) else { return [] }
        let client = try UDPSocket.open(own, options: .init(allowsIPv6: usesIPv6))
        var receiver = try DatagramReceiver()
        var sender = try DatagramSender(arena: DatagramSender.mostBytes, messages: 1, offload: .unavailable)
        var loop = try EventLoop(waker: Waker())
        try loop.registry.add(server.descriptor, token: 1, for: .readable)
        var reached: Set<SocketAddress> = []
        for target in targets {
            let word = UInt64.random(in: .min ... .max)
            let end = MonotonicClock.now() + patience
            while !reached.contains(target), MonotonicClock.now() < end {
                send(word, to: target, &sender)
                sender.flush(client)
                _ = try loop.wait(until: min(end, MonotonicClock.now() + patience / 5))
                if try hasCome(word, at: server, &receiver) { reached.insert(target) }
            }
        }
        return reached
    }

    private static func send(_ word: UInt64, to target: SocketAddress, _ sender: inout DatagramSender) {
        var room = sender.room()
        for byte in 0..<8 { room[byte] = UInt8(truncatingIfNeeded: word >> (8 * UInt64(byte))) }
        sender.commit(length: 8, to: target)
    }

    private static func hasCome(
        _ word: UInt64, at server: borrowing UDPSocket, _ receiver: inout DatagramReceiver
    ) throws(SocketError) -> Bool {
        let count = try receiver.receive(from: server)
        for index in 0..<count where receiver.length(at: index) == 8 {
            let bytes = receiver.bytes(at: index)
            var read: UInt64 = 0
            for byte in 0..<8 { read |= UInt64(bytes[byte]) << (8 * UInt64(byte)) }
            if read == word { return true }
        }
        return false
    }
}
