import FixedCollections
import Testing
import TransportTestSupport
import Wire

@testable import Transport

struct DTLSHandshakeTests {
    /// Which of a ClientHello's two datagrams arrive, and in which order, before the client sends it again.
    enum FirstTry: CaseIterable {
        case inOrder, swapped, firstLost, secondLost, firstTwice, secondTwiceAndFirst
    }

    @Test(arguments: FirstTry.allCases)
    func `a ClientHello in two datagrams is put together`(_ first: FirstTry) throws {
        let client = try DTLSTestClient(helloSize: 1_400)
        let link = try TestLink(client)
        let hello = client.start()
        try #require(hello.count == 2)
        let order =
            switch first {
            case .inOrder: [0, 1]
            case .swapped: [1, 0]
            case .firstLost: [1]
            case .secondLost: [0]
            case .firstTwice: [0, 0, 1]
            case .secondTwiceAndFirst: [1, 1, 0]
            }
        for index in order { link.deliverToServer(hello[index]) }
        #expect(link.runUntilUp())
        #expect(link.outcomes.count { $0 == .connected } == 1)
        #expect(link.largestToClient <= DTLSRecords.maximumDatagramSize)
    }

    @Test func `a whole ClientHello is answered at once, in whichever order its parts come`() throws {
        for order in [[0, 1], [1, 0]] {
            let client = try DTLSTestClient(helloSize: 1_400)
            let link = try TestLink(client)
            let hello = client.start()
            #expect(link.deliverToServer(hello[order[0]]) == .handshaking)
            #expect(link.peer.sent.isEmpty)
            #expect(link.deliverToServer(hello[order[1]]) == .handshaking)
            #expect(!link.peer.sent.isEmpty)
        }
    }

    @Test func `a replayed ClientHello changes nothing`() throws {
        let client = try DTLSTestClient(helloSize: 1_400)
        let link = try TestLink(client)
        let hello = client.start()
        for bytes in hello { link.deliverToServer(bytes) }
        for bytes in hello + hello { link.deliverToServer(bytes) }
        #expect(link.runUntilUp())
        for bytes in hello + hello {
            #expect(link.deliverToServer(bytes) == .nothing)
            #expect(link.peer.sent.isEmpty)
        }
        #expect(link.peer.transport.state == .connected)
        #expect(try mediaFlows(link))
    }

    @Test(arguments: SRTPSuite.allCases)
    func `each suite is agreed on if the client offers nothing else`(_ suite: SRTPSuite) throws {
        let link = try connected(DTLSTestClient(profiles: suite.profileName))
        #expect(link.peer.transport.suite == suite)
        #expect(try mediaFlows(link))
    }

    @Test func `the server's order of suites wins`() throws {
        let link = try connected(DTLSTestClient())
        #expect(link.peer.transport.suite == .aes128GCM)
    }

    @Test func `another certificate than the announced one never yields keys`() throws {
        let client = try DTLSTestClient()
        let other = try DTLSCertificate.generate().fingerprint
        let peer = try TestPeer(fingerprints: [other])
        try peer.check()
        #expect(shakeHands(client, peer) == .failed(.fingerprintMismatch))
        #expect(client.hasFailed)
        #expect(!client.isConnected)
        #expect(peer.transport.state == .failed)
        #expect(peer.transport.suite == nil)
        #expect(peer.transport.alertsSent == 1)
        #expect(peer.transport.nextTimeout == .distantFuture)
    }

    @Test func `without an announced fingerprint, or without a certificate, there are no keys`() throws {
        let client = try DTLSTestClient()
        let peer = try TestPeer()
        try peer.check()
        #expect(shakeHands(client, peer) == .failed(.fingerprintMismatch))

        let anonymous = try DTLSTestClient(hasCertificate: false)
        let second = try TestPeer(fingerprints: [anonymous.certificate.fingerprint])
        try second.check()
        #expect(shakeHands(anonymous, second) == .failed(.handshake))
        #expect(second.transport.suite == nil)
    }

    @Test func `one right fingerprint of several is enough, in any accepted hash`() throws {
        let client = try DTLSTestClient()
        let other = try DTLSCertificate.generate().fingerprint
        for algorithm in CertificateFingerprint.Algorithm.allCases {
            let own = try #require(try fingerprint(of: client.certificate, algorithm))
            #expect(own.digest.count == algorithm.digestSize)
            let client = try DTLSTestClient(sharing: client.certificate)
            let peer = try TestPeer(fingerprints: [other, own])
            try peer.check()
            #expect(shakeHands(client, peer) == .connected)
        }
    }

    @Test func `a client without SRTP is refused`() throws {
        let client = try DTLSTestClient(profiles: nil)
        let peer = try TestPeer(fingerprints: [client.certificate.fingerprint])
        try peer.check()
        #expect(shakeHands(client, peer) == .failed(.noCommonSuite))
        #expect(peer.transport.suite == nil)
    }

    @Test func `DTLS from an address that ICE hasn't validated gets no answer`() throws {
        let client = try DTLSTestClient()
        let peer = try TestPeer(fingerprints: [client.certificate.fingerprint])
        let hello = client.start()
        #expect(peer.dtls(hello[0]) == .ignored)
        #expect(peer.sent.isEmpty)
        try peer.check(from: udpPath(1))
        #expect(peer.dtls(hello[0], from: udpPath(2)) == .ignored)
        #expect(peer.sent.isEmpty)
        #expect(peer.dtls(hello[0], from: udpPath(1)) == .handshaking)
        #expect(!peer.sent.isEmpty)
    }

    @Test(arguments: [true, false])
    func `with a fifth of all datagrams lost, and others late or twice, handshakes complete`(
        packsRecords: Bool
    ) throws {
        let conditions = TestLink.Conditions(loss: 0.2, duplication: 0.1, delay: .milliseconds(10))
        var times: [Duration] = []
        for seed in 1...60 as ClosedRange<UInt64> {
            let client = try DTLSTestClient(helloSize: 1_400, packsRecords: packsRecords)
            let link = try TestLink(client, conditions: conditions, seed: seed)
            link.sendToServer(client.start())
            try #require(link.runUntilUp(), "seed \(seed)")
            #expect(link.largestToClient <= DTLSRecords.maximumDatagramSize)
            times.append(link.now - .at(0))
        }
        times.sort()
        let records = packsRecords ? "records packed" : "a datagram a record"
        print("DTLS over 20 % loss, \(records): median \(times[30]), slowest \(times[59])")
        #expect(times[30] < .seconds(1))
    }

    @Test func `flights are sent again after 50 ms, then after twice as long each time`() throws {
        let client = try DTLSTestClient()
        let peer = try TestPeer(fingerprints: [client.certificate.fingerprint])
        try peer.check()
        for bytes in client.start() { peer.dtls(bytes) }
        let first = peer.sent.map(\.bytes)
        var last = Instant.at(0)
        for milliseconds in [50, 100, 200, 400, 800, 1_600, 2_000, 2_000] {
            let due = last + .milliseconds(milliseconds)
            #expect(peer.transport.nextTimeout == due)
            #expect(peer.timeout(at: due - .milliseconds(20)) == .nothing)
            #expect(peer.sent.isEmpty)
            #expect(peer.timeout(at: due) == .nothing)
            #expect(peer.sent.map(\.bytes.count) == first.map(\.count))
            #expect(peer.sent.map(\.bytes) != first)
            last = due
        }
    }

    @Test func `a client that falls silent in mid-handshake is given up`() throws {
        let client = try DTLSTestClient()
        let peer = try TestPeer(fingerprints: [client.certificate.fingerprint])
        try peer.check()
        for bytes in client.start() { peer.dtls(bytes) }
        var outcome = TransportTimeout.nothing
        var now = Instant.at(0)
        while outcome == .nothing, peer.transport.nextTimeout < .distantFuture {
            now = peer.transport.nextTimeout
            outcome = peer.timeout(at: now)
        }
        #expect(outcome == .failed(.timedOut))
        #expect(now > .at(5) && now < .at(30))
        #expect(peer.transport.state == .failed)
    }
}
