import FixedCollections
import Testing
import Wire
import TestSupport

/// What a sender learns from feedback: the last word on each packet, its arrival in ticks of 250 µs, or `lost`.
private struct Learned {
    static let lost = -1

    var arrivals: [UInt16: Int] = [:]
    var messages = 0
    var largest = 0

    mutating func take(from builder: inout TransportFeedbackBuilder) throws {
        while true {
            var bytes = [UInt8](repeating: 0xEE, count: 1_500)
            var span = bytes.mutableSpan
            let length = try builder.write(sender: SSRC(1), media: SSRC(2), into: &span, at: 0)
            if length == 0 { return }
            let datagram = Array(bytes.prefix(length))
            var reader = RTCPReader()
            let packet = try #require(try reader.next(in: datagram.span))
            let rest = try reader.next(in: datagram.span)
            try #require(rest == nil)
            let body = Array(datagram[packet.range])
            var feedback = try TransportFeedback.parse(body.span)
            try #require(Int(feedback.feedbackCount) == messages & 0xFF)
            while let status = feedback.next(in: body.span) {
                let ticks = Int(feedback.referenceTime) * 256 + status.arrivalTicks
                arrivals[status.sequenceNumber.rawValue] = status.isReceived ? ticks : Self.lost
            }
            messages += 1
            largest = max(largest, length)
        }
    }
}

@Suite struct TransportFeedbackBuilderTests {
    private func at(ticks: Int) -> Instant {
        // In the middle of a tick: rounding is down.
        Instant(nanoseconds: Int64(ticks) * 250_000 + 125_000)
    }

    @Test func `nothing recorded, nothing written`() throws {
        var builder = TransportFeedbackBuilder()
        var learned = Learned()
        try learned.take(from: &builder)
        #expect(learned.messages == 0)
        let isPending = builder.isPending
        #expect(!isPending)
    }

    @Test func `arrivals and gaps are told once`() throws {
        var builder = TransportFeedbackBuilder()
        builder.record(SequenceNumber(65_534), at: at(ticks: 1_000))
        builder.record(SequenceNumber(1), at: at(ticks: 1_010))
        builder.record(SequenceNumber(2), at: at(ticks: 2_000))
        var learned = Learned()
        try learned.take(from: &builder)
        #expect(
            learned.arrivals == [65_534: 1_000, 65_535: Learned.lost, 0: Learned.lost, 1: 1_010, 2: 2_000])
        #expect(learned.messages == 1)
        try learned.take(from: &builder)
        #expect(learned.messages == 1)
    }

    @Test func `losses before the first arrival of the next message are told`() throws {
        var builder = TransportFeedbackBuilder()
        var learned = Learned()
        builder.record(SequenceNumber(1), at: at(ticks: 10))
        try learned.take(from: &builder)
        builder.record(SequenceNumber(4), at: at(ticks: 20))
        try learned.take(from: &builder)
        #expect(learned.arrivals == [1: 10, 2: Learned.lost, 3: Learned.lost, 4: 20])
    }

    @Test func `a packet that comes after its loss was told is told again`() throws {
        var builder = TransportFeedbackBuilder()
        var learned = Learned()
        builder.record(SequenceNumber(1), at: at(ticks: 10))
        builder.record(SequenceNumber(3), at: at(ticks: 12))
        try learned.take(from: &builder)
        #expect(learned.arrivals[2] == Learned.lost)
        builder.record(SequenceNumber(2), at: at(ticks: 40))
        try learned.take(from: &builder)
        #expect(learned.arrivals == [1: 10, 2: 40, 3: 12])
    }

    @Test func `a repeated packet keeps its first arrival`() throws {
        var builder = TransportFeedbackBuilder()
        var learned = Learned()
        builder.record(SequenceNumber(1), at: at(ticks: 10))
        builder.record(SequenceNumber(1), at: at(ticks: 99))
        try learned.take(from: &builder)
        builder.record(SequenceNumber(1), at: at(ticks: 100))
        let isPending = builder.isPending
        #expect(!isPending)
        #expect(learned.arrivals == [1: 10])
    }

    @Test func `a pause too long for a delta begins a new message`() throws {
        var builder = TransportFeedbackBuilder()
        var learned = Learned()
        builder.record(SequenceNumber(1), at: at(ticks: 0))
        builder.record(SequenceNumber(2), at: at(ticks: 32_767))
        builder.record(SequenceNumber(3), at: at(ticks: 32_767 + 32_768))
        try learned.take(from: &builder)
        #expect(learned.arrivals == [1: 0, 2: 32_767, 3: 65_535])
        #expect(learned.messages == 2)
    }

    @Test(arguments: [1_024, 5_000, 40_000])
    func `a jump of the numbers starts anew`(jump: Int) throws {
        var builder = TransportFeedbackBuilder()
        var learned = Learned()
        builder.record(SequenceNumber(100), at: at(ticks: 1))
        builder.record(SequenceNumber(100).advanced(by: jump), at: at(ticks: 2))
        try learned.take(from: &builder)
        #expect(learned.arrivals == [SequenceNumber(100).advanced(by: jump).rawValue: 2])
    }

    @Test func `what was never asked for falls out of the window`() throws {
        var builder = TransportFeedbackBuilder(capacity: 64)
        for number in 0..<200 { builder.record(SequenceNumber(UInt16(number)), at: at(ticks: number)) }
        var learned = Learned()
        try learned.take(from: &builder)
        #expect(learned.arrivals.count == 64)
        #expect(learned.arrivals[136] == 136 && learned.arrivals[199] == 199)
    }

    @Test func `a burst is split into messages of at most 1200 bytes`() throws {
        var builder = TransportFeedbackBuilder(capacity: 4_096)
        // Alternating deltas of 300 ticks: two bytes each, in two-bit vectors.
        for number in 0..<4_000 {
            builder.record(SequenceNumber(UInt16(number)), at: at(ticks: number * 300 + number % 3))
        }
        var learned = Learned()
        try learned.take(from: &builder)
        #expect(learned.arrivals.count == 4_000)
        #expect(learned.messages >= 7 && learned.messages <= 10)
        #expect(learned.largest > 1_190 && learned.largest <= 1_200)
    }

    @Test func `a small buffer is used or refused, never overrun`() throws {
        for count in 0...40 {
            var builder = TransportFeedbackBuilder()
            for number in 0..<20 {
                builder.record(SequenceNumber(UInt16(number)), at: at(ticks: number * 400))
            }
            var bytes = [UInt8](repeating: 0, count: count)
            var span = bytes.mutableSpan
            do {
                let length = try builder.write(sender: SSRC(1), media: SSRC(2), into: &span, at: 0)
                #expect(count >= 24 && length <= count)
            } catch {
                #expect(count < 24 && error == .noSpace)
            }
        }
    }

    @Test(arguments: 1...40)
    func `with loss, reordering and repeats, the sender learns what happened`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var builder = TransportFeedbackBuilder()
        var learned = Learned()
        var truth: [UInt16: Int] = [:]
        var ticks = Int(generator.next() % 10_000_000)
        let first = SequenceNumber(UInt16(truncatingIfNeeded: generator.next()))
        var held: [SequenceNumber] = []
        for step in 0..<5_000 {
            let number = first.advanced(by: step)
            ticks += Int(generator.next() % (seed % 2 == 0 ? 8 : 400))
            switch generator.next() % 10 {
            case 0 where step > 0: break
            case 1 where step > 0: held.append(number)
            default:
                builder.record(number, at: at(ticks: ticks))
                truth[number.rawValue] = ticks
            }
            if held.count > 3 {
                let late = held.removeFirst()
                builder.record(late, at: at(ticks: ticks))
                truth[late.rawValue] = ticks
            }
            if generator.next() % 100 == 0 { try learned.take(from: &builder) }
        }
        try learned.take(from: &builder)
        let received = learned.arrivals.filter { $0.value != Learned.lost }
        #expect(received == truth)
        #expect(learned.arrivals.count > truth.count)
        #expect(learned.largest <= 1_200)
    }
}
