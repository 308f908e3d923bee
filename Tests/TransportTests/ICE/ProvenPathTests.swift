import FixedCollections
import Testing
import TransportTestSupport
import Wire

@testable import Transport

/// Where a connected peer's media goes: nowhere that somebody else can choose by sending copies of its checks.
struct ProvenPathTests {
    @Test func `copies of a check from elsewhere move nothing, however many and however silent the peer is`()
        throws
    {
        let link = try connected(DTLSTestClient())
        let peer = link.peer
        let check = try TestCheck(credentials: peer.credentials).bytes()
        peer.stun(check, at: link.now)
        var probes = 0
        for tenth in 1...100 {
            let now = link.now + .milliseconds(100 * tenth)
            let copy =
                tenth % 2 == 0
                ? check : try TestCheck(credentials: peer.credentials, nominates: false).bytes()
            #expect(!peer.stun(copy, from: udpPath(6), at: now).selectedPathChanged)
            #expect(peer.transport.selectedPath == udpPath())
            probes += peer.sent.count - 1
        }
        // Three, and three more whenever a second has passed.
        #expect((1...30).contains(probes))
    }

    @Test func `a nomination from another address moves the path when the peer has answered there`() throws {
        let link = try connected(DTLSTestClient())
        let peer = link.peer
        let outcome = try peer.check(from: udpPath(6), at: link.now)
        #expect(outcome.isNewPath && !outcome.selectedPathChanged)
        #expect(peer.sent.map(\.path) == [udpPath(6), udpPath(6)])
        #expect(try readAnswer(peer.sent[0].bytes, peer.credentials)?.errorCode == nil)
        #expect(try isCheck(peer.sent[1].bytes, of: peer.credentials))
        #expect(peer.transport.selectedPath == udpPath())
        #expect(try peer.prove(udpPath(6), at: link.now + .milliseconds(80)).selectedPathChanged)
        #expect(peer.transport.selectedPath == udpPath(6))
        // Once it has answered on both, it may go back and forth as it likes, and isn't asked again.
        for path in [udpPath(), udpPath(6), udpPath()] {
            #expect(try peer.check(from: path, at: link.now + .milliseconds(90)).selectedPathChanged)
            #expect(peer.sent.count == 1)
        }
    }

    @Test func `a check that doesn't nominate asks for proof only when the selected path is silent`() throws {
        let link = try connected(DTLSTestClient())
        let peer = link.peer
        let start = link.now
        try peer.check(at: start)
        try peer.check(from: udpPath(6), at: start + .milliseconds(400), nominates: false)
        #expect(peer.sent.count == 1)
        try peer.check(from: udpPath(6), at: start + .milliseconds(600), nominates: false)
        #expect(peer.sent.count == 2)
        #expect(try peer.prove(udpPath(6), at: start + .milliseconds(700)).selectedPathChanged)
    }

    @Test func `a TCP connection is asked as an address is`() throws {
        let link = try connected(DTLSTestClient())
        let tcp = TransportPath.tcp(connection: 4, udpPath(6).address)
        #expect(try !link.peer.check(from: tcp, at: link.now).selectedPathChanged)
        #expect(try link.peer.prove(tcp, at: link.now).selectedPathChanged)
    }

    @Test func `of the paths that are left a proven one takes over, or none`() throws {
        let link = try connected(DTLSTestClient())
        let peer = link.peer
        let tcp = TransportPath.tcp(connection: 4, udpPath(6).address)
        try peer.check(from: tcp, at: link.now)
        try peer.prove(tcp, at: link.now)
        try peer.check(from: udpPath(7), at: link.now + .milliseconds(1), nominates: false)
        #expect(peer.removePath(tcp))
        #expect(peer.transport.selectedPath == udpPath())
        #expect(peer.removePath(udpPath()))
        #expect(peer.transport.selectedPath == nil)
        try peer.check(from: udpPath(7), at: link.now + .milliseconds(200))
        #expect(try peer.prove(udpPath(7), at: link.now + .milliseconds(250)).selectedPathChanged)
    }

    @Test func `the path of the handshake is the one that is proven, whatever was nominated meanwhile`()
        throws
    {
        let client = try DTLSTestClient()
        let peer = try TestPeer(fingerprints: [client.certificate.fingerprint])
        try peer.check()
        var waiting = client.start()
        try peer.check(from: udpPath(6))
        #expect(peer.transport.selectedPath == udpPath(6))
        while !waiting.isEmpty {
            peer.dtls(waiting.removeFirst())
            for (bytes, _) in peer.sent { waiting += client.receive(bytes) }
        }
        #expect(peer.transport.state == .connected)
        #expect(peer.transport.selectedPath == udpPath())
        try peer.check(from: udpPath(6))
        #expect(try peer.prove(udpPath(6)).selectedPathChanged)
    }
}
