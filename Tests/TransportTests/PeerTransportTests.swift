import FixedCollections
import Testing
import TestSupport
import TransportTestSupport
import Wire

@testable import Transport

struct PeerTransportTests {
    @Test func `media before the keys is dropped`() throws {
        let peer = try TestPeer()
        let packet = rtpHeader(sequence: 1, ssrc: 1) + [UInt8](repeating: 0, count: 40)
        #expect(throws: TransportError.unknownPath) { try peer.openRTP(packet) }
        try peer.check()
        #expect(throws: TransportError.noKeys) { try peer.openRTP(packet) }
        #expect(throws: TransportError.noKeys) {
            try peer.sealRTP(header: packet, payload: [], ssrc: SSRC(1))
        }
    }

    @Test func `keys are there before the client can know that the handshake is through`() throws {
        let client = try DTLSTestClient()
        let peer = try TestPeer(fingerprints: [client.certificate.fingerprint])
        try peer.check()
        var waiting = client.start()
        var outcome = DTLSOutcome.nothing
        while outcome != .connected, !waiting.isEmpty {
            outcome = peer.dtls(waiting.removeFirst())
            if outcome != .connected { for (bytes, _) in peer.sent { waiting += client.receive(bytes) } }
        }
        #expect(outcome == .connected)
        #expect(peer.transport.suite == .aes128GCM)
        #expect(!client.isConnected)
        #expect(!peer.sent.isEmpty)
    }

    @Test func `media from an address that ICE hasn't validated is dropped`() throws {
        let link = try connected(DTLSTestClient())
        let packet = try clientPacket(link, sequence: 1)
        #expect(throws: TransportError.unknownPath) {
            try link.peer.openRTP(packet, from: udpPath(6), at: link.now)
        }
        #expect(try link.peer.openRTP(packet, at: link.now).count == packet.count - 16)
        #expect(throws: TransportError.srtp(.replayed)) { try link.peer.openRTP(packet, at: link.now) }
    }

    @Test func `media goes on from a changed address without a new handshake`() throws {
        let link = try connected(DTLSTestClient())
        let now = link.now
        let packet = try clientPacket(link, sequence: 1)
        #expect(throws: TransportError.unknownPath) {
            try link.peer.openRTP(packet, from: udpPath(6), at: now)
        }
        #expect(try link.peer.check(from: udpPath(6), at: now).isNewPath)
        #expect(try link.peer.prove(udpPath(6), at: now).selectedPathChanged)
        #expect(link.peer.transport.selectedPath == udpPath(6))
        #expect(throws: Never.self) { try link.peer.openRTP(packet, from: udpPath(6), at: now) }
        #expect(link.peer.transport.state == .connected)
    }

    @Test func `a peer that slept for longer than its consent lasts goes on with its keys once it is back`()
        throws
    {
        let link = try connected(DTLSTestClient())
        let expiry = link.peer.transport.nextTimeout
        #expect(link.peer.timeout(at: expiry) == .consentExpired)
        #expect(link.peer.transport.state == .connected)
        #expect(link.peer.transport.selectedPath == nil)
        #expect(link.peer.transport.nextTimeout == .distantFuture)
        let later = expiry + .seconds(600)
        #expect(link.peer.timeout(at: later) == .nothing)
        let packet = try clientPacket(link, sequence: 1)
        #expect(throws: TransportError.unknownPath) { try link.peer.openRTP(packet, at: later) }

        #expect(try !link.peer.check(at: later).selectedPathChanged)
        #expect(link.peer.transport.selectedPath == nil)
        #expect(try link.peer.prove(at: later).selectedPathChanged)
        #expect(link.peer.transport.selectedPath != nil)
        #expect(link.peer.transport.nextTimeout == later + .seconds(30))
        #expect(try link.peer.openRTP(packet, at: later).count == packet.count - 16)
    }

    @Test func `a peer whose consent has expired may restart ICE`() throws {
        let link = try connected(DTLSTestClient())
        let expiry = link.peer.transport.nextTimeout
        #expect(link.peer.timeout(at: expiry) == .consentExpired)
        let fresh = try ICECredentials.random(lane: 0)
        #expect(try link.peer.restart(fresh) == nil)
        let check = try TestCheck(credentials: fresh).bytes()
        link.peer.stun(check, at: expiry + .seconds(5))
        #expect(try link.peer.prove(at: expiry + .seconds(5)).selectedPathChanged)
        #expect(link.peer.transport.state == .connected)
    }

    @Test func `media moves the path where a client doesn't nominate again`() throws {
        let link = try connected(DTLSTestClient())
        let start = link.now
        try link.peer.check(from: udpPath(6), at: start)
        try link.peer.prove(udpPath(6), at: start)
        // Back to where it has proved itself before, at once.
        #expect(try link.peer.check(at: start).selectedPathChanged)
        #expect(try !link.peer.check(from: udpPath(6), at: start, nominates: false).selectedPathChanged)
        let (first, second) = (try clientPacket(link, sequence: 1), try clientPacket(link, sequence: 2))
        _ = try link.peer.openRTP(first, from: udpPath(6), at: start + .milliseconds(100))
        #expect(link.peer.transport.selectedPath == udpPath())
        _ = try link.peer.openRTP(second, from: udpPath(6), at: start + .milliseconds(600))
        #expect(link.peer.transport.selectedPath == udpPath(6))
    }

    @Test func `forged media doesn't move the path`() throws {
        let link = try connected(DTLSTestClient())
        let start = link.now
        try link.peer.check(at: start)
        try link.peer.check(from: udpPath(6), at: start, nominates: false)
        var packet = try clientPacket(link, sequence: 1)
        packet[packet.count - 1] ^= 1
        #expect(throws: TransportError.srtp(.authenticationFailed)) {
            try link.peer.openRTP(packet, from: udpPath(6), at: start + .seconds(1))
        }
        #expect(link.peer.transport.selectedPath == udpPath())
    }

    @Test func `a goodbye of the client's closes the transport and drops the keys`() throws {
        let link = try connected(DTLSTestClient())
        let packet = try clientPacket(link, sequence: 1)
        let goodbye = link.client.close()
        #expect(link.deliverToServer(goodbye[0]) == .closed)
        #expect(link.peer.transport.state == .closed)
        #expect(link.peer.transport.alertsReceived == 1)
        #expect(throws: TransportError.noKeys) { try link.peer.openRTP(packet, at: link.now) }
        #expect(link.deliverToServer(goodbye[0]) == .ignored)
    }

    @Test func `closing says goodbye to a connected client`() throws {
        let link = try connected(DTLSTestClient())
        link.peer.close(at: link.now)
        let sent = try #require(link.peer.sent.first)
        #expect(sent.path == udpPath())
        _ = link.client.receive(sent.bytes)
        #expect(link.client.isClosed)
        #expect(link.peer.transport.state == .closed)
        link.peer.close(at: link.now)
        #expect(link.peer.sent.isEmpty)
    }

    @Test func `a restart leaves keys and media alone`() throws {
        let link = try connected(DTLSTestClient())
        let fresh = try ICECredentials.random()
        _ = try link.peer.restart(fresh)
        #expect(try mediaFlows(link))
        let check = try TestCheck(credentials: fresh).bytes()
        #expect(link.peer.stun(check, from: udpPath(8), at: link.now).isNewPath)
        #expect(try link.peer.prove(udpPath(8), at: link.now).selectedPathChanged)
        let packet = try clientPacket(link, sequence: 9)
        #expect(throws: Never.self) { try link.peer.openRTP(packet, from: udpPath(8), at: link.now) }
    }

    @Test func `damaged, random and unexpected DTLS leaves a connected transport alone`() throws {
        let link = try connected(DTLSTestClient())
        var generator = SeededGenerator(seed: 11)
        let packet = try clientPacket(link, sequence: 1)
        let valid = link.client.send([1, 2, 3])[0]
        for _ in 0..<2_000 {
            var bytes = generator.below(2) == 0 ? valid : generator.bytes(1 + generator.below(1_300))
            bytes[0] = UInt8(20 + generator.below(44))
            bytes[generator.below(bytes.count)] ^= UInt8(1 + generator.below(255))
            bytes.removeLast(generator.below(bytes.count))
            try #require(link.deliverToServer(bytes) == .nothing, "\(bytes)")
        }
        for bytes in link.client.renegotiate() { link.deliverToServer(bytes) }
        #expect(link.peer.transport.state == .connected)
        #expect(throws: Never.self) { try link.peer.openRTP(packet, at: link.now) }
    }

    @Test(
        arguments: [
            "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
            "ECDHE-ECDSA-CHACHA20-POLY1305",
        ], [false, true])
    func `records too short for their cipher change nothing, and a short goodbye is heard`(
        cipher: String, areBehindAnother: Bool
    ) throws {
        let client = try DTLSTestClient(cipher: cipher)
        let link = try TestLink(client)
        /// Seemingly encrypted records of every small length.
        func deliverStumps(behind record: [UInt8], _ expected: DTLSOutcome) throws {
            for length in UInt8(0)..<40 {
                let stump = [22, 0xfe, 0xfd, 0, 1, 0, 0, 0, 1, 0, length, 0, length]
                let bytes = record + stump + [UInt8](repeating: length, count: Int(length))
                try #require(link.deliverToServer(bytes) == expected, "\(length)")
            }
        }
        let hello = client.start()[0]
        link.deliverToServer(hello)
        try deliverStumps(behind: areBehindAnother ? hello : [], .handshaking)
        try #require(link.runUntilUp())
        try deliverStumps(behind: areBehindAnother ? client.send([1, 2, 3])[0] : [], .nothing)
        #expect(try mediaFlows(link))
        #expect(client.close().map { link.deliverToServer($0) } == [.closed])
    }

    @Test func `random bytes in mid-handshake never trap, and answers stay small`() throws {
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<60 {
            let client = try DTLSTestClient(helloSize: 1_400)
            let peer = try TestPeer(fingerprints: [client.certificate.fingerprint])
            try peer.check()
            var waiting = client.start()
            while !waiting.isEmpty {
                var bytes = waiting.removeFirst()
                if generator.below(3) == 0 { bytes[generator.below(bytes.count)] ^= 0x41 }
                peer.dtls(bytes)
                for (bytes, _) in peer.sent {
                    #expect(bytes.count <= DTLSRecords.maximumDatagramSize)
                    waiting += client.receive(bytes)
                }
            }
        }
    }

    @Test func `a peer that never starts DTLS doesn't stay for ever`() throws {
        let peer = try TestPeer()
        for second in stride(from: 0.0, to: 60, by: 5) { try peer.check(at: .at(second)) }
        #expect(peer.transport.nextTimeout == .at(60))
        #expect(peer.timeout(at: .at(60)) == .failed(.timedOut))
        #expect(peer.transport.state == .failed)
    }

    /// A packet that the client sealed.
    private func clientPacket(_ link: TestLink, sequence: UInt16) throws -> [UInt8] {
        var engine = SealingEngine(preference: .openSSL)
        var sealer = try Sealer(key: link.client.exportKeys().client, engine: engine)
        let stream = try sealer.registerStream(SSRC(0x1234))
        return try seal(
            &sealer, stream, header: rtpHeader(sequence: sequence, ssrc: 0x1234), payload: [1, 2, 3, 4],
            engine: &engine)
    }
}
