import FixedCollections
import Testing
import Transport
import Wire

/// A client's transport against the server's, without a network between them.
struct ClientTransportTests {
    @Test func `checks and a handshake later, media flows both ways`() throws {
        var link = try Link()
        let isUp = link.run(until: .seconds(2))
        #expect(isUp)
        let (client, server) = (link.clientState, link.serverState)
        #expect(client == .connected)
        #expect(server == .connected)
        let up = try link.sendUp([1, 2, 3])
        #expect(up == [1, 2, 3])
        let down = try link.sendDown([4, 5])
        #expect(down == [4, 5])
    }

    @Test func `a server with another certificate than the answer's is refused`() throws {
        var link = try Link(announces: DTLSCertificate.generate().fingerprint)
        let isUp = link.run(until: .seconds(2))
        #expect(!isUp)
        let client = link.clientState
        #expect(client == .failed)
    }

    @Test func `a wrong password gets no answer, and nothing starts`() throws {
        var link = try Link(password: "thisisnotthepasswordatall")
        let isUp = link.run(until: .seconds(2))
        #expect(!isUp)
        let client = link.clientState
        #expect(client == .checking)
    }

    @Test func `who is never answered gives up after half a minute`() throws {
        var link = try Link(password: "thisisnotthepasswordatall")
        _ = link.run(until: .seconds(29))
        let before = link.clientState
        #expect(before == .checking)
        _ = link.run(until: .seconds(31))
        let after = link.clientState
        #expect(after == .failed)
    }

    @Test func `media is opened over wraps of its numbers, late packets too, and nothing that was changed`()
        throws
    {
        for suite in SRTPSuite.allCases {
            var link = try Link(suites: [suite])
            _ = link.run(until: .seconds(2))
            // Two rollovers, in steps as large as a gap may be.
            for number in stride(from: 20_000, to: 200_000, by: 15_000) {
                let later = try link.sendDown([7], sequence: number + 3)
                #expect(later == [7])
                let late = try link.sendDown([8], sequence: number)
                #expect(late == [8])
            }
            let isOpened = link.opensChangedPacket(sequence: 200_001)
            #expect(!isOpened)
        }
    }

    @Test func `the agreed suite is the one that was offered alone`() throws {
        for suite in SRTPSuite.allCases {
            var link = try Link(suites: [suite])
            _ = link.run(until: .seconds(2))
            let agreed = link.clientSuite
            #expect(agreed == suite)
        }
    }
}

/// Both ends, and the datagrams between them.
private struct Link: ~Copyable {
    private static let address = TransportPath.udp(SocketAddress(ipv4: 0x7f00_0001, port: 50_000))
    private static let start = Instant(nanoseconds: 1_000_000_000)
    private var client: ClientTransport
    private var server: PeerTransport
    private var engine = SealingEngine(preference: .openSSL)
    private var now = Link.start

    init(
        suites: [SRTPSuite] = SRTPSuite.allCases, announces fingerprint: CertificateFingerprint? = nil,
        password: String? = nil
    ) throws {
        let own = try DTLSCertificate.generate()
        let credentials = try ICECredentials.random()
        let local = RemoteICECredentials(ufrag: "abcd", password: "abcdefghijklmnopqrstuvwx")
        let clientContext = try DTLSContext(certificate: .generate(), suites: suites, role: .active)
        let serverContext = try DTLSContext(certificate: own)
        let server = try PeerTransport(
            configuration: PeerTransportConfiguration(
                credentials: credentials, remote: local, fingerprints: [clientContext.fingerprint],
                context: serverContext), now: Self.start)
        let remote = RemoteICECredentials(
            ufrag: credentials.ufrag.text, password: password ?? credentials.password)
        client = try ClientTransport(
            configuration: ClientTransportConfiguration(
                server: SocketAddress(ipv4: 0x7f00_0001, port: 3_478), local: local, remote: remote,
                fingerprints: [fingerprint ?? own.fingerprint], context: clientContext), now: Self.start)
        self.server = server
    }

    var clientState: ClientTransport.State { client.state }
    var serverState: PeerTransport.State { server.state }
    var clientSuite: SRTPSuite? { client.suite }

    /// Carries datagrams until both are connected or the time has come; whether they are.
    mutating func run(until end: Duration) -> Bool {
        while now < Self.start + end, client.state != .connected || server.state != .connected {
            var output = OutputDatagrams()
            client.handleTimeout(now: now, into: &output)
            exchange(&output)
            guard client.state != .failed, client.state != .connected else { break }
            now = max(now + .milliseconds(1), client.nextTimeout)
        }
        return client.state == .connected && server.state == .connected
    }

    private mutating func exchange(_ fromClient: inout OutputDatagrams) {
        while !fromClient.isEmpty {
            var fromServer = OutputDatagrams()
            for index in 0..<fromClient.count {
                let bytes = fromClient.bytes(at: index)
                if bytes[0] < 4 {
                    _ = server.receiveSTUN(bytes, from: Self.address, now: now, into: &fromServer)
                } else {
                    _ = server.receiveDTLS(
                        bytes, from: Self.address, now: now, engine: engine, into: &fromServer)
                }
            }
            fromClient.removeAll()
            for index in 0..<fromServer.count {
                let bytes = fromServer.bytes(at: index)
                if bytes[0] < 4 {
                    client.receiveSTUN(bytes, now: now, into: &fromClient)
                } else {
                    client.receiveDTLS(bytes, now: now, engine: engine, into: &fromClient)
                }
            }
        }
    }

    private static let header: [UInt8] = [0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9]

    mutating func sendUp(_ payload: [UInt8]) throws -> [UInt8] {
        let stream = try client.registerStream(SSRC(9))
        var packet = Self.header + [UInt8](repeating: 0, count: payload.count + 16)
        var span = packet.mutableSpan
        let sealed = try client.sealRTP(
            PacketToSeal(stream: stream, headerLength: 12), payload: payload.span, into: &span,
            engine: &engine)
        let length = try server.openRTP(&span, length: sealed, from: Self.address, now: now)
        return Array(packet[12..<length])
    }

    /// The packet with this number, which counts on over wraps.
    mutating func sendDown(_ payload: [UInt8], sequence: Int = 1) throws -> [UInt8] {
        var packet = try sealDown(payload, sequence: sequence)
        let count = packet.count
        var span = packet.mutableSpan
        let length = try client.openRTP(&span, length: count)
        return Array(packet[12..<length])
    }

    mutating func opensChangedPacket(sequence: Int) -> Bool {
        guard var packet = try? sealDown([1, 2, 3], sequence: sequence) else { return true }
        packet[13] ^= 1
        let count = packet.count
        var span = packet.mutableSpan
        return (try? client.openRTP(&span, length: count)) != nil
    }

    private mutating func sealDown(_ payload: [UInt8], sequence: Int) throws -> [UInt8] {
        let stream = try server.registerStream(SSRC(9))
        var packet = Self.header + [UInt8](repeating: 0, count: payload.count + 16)
        packet[2] = UInt8(truncatingIfNeeded: sequence >> 8)
        packet[3] = UInt8(truncatingIfNeeded: sequence)
        var span = packet.mutableSpan
        let sealed = try server.sealRTP(
            PacketToSeal(stream: stream, headerLength: 12), payload: payload.span, into: &span,
            engine: &engine)
        return Array(packet[..<sealed])
    }
}
