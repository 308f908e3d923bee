import FixedCollections
import Testing
import TransportTestSupport
import Wire

@testable import Transport

struct ICEPathTests {
    @Test func `a nomination from a new address moves the path at once, before there is media`() throws {
        let peer = try TestPeer()
        try peer.check(from: udpPath(1), at: .at(0))
        let outcome = try peer.check(from: udpPath(2), at: .at(0.001))
        #expect(outcome.isNewPath)
        #expect(outcome.selectedPathChanged)
        #expect(peer.transport.selectedPath == udpPath(2))
        #expect(peer.isValidated(udpPath(1)))
    }

    @Test func `a check that doesn't nominate moves the path only when the old one is silent`() throws {
        let peer = try TestPeer()
        try peer.check(from: udpPath(1), at: .at(0))
        #expect(try !peer.check(from: udpPath(2), at: .at(0.4), nominates: false).selectedPathChanged)
        #expect(peer.transport.selectedPath == udpPath(1))
        #expect(try peer.check(from: udpPath(2), at: .at(0.6), nominates: false).selectedPathChanged)
        #expect(peer.transport.selectedPath == udpPath(2))
    }

    @Test func `the first address is used before any nomination`() throws {
        let peer = try TestPeer()
        #expect(peer.transport.selectedPath == nil)
        #expect(try peer.check(nominates: false).selectedPathChanged)
        #expect(peer.transport.selectedPath == udpPath())
    }

    @Test func `of many addresses eight are remembered, the selected one always`() throws {
        let peer = try TestPeer()
        try peer.check(from: udpPath(1), at: .at(0))
        var evicted: [TransportPath] = []
        for port in 2...100 as ClosedRange<UInt16> {
            let now = Instant.at(Double(port) * 0.001)
            let outcome = try peer.check(from: udpPath(port), at: now, nominates: false)
            if let path = outcome.evictedPath { evicted.append(path) }
        }
        #expect(peer.transport.selectedPath == udpPath(1))
        #expect(evicted == (2...93).map { udpPath($0) })
        let left = (1...100).filter { peer.isValidated(udpPath($0)) }
        #expect(left == [1] + Array(94...100))
    }

    @Test func `a connection that ended hands over to the path heard from last`() throws {
        let peer = try TestPeer()
        try peer.check(from: udpPath(1), at: .at(0))
        try peer.check(from: udpPath(2), at: .at(0.1), nominates: false)
        let tcp = TransportPath.tcp(connection: 1, udpPath(3).address)
        try peer.check(from: tcp, at: .at(0.2))
        #expect(!peer.removePath(udpPath(9)))
        #expect(peer.removePath(tcp))
        #expect(peer.transport.selectedPath == udpPath(2))
        #expect(!peer.removePath(udpPath(1)))
        #expect(peer.transport.selectedPath == udpPath(2))
        #expect(peer.removePath(udpPath(2)))
        #expect(peer.transport.selectedPath == nil)
    }

    @Test func `old credentials are good until the first check with the new ones`() throws {
        let peer = try TestPeer()
        try peer.check(from: udpPath(1))
        let fresh = try ICECredentials.random()
        #expect(try peer.restart(fresh) == nil)
        #expect(try peer.check(from: udpPath(1)).rejection == nil)

        let outcome = peer.stun(try TestCheck(credentials: fresh).bytes(), from: udpPath(2))
        #expect(outcome.retiredUfrag == peer.credentials.ufrag)
        #expect(outcome.isNewPath)
        #expect(peer.transport.selectedPath == udpPath(2))
        let sent = try #require(peer.sent.first)
        #expect(try readAnswer(sent.bytes, fresh) != nil)

        #expect(try peer.check(from: udpPath(1)).rejection == .unknownUfrag)
        #expect(peer.sent.isEmpty)
    }

    @Test func `a restart that was never taken up is replaced by the next`() throws {
        let peer = try TestPeer()
        let (first, second) = (try ICECredentials.random(), try ICECredentials.random())
        #expect(try peer.restart(first) == nil)
        #expect(try peer.restart(second) == first.ufrag)
        #expect(peer.stun(try TestCheck(credentials: first).bytes()).rejection == .unknownUfrag)
        #expect(try peer.check().rejection == nil)
        #expect(peer.stun(try TestCheck(credentials: second).bytes()).rejection == nil)
    }

    @Test func `a refused check with new credentials doesn't retire the old ones`() throws {
        let peer = try TestPeer()
        let fresh = try ICECredentials.random()
        _ = try peer.restart(fresh)
        let conflict = TestCheck(credentials: fresh, role: .controlled)
        #expect(peer.stun(try conflict.bytes()).rejection == .roleConflict)
        #expect(try peer.check().rejection == nil)
    }
}
