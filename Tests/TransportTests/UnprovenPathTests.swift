import FixedCollections
import Testing
import TransportTestSupport
import Wire

@testable import Transport

struct UnprovenPathTests {
    @Test func `media from a changed address moves the path within one round trip`() throws {
        let mover = try Mover()
        let packet = try mover.packet()
        #expect(try mover.peer.openUnprovenRTP(packet, from: udpPath(6), at: mover.now).count > 12)
        let check = try #require(mover.peer.sent.first)
        #expect(mover.peer.sent.count == 1)
        #expect(check.path == udpPath(6))
        #expect(check.bytes.count <= packet.count)
        #expect(try isCheck(check.bytes, of: mover.peer.credentials))
        #expect(mover.peer.transport.selectedPath == udpPath())
        #expect(!mover.peer.isValidated(udpPath(6)))

        let later = mover.now + .milliseconds(80)
        let outcome = mover.peer.stun(try TestAnswer(to: check.bytes).bytes(), from: udpPath(6), at: later)
        #expect(outcome.rejection == nil)
        #expect(outcome.isNewPath && outcome.selectedPathChanged)
        #expect(mover.peer.transport.selectedPath == udpPath(6))
        #expect(mover.peer.sent.isEmpty)
        let next = try mover.packet()
        #expect(throws: Never.self) { try mover.peer.openRTP(next, from: udpPath(6), at: later) }
    }

    @Test func `an answer carries the number by which it finds its transport`() throws {
        let mover = try Mover()
        mover.peer.probeTag = ProbeTag(lane: 4_095, index: 1_048_575)
        let answer = try TestAnswer(to: mover.check(from: udpPath(6))).bytes()
        let found = ProbeTag(answeredBy: answer.span)
        let tag = try #require(found)
        #expect(tag.lane == 4_095)
        #expect(tag.index == 1_048_575)
        let check = try TestCheck(credentials: mover.peer.credentials).bytes()
        let none = ProbeTag(answeredBy: check.span)
        #expect(none == nil)
    }

    @Test func `forged and repeated media from another address asks for nothing and moves nothing`() throws {
        let mover = try Mover()
        let old = try mover.packet()
        _ = try mover.peer.openRTP(old, at: mover.now)
        var forged = try mover.packet()
        forged[forged.count - 1] ^= 1
        for (packet, error) in [(old, SRTPError.replayed), (forged, .authenticationFailed)] {
            #expect(throws: TransportError.srtp(error)) {
                try mover.peer.openUnprovenRTP(packet, from: udpPath(6), at: mover.now)
            }
            #expect(mover.peer.sent.isEmpty)
        }
        #expect(mover.peer.transport.selectedPath == udpPath())
        #expect(!mover.peer.isValidated(udpPath(6)))
    }

    @Test func `an SSRC that was never heard on a proven path is refused on another`() throws {
        let mover = try Mover()
        let packet = try mover.packet(ssrc: 0x4321)
        #expect(throws: TransportError.unknownPath) {
            try mover.peer.openUnprovenRTP(packet, from: udpPath(6), at: mover.now)
        }
        #expect(throws: TransportError.unknownPath) {
            try mover.peer.openUnprovenRTP(Array(packet[..<11]), from: udpPath(6), at: mover.now)
        }
        #expect(mover.peer.sent.isEmpty)
    }

    @Test func `an answer that is wrong in anything does nothing`() throws {
        let mover = try Mover()
        let right = try TestAnswer(to: mover.check(from: udpPath(6)))
        var (forged, stray, error) = (right, right, right)
        forged.password = "wrongwrongwrongwrongwrong"
        stray.transactionID.low ^= 1
        error.errorCode = 401
        let now = mover.now + .milliseconds(10)
        let tries: [(TestAnswer, TransportPath, STUNRejection)] = [
            (forged, udpPath(6), .badIntegrity), (stray, udpPath(6), .unsolicited),
            (error, udpPath(6), .unsolicited), (right, udpPath(7), .unsolicited),
            (right, udpPath(), .unsolicited),
        ]
        for (answer, path, rejection) in tries {
            #expect(mover.peer.stun(try answer.bytes(), from: path, at: now).rejection == rejection)
            #expect(mover.peer.sent.isEmpty)
        }
        #expect(mover.peer.transport.selectedPath == udpPath())
        #expect(!mover.peer.isValidated(udpPath(6)) && !mover.peer.isValidated(udpPath(7)))
        #expect(mover.peer.stun(try right.bytes(), from: udpPath(6), at: now).selectedPathChanged)
        // Once only.
        #expect(mover.peer.stun(try right.bytes(), from: udpPath(6), at: now).rejection == .unsolicited)
    }

    @Test func `an answer counts for a second`() throws {
        for (delay, counts) in [(999, true), (1_000, false)] {
            let mover = try Mover()
            let answer = try TestAnswer(to: mover.check(from: udpPath(6))).bytes()
            let outcome = mover.peer.stun(
                answer, from: udpPath(6), at: mover.now + .milliseconds(delay))
            #expect((outcome.rejection == nil) == counts)
        }
    }

    @Test func `an address is asked three times, 100 ms apart, and then forgotten for a while`() throws {
        let mover = try Mover()
        let times = try mover.timesOfChecks(over: .milliseconds(2_400)) { _ in udpPath(6) }
        #expect(times == [0, 100, 200, 1_200, 1_300, 1_400])
        #expect(mover.peer.transport.selectedPath == udpPath())
    }

    @Test func `many addresses together are asked once in 100 ms`() throws {
        let mover = try Mover()
        let times = try mover.timesOfChecks(over: .seconds(1)) { udpPath(UInt16(6 + $0 % 9)) }
        #expect(times.count > 5)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 100 })
    }

    @Test func `every one of the checks may be answered`() throws {
        for place in 0..<3 {
            let mover = try Mover()
            var checks: [[UInt8]] = []
            for _ in 0..<3 {
                checks.append(try mover.check(from: udpPath(6)))
                mover.now += .milliseconds(100)
            }
            let answer = try TestAnswer(to: checks[place]).bytes()
            #expect(mover.peer.stun(answer, from: udpPath(6), at: mover.now).selectedPathChanged)
        }
    }

    @Test func `no check is longer than what came from the address since the last one`() throws {
        let mover = try Mover()
        var (received, sent) = (0, 0)
        for round in 0..<40 {
            let packet = try mover.packet(payload: 1 + round % 3)
            received += packet.count
            _ = try mover.peer.openUnprovenRTP(packet, from: udpPath(6), at: mover.now)
            for check in mover.peer.sent {
                #expect(check.bytes.count <= received)
                received = 0
                sent += 1
            }
            mover.now += .milliseconds(20)
        }
        #expect(sent == 3)
    }

    @Test func `DTLS from an address without proof stays unanswered`() throws {
        let mover = try Mover()
        _ = try mover.check(from: udpPath(6))
        let goodbye = mover.link.client.close()[0]
        #expect(mover.peer.dtls(goodbye, from: udpPath(6), at: mover.now) == .ignored)
        #expect(mover.peer.sent.isEmpty)
        #expect(mover.peer.transport.state == .connected)
    }

    @Test
    func
        `a check of the client's own lets the address in, and the answer to the one that waits still counts`()
        throws
    {
        let mover = try Mover()
        let check = try mover.check(from: udpPath(6))
        let outcome = try mover.peer.check(from: udpPath(6), at: mover.now)
        #expect(outcome.isNewPath && !outcome.selectedPathChanged)
        let answer = try TestAnswer(to: check).bytes()
        #expect(mover.peer.stun(answer, from: udpPath(6), at: mover.now).selectedPathChanged)
    }

    @Test func `an answer renews consent`() throws {
        let mover = try Mover()
        let answer = try TestAnswer(to: mover.check(from: udpPath(6))).bytes()
        mover.peer.stun(answer, from: udpPath(6), at: mover.now + .milliseconds(50))
        #expect(mover.peer.transport.nextTimeout == mover.now + .milliseconds(50) + .seconds(30))
    }

    @Test func `a restart of ICE brings the credentials of the next checks`() throws {
        let mover = try Mover()
        let fresh = try ICECredentials.random()
        let remote = RemoteICECredentials(ufrag: "anew+/", password: "anotheranotheranother/")
        let old = try mover.check(from: udpPath(6))
        _ = try mover.peer.restart(fresh, remote: remote)
        // Until the client uses them, the old ones are good.
        mover.now += .milliseconds(100)
        #expect(try isCheck(mover.check(from: udpPath(6)), of: mover.peer.credentials))
        mover.peer.stun(try TestCheck(credentials: fresh).bytes(), at: mover.now)
        mover.now += .milliseconds(100)
        let check = try mover.check(from: udpPath(6))
        #expect(try isCheck(check, of: fresh, for: remote))
        #expect(
            mover.peer.stun(try TestAnswer(to: old).bytes(), from: udpPath(6), at: mover.now).rejection != nil
        )
        var answer = try TestAnswer(to: check)
        #expect(
            mover.peer.stun(try answer.bytes(), from: udpPath(6), at: mover.now).rejection == .badIntegrity)
        answer.password = remote.password
        #expect(mover.peer.stun(try answer.bytes(), from: udpPath(6), at: mover.now).selectedPathChanged)
    }

    @Test func `without the client's credentials media is taken and nothing asked`() throws {
        let mover = try Mover(remote: nil)
        let packet = try mover.packet()
        #expect(throws: Never.self) {
            try mover.peer.openUnprovenRTP(packet, from: udpPath(6), at: mover.now)
        }
        #expect(mover.peer.sent.isEmpty)
        #expect(mover.peer.transport.selectedPath == udpPath())
    }

    @Test func `after the end nothing is taken`() throws {
        let mover = try Mover()
        let packet = try mover.packet()
        let check = try mover.check(from: udpPath(6))
        mover.peer.close(at: mover.now)
        #expect(throws: TransportError.noKeys) {
            try mover.peer.openUnprovenRTP(packet, from: udpPath(6), at: mover.now)
        }
        let answer = try TestAnswer(to: check).bytes()
        #expect(mover.peer.stun(answer, from: udpPath(6), at: mover.now).rejection == .closed)
    }
}

/// A connected client that was heard at its first address, and now sends from elsewhere.
private final class Mover {
    let link: TestLink
    var now: Instant
    private var sequence: UInt16 = 0

    var peer: TestPeer { link.peer }

    init(remote: RemoteICECredentials? = TestAnswer.credentials) throws {
        link = try connected(DTLSTestClient(), remote: remote)
        now = link.now
        _ = try peer.openRTP(packet(), at: now)
    }

    /// The next packet, sealed.
    func packet(payload: Int = 100, ssrc: UInt32 = 0x1234) throws -> [UInt8] {
        var engine = SealingEngine(preference: .openSSL)
        var sealer = try Sealer(key: link.client.exportKeys().client, engine: engine)
        let stream = try sealer.registerStream(SSRC(ssrc))
        sequence += 1
        return try seal(
            &sealer, stream, header: rtpHeader(sequence: sequence, ssrc: ssrc),
            payload: [UInt8](repeating: 7, count: payload), engine: &engine)
    }

    /// Sends a packet from `path`; the check that it causes.
    func check(from path: TransportPath) throws -> [UInt8] {
        _ = try peer.openUnprovenRTP(packet(), from: path, at: now)
        return try #require(peer.sent.first).bytes
    }

    /// Sends a packet every 10 ms, the path of each as given by its number; when checks were sent, in milliseconds.
    func timesOfChecks(over duration: Duration, _ path: (Int) -> TransportPath) throws -> [Int64] {
        let begun = now
        var times: [Int64] = []
        var number = 0
        while now - begun < duration {
            _ = try peer.openUnprovenRTP(packet(), from: path(number), at: now)
            for check in peer.sent {
                #expect(check.path == path(number))
                times.append((now - begun).wholeMilliseconds)
            }
            number += 1
            now += .milliseconds(10)
        }
        return times
    }
}
