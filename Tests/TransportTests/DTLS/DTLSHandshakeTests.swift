import FixedCollections
import Testing
import Wire

@testable import Transport

struct DTLSHandshakeTests {
    /// Which of a ClientHello's two datagrams arrive, and in which order, before the client sends it again.
    enum FirstTry: CaseIterable {
        case inOrder, swapped, firstLost, secondLost, firstTwice, secondTwiceAndFirst
    }

    @Test(arguments: FirstTry.allCases)
    func `a ClientHello in two datagrams is put together`(_ first: FirstTry) async throws {
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
        #expect(try await link.run { link.isUp })
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

    @Test func `a replayed ClientHello changes nothing`() async throws {
        let client = try DTLSTestClient(helloSize: 1_400)
        let link = try TestLink(client)
        let hello = client.start()
        for bytes in hello { link.deliverToServer(bytes) }
        for bytes in hello + hello { link.deliverToServer(bytes) }
        #expect(try await link.run { link.isUp })
        for bytes in hello + hello {
            #expect(link.deliverToServer(bytes) == .nothing)
            #expect(link.peer.sent.isEmpty)
        }
        #expect(link.peer.transport.state == .connected)
        #expect(try mediaFlows(link))
    }

    @Test(arguments: SRTPSuite.allCases)
    func `each suite is agreed on if the client offers nothing else`(_ suite: SRTPSuite) async throws {
        let link = try await connected(DTLSTestClient(profiles: suite.profileName))
        #expect(link.peer.transport.suite == suite)
        #expect(try mediaFlows(link))
    }

    @Test func `the server's order of suites wins`() async throws {
        let link = try await connected(DTLSTestClient())
        #expect(link.peer.transport.suite == .aes128GCM)
    }

    @Test func `another certificate than the announced one never yields keys`() async throws {
        let client = try DTLSTestClient()
        let other = try DTLSCertificate.generate().fingerprint
        let peer = try TestPeer(fingerprints: [other], now: TestLink.now)
        try peer.check(at: TestLink.now)
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
        let peer = try TestPeer(now: TestLink.now)
        try peer.check(at: TestLink.now)
        #expect(shakeHands(client, peer) == .failed(.fingerprintMismatch))

        let anonymous = try DTLSTestClient(hasCertificate: false)
        let second = try TestPeer(fingerprints: [anonymous.certificate.fingerprint], now: TestLink.now)
        try second.check(at: TestLink.now)
        #expect(shakeHands(anonymous, second) == .failed(.handshake))
        #expect(second.transport.suite == nil)
    }

    @Test func `one right fingerprint of several is enough, in any accepted hash`() async throws {
        let client = try DTLSTestClient()
        let other = try DTLSCertificate.generate().fingerprint
        for algorithm in CertificateFingerprint.Algorithm.allCases {
            let own = try #require(try fingerprint(of: client.certificate, algorithm))
            #expect(own.digest.count == algorithm.digestSize)
            let client = try DTLSTestClient(sharing: client.certificate)
            let peer = try TestPeer(fingerprints: [other, own], now: TestLink.now)
            try peer.check(at: TestLink.now)
            #expect(shakeHands(client, peer) == .connected)
        }
    }

    @Test func `a client without SRTP is refused`() throws {
        let client = try DTLSTestClient(profiles: nil)
        let peer = try TestPeer(fingerprints: [client.certificate.fingerprint], now: TestLink.now)
        try peer.check(at: TestLink.now)
        #expect(shakeHands(client, peer) == .failed(.noCommonSuite))
        #expect(peer.transport.suite == nil)
    }

    @Test func `DTLS from an address that ICE hasn't validated gets no answer`() throws {
        let client = try DTLSTestClient()
        let peer = try TestPeer(fingerprints: [client.certificate.fingerprint], now: TestLink.now)
        let hello = client.start()
        #expect(peer.dtls(hello[0], at: TestLink.now) == .ignored)
        #expect(peer.sent.isEmpty)
        try peer.check(from: udpPath(1), at: TestLink.now)
        #expect(peer.dtls(hello[0], from: udpPath(2), at: TestLink.now) == .ignored)
        #expect(peer.sent.isEmpty)
        #expect(peer.dtls(hello[0], from: udpPath(1), at: TestLink.now) == .handshaking)
        #expect(!peer.sent.isEmpty)
    }

    @Test func `with a fifth of all datagrams lost, and others late or twice, handshakes complete`()
        async throws
    {
        let conditions = TestLink.Conditions(loss: 0.2, duplication: 0.1, delay: .milliseconds(10))
        let started = TestLink.now
        var links: [TestLink] = []
        for seed in 1...40 as ClosedRange<UInt64> {
            let link = try TestLink(DTLSTestClient(helloSize: 1_400), conditions: conditions, seed: seed)
            link.sendToServer(link.client.start())
            links.append(link)
        }
        var times: [Duration] = []
        while times.count < links.count, TestLink.now - started < .seconds(60) {
            let before = links.count { $0.isUp }
            let isBusy = links.map { $0.step() }.contains(true)
            let after = links.count { $0.isUp }
            times += Array(repeating: TestLink.now - started, count: after - before)
            if !isBusy { try await Task.sleep(for: .milliseconds(1)) }
        }
        #expect(times.count == links.count)
        #expect(links.allSatisfy { $0.largestToClient <= DTLSRecords.maximumDatagramSize })
        if times.count == links.count {
            print("DTLS, 20 % loss: median \(times[20]), slowest \(times[39])")
            #expect(times[20] < .seconds(3))
        }
    }

    @Test func `the first retransmission comes after 50 ms`() async throws {
        let client = try DTLSTestClient()
        let peer = try TestPeer(fingerprints: [client.certificate.fingerprint], now: TestLink.now)
        try peer.check(at: TestLink.now)
        for bytes in client.start() { peer.dtls(bytes, at: TestLink.now) }
        let first = peer.sent.map(\.bytes)
        let left = peer.transport.nextTimeout - TestLink.now
        #expect(left > .zero && left <= .milliseconds(50))
        #expect(peer.timeout(at: TestLink.now) == .nothing)
        #expect(peer.sent.isEmpty)
        try await Task.sleep(for: .milliseconds(50))
        #expect(peer.timeout(at: TestLink.now) == .nothing)
        #expect(peer.sent.map(\.bytes.count) == first.map(\.count))
        #expect(peer.sent.map(\.bytes) != first)
        #expect(peer.transport.nextTimeout - TestLink.now > .milliseconds(50))
    }
}
