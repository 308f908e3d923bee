import FixedCollections
import Testing
import TestSupport
import TransportTestSupport
import Wire

@testable import Transport

struct ICEAgentTests {
    @Test func `a good check is answered with the address it came from, signed`() throws {
        let peer = try TestPeer()
        let outcome = try peer.check()
        #expect(outcome.rejection == nil)
        #expect(outcome.isNewPath)
        #expect(outcome.selectedPathChanged)
        #expect(peer.transport.selectedPath == udpPath())
        let sent = try #require(peer.sent.first)
        #expect(peer.sent.count == 1)
        #expect(sent.path == udpPath())
        let answer = try #require(try readAnswer(sent.bytes, peer.credentials))
        #expect(answer.mappedAddress == udpPath().address)
        #expect(answer.transactionID == STUNTransactionID(high: 9, low: 1))
    }

    @Test func `a check over TCP or IPv6 is answered on the path it took`() throws {
        let peer = try TestPeer()
        let address = SocketAddress(high: 0x2001_0db8_0000_0000, low: 1, port: 9)
        for path in [TransportPath.tcp(connection: 7, address), .udp(address)] {
            #expect(try peer.check(from: path).isNewPath)
            let sent = try #require(peer.sent.first)
            #expect(sent.path == path)
            #expect(try readAnswer(sent.bytes, peer.credentials)?.mappedAddress == address)
        }
    }

    @Test func `no answer is longer than its request`() throws {
        let peer = try TestPeer()
        let address = SocketAddress(high: 0x2001_0db8_0000_0000, low: 1, port: 9)
        let unknown = (0..<8).map { STUNAttributeType(rawValue: 0x7f00 + $0) }
        for role in [nil, STUNBindingRequest.Role.controlling, .controlled] {
            for extra in [[], unknown] {
                let check = TestCheck(
                    credentials: peer.credentials, nominates: false, role: role, extra: extra)
                let bytes = try check.bytes()
                peer.stun(bytes, from: .udp(address))
                let sent = try #require(peer.sent.first)
                #expect(sent.bytes.count <= bytes.count)
            }
        }
    }

    @Test func `an unknown ufrag gets no answer and leaves nothing behind`() throws {
        let peer = try TestPeer()
        let stranger = try ICECredentials.random()
        let outcome = peer.stun(try TestCheck(credentials: stranger).bytes())
        #expect(outcome.rejection == .unknownUfrag)
        #expect(peer.sent.isEmpty)
        #expect(!peer.isValidated(udpPath()))
    }

    @Test func `a wrong password gets no answer and leaves nothing behind`() throws {
        let peer = try TestPeer()
        let forged = ICECredentials(
            ufrag: peer.credentials.ufrag, password: try ICECredentials.random().password)
        let outcome = peer.stun(try TestCheck(credentials: forged).bytes())
        #expect(outcome.rejection == .badIntegrity)
        #expect(peer.sent.isEmpty)
        #expect(!peer.isValidated(udpPath()))
        #expect(peer.transport.nextTimeout == .at(30))
    }

    @Test func `a peer that takes itself for controlled is told of the conflict`() throws {
        let peer = try TestPeer()
        let outcome = peer.stun(try TestCheck(credentials: peer.credentials, role: .controlled).bytes())
        #expect(outcome.rejection == .roleConflict)
        let sent = try #require(peer.sent.first)
        let answer = try #require(try readAnswer(sent.bytes, peer.credentials))
        #expect(answer.errorCode == 487)
        #expect(!peer.isValidated(udpPath()))
    }

    @Test func `an attribute that must be understood and isn't is refused with 420`() throws {
        let peer = try TestPeer()
        let check = TestCheck(credentials: peer.credentials, extra: [.init(rawValue: 0x7fff)])
        #expect(peer.stun(try check.bytes()).rejection == .unknownAttributes)
        let bytes = try #require(peer.sent.first).bytes
        #expect(try readAnswer(bytes, peer.credentials)?.errorCode == 420)
        #expect(bytes.indices.dropLast().contains { bytes[$0] == 0x7f && bytes[$0 + 1] == 0xff })
    }

    @Test func `garbage and truncated checks get no answer`() throws {
        let peer = try TestPeer()
        let check = try TestCheck(credentials: peer.credentials).bytes()
        for count in 0..<check.count {
            #expect(peer.stun(Array(check[..<count])).rejection != nil)
            #expect(peer.sent.isEmpty)
        }
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            var bytes = check
            bytes[generator.below(bytes.count)] ^= UInt8(1 + generator.below(255))
            #expect(peer.stun(bytes).rejection != nil)
            #expect(peer.sent.isEmpty)
        }
        #expect(peer.transport.selectedPath == nil)
    }

    @Test func `consent of a peer without keys expires 30 s after the last good check`() throws {
        let peer = try TestPeer()
        try peer.check(at: .at(10))
        #expect(peer.transport.nextTimeout == .at(40))
        let forged = ICECredentials(ufrag: peer.credentials.ufrag, password: "x")
        peer.stun(try TestCheck(credentials: forged).bytes(), at: .at(39))
        #expect(peer.timeout(at: .at(39.999)) == .nothing)
        #expect(peer.timeout(at: .at(40)) == .consentExpired)
        #expect(peer.sent.isEmpty)
        #expect(peer.transport.state == .closed)
        #expect(peer.transport.nextTimeout == .distantFuture)
        #expect(try peer.check(at: .at(41)).rejection == .closed)
        #expect(peer.sent.isEmpty)
    }

    @Test func `a ufrag tells its lane, and is found in a check`() throws {
        for lane in [0, 1, 63, 64, 4_095] {
            let credentials = try ICECredentials.random(lane: lane)
            #expect(credentials.ufrag.lane == lane)
            #expect(credentials.ufrag.text.utf8.count == 8)
            #expect(credentials.password.utf8.count == 24)
            let bytes = try TestCheck(credentials: credentials).bytes()
            let found = ICEUfrag(addressedBy: bytes.span)
            #expect(found == credentials.ufrag)
        }
    }

    @Test func `credentials don't repeat`() throws {
        var seen: Set<String> = []
        for _ in 0..<1_000 {
            let credentials = try ICECredentials.random(lane: 5)
            seen.insert(credentials.ufrag.text)
            seen.insert(credentials.password)
        }
        #expect(seen.count == 2_000)
    }
}
