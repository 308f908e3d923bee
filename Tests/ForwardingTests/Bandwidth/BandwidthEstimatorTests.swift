import FixedCollections
import TestSupport
import Testing
import Wire

@testable import Forwarding

/// An estimator and the messages that a receiver would send it.
private final class EstimatorBench {
    var estimator = BandwidthEstimator()
    private var feedback = TransportFeedbackBuilder()
    private var number: UInt16
    private(set) var time: Int64 = 0

    init(firstNumber: UInt16 = 0) {
        number = firstNumber
    }

    var now: Instant { Instant(nanoseconds: time) }
    var target: Int { estimator.target.bitsPerSecond }

    /// Sends 1,000 bytes every 10 ms, answered every 50 ms.
    func run(milliseconds: Int, answers: Bool = true) throws {
        for step in 0..<(milliseconds / 10) {
            time += 10_000_000
            if now >= estimator.nextDeadline { estimator.update(at: now) }
            estimator.packetSent(SequenceNumber(number), bytes: 1_000, kind: .video, at: now)
            feedback.record(SequenceNumber(number), at: now + .milliseconds(25))
            number &+= 1
            guard step % 5 == 4 else { continue }
            for message in try messages() where answers { try receive(message) }
        }
    }

    func messages() throws -> [[UInt8]] {
        var messages: [[UInt8]] = []
        while true {
            var buffer = [UInt8](repeating: 0, count: 1_200)
            var span = buffer.mutableSpan
            let length = try feedback.write(sender: SSRC(1), media: SSRC(2), into: &span, at: 0)
            guard length > 0 else { return messages }
            messages.append(Array(buffer[0..<length]))
        }
    }

    func receive(_ message: [UInt8]) throws {
        estimator.receive(try TransportFeedback.parse(message.span), in: message.span, at: now)
    }
}

@Suite struct BandwidthEstimatorTests {
    @Test func `sequence numbers may wrap`() throws {
        let bench = EstimatorBench(firstNumber: 65_400)
        try bench.run(milliseconds: 5_000)
        let statistics = bench.estimator.statistics
        #expect(statistics.loss == 0)
        #expect(abs(Double(statistics.acknowledged?.bitsPerSecond ?? 0) / 800_000 - 1) < 0.1)
        #expect(statistics.bytesInFlight == 0)
        #expect(bench.target > 300_000)
    }

    @Test func `messages about packets that were never sent change nothing`() throws {
        let bench = EstimatorBench()
        try bench.run(milliseconds: 2_000)
        let before = bench.estimator.statistics
        var builder = TransportFeedbackBuilder()
        for number in 20_000..<20_400 {
            builder.record(
                SequenceNumber(UInt16(number)), at: Instant(nanoseconds: Int64(number) * 1_000_000))
        }
        var buffer = [UInt8](repeating: 0, count: 1_200)
        var span = buffer.mutableSpan
        let length = try builder.write(sender: SSRC(1), media: SSRC(2), into: &span, at: 0)
        try bench.receive(Array(buffer[0..<length]))
        let after = bench.estimator.statistics
        #expect(after == before)
    }

    @Test func `a repeated message counts once`() throws {
        let bench = EstimatorBench()
        try bench.run(milliseconds: 2_000)
        try bench.run(milliseconds: 40, answers: false)
        let messages = try bench.messages()
        #expect(messages.count == 1)
        try bench.receive(messages[0])
        let once = bench.estimator.statistics
        for _ in 0..<50 { try bench.receive(messages[0]) }
        let often = bench.estimator.statistics
        #expect(often.acknowledged == once.acknowledged)
        #expect(often.loss == once.loss)
        #expect(often.bytesInFlight == once.bytesInFlight)
    }

    @Test func `arbitrary messages leave the estimate within its bounds`() throws {
        let bench = EstimatorBench()
        var generator = SeededGenerator(seed: 11)
        var parsed = 0
        for _ in 0..<2_000 {
            try bench.run(milliseconds: 10, answers: false)
            var message = try bench.messages().first ?? []
            guard message.count >= 20 else { continue }
            for _ in 0..<(1 + generator.below(3)) {
                message[4 + generator.below(message.count - 4)] = UInt8(generator.below(256))
            }
            guard (try? bench.receive(message)) != nil else { continue }
            parsed += 1
            #expect(bench.target >= 30_000)
            #expect(bench.target <= 100_000_000)
        }
        #expect(parsed > 200)
    }

    @Test func `without feedback the estimate is halved each second, and found again afterwards`() throws {
        let bench = EstimatorBench()
        bench.estimator.setDemand(Bitrate(bitsPerSecond: 2_000_000), at: bench.now)
        try bench.run(milliseconds: 8_000)
        let before = bench.target
        try bench.run(milliseconds: 1_000, answers: false)
        #expect(bench.target == before)
        try bench.run(milliseconds: 2_000, answers: false)
        #expect(bench.target < before / 2)
        try bench.run(milliseconds: 20_000, answers: false)
        #expect(bench.target == 30_000)
    }

    @Test func `nothing is due when nothing is under way and nothing wanted`() throws {
        let bench = EstimatorBench()
        let first = bench.estimator.nextDeadline
        #expect(first == .distantFuture)
        bench.estimator.setDemand(Bitrate(bitsPerSecond: 1_000_000), at: bench.now)
        let wanted = bench.estimator.nextDeadline
        #expect(wanted <= bench.now)
        bench.estimator.setDemand(Bitrate(bitsPerSecond: 0), at: bench.now)
        try bench.run(milliseconds: 1_000)
        let idle = bench.estimator.nextDeadline
        #expect(idle == .distantFuture)
    }

    @Test func `deadlines that are kept lie ahead`() throws {
        let bench = EstimatorBench()
        bench.estimator.setDemand(Bitrate(bitsPerSecond: 5_000_000), at: bench.now)
        for _ in 0..<500 {
            try bench.run(milliseconds: 10, answers: false)
            bench.estimator.update(at: bench.now)
            while let cluster = bench.estimator.pollProbe(at: bench.now) {
                #expect(cluster.bytes >= 5_000)
                try bench.run(milliseconds: 500, answers: false)
            }
            bench.estimator.update(at: bench.now)
            while bench.estimator.pollProbe(at: bench.now) != nil {}
            let deadline = bench.estimator.nextDeadline
            #expect(deadline > bench.now)
        }
    }
}
