import FixedCollections
import Testing
import TestSupport
import Wire

@testable import Forwarding

/// Receiver reference times (RFC 3611 section 4.4), by which one that sends nothing measures its round trip.
@Suite struct RoundTripTests {
    private struct Answer: Equatable {
        var ssrc: UInt32
        var lastReport: UInt32
        var delay: UInt32
    }

    private let bench = Bench()

    private func viewer(_ participant: UInt64, in router: RouterID) throws -> PeerID {
        let peer = SimulatedPeer(participant: participant, router: router, senders: [], seats: 1)
        return try bench.add(peer.setup)
    }

    private func sendReference(_ time: UInt64, sender: UInt32, from peer: PeerID) throws {
        var bytes = [UInt8](repeating: 0, count: 64)
        var span = bytes.mutableSpan
        let length = try ExtendedReport.write(
            sender: SSRC(sender), referenceTime: NTPTime(rawValue: time), into: &span, at: 0)
        bench.receiveControl(Array(bytes[..<length]), from: peer)
    }

    /// Lets time pass, and returns the answers that the peer got, with when they left.
    private func answers(
        to peer: PeerID, milliseconds: Int
    ) throws -> [(answer: Answer, at: Instant)] {
        var answers: [(answer: Answer, at: Instant)] = []
        for _ in 0..<milliseconds {
            bench.advance(.milliseconds(1))
            for sent in bench.drain() where sent.isControl && sent.peer == peer {
                answers += try read(sent.bytes).map { ($0, bench.now) }
            }
        }
        return answers
    }

    private func read(_ bytes: [UInt8]) throws -> [Answer] {
        var answers: [Answer] = []
        var reader = RTCPReader()
        while let packet = try reader.next(in: bytes.span) {
            guard packet.kind(in: bytes.span) == .extendedReport else { continue }
            let body = bytes.span.extracting(packet.range)
            var report = try ExtendedReport.parse(body)
            while let block = try report.next(in: body) {
                for index in 0..<block.delayCount {
                    let delay = block.delay(index, in: body)
                    answers.append(
                        Answer(
                            ssrc: delay.ssrc.rawValue, lastReport: delay.lastReceiverReport,
                            delay: delay.delay))
                }
            }
        }
        return answers
    }

    @Test func `a reference time is answered once, with how long it waited`() throws {
        let router = try bench.router()
        let (asking, silent) = (try viewer(1, in: router), try viewer(2, in: router))
        // Reports are a second apart: it comes at different times between two.
        for wait in [3, 237, 700, 990] {
            _ = try answers(to: asking, milliseconds: wait)
            let received = bench.now
            let time = 0x1234_5678_9abc_def0 + UInt64(wait) << 20
            try sendReference(time, sender: 0xcafe, from: asking)
            let got = try answers(to: asking, milliseconds: 2_500)
            try #require(got.count == 1)
            let waited = (got[0].at - received).wholeNanoseconds
            #expect(waited > 0 && waited <= 1_001_000_000)
            #expect(got[0].answer.ssrc == 0xcafe)
            #expect(got[0].answer.lastReport == UInt32(truncatingIfNeeded: time >> 16))
            // In units of 1/65,536 s, cut.
            #expect(Int64(got[0].answer.delay) == waited * 65_536 / 1_000_000_000)
        }
        #expect(try answers(to: silent, milliseconds: 1_500).isEmpty, "it never asked")
    }

    @Test func `of two reference times the later one is answered`() throws {
        let peer = try viewer(1, in: try bench.router())
        _ = try answers(to: peer, milliseconds: 1_500)
        try sendReference(1 << 32, sender: 7, from: peer)
        bench.advance(.microseconds(100))
        try sendReference(2 << 32, sender: 7, from: peer)
        let got = try answers(to: peer, milliseconds: 2_000)
        #expect(got.map(\.answer.lastReport) == [2 << 16])
    }
}
