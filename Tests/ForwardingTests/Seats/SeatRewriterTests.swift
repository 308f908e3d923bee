import FixedCollections
import Testing
import TestSupport
import Wire

@testable import Forwarding

private func packet(
    _ encoding: Int, _ number: Int64, timestamp: UInt32 = 0, at milliseconds: Int64 = 0, picture: UInt16 = 0,
    tl0: UInt8 = 0, key: UInt8 = 0
) -> PacketInfo {
    var info = PacketInfo()
    info.encoding = EncodingID(encoding)
    info.extendedSequence = number
    info.timestamp = RTPTimestamp(timestamp)
    info.arrival = Instant(nanoseconds: milliseconds * 1_000_000)
    info.codec = .vp8
    info.frame.pictureID = picture
    info.frame.tl0PictureIndex = tl0
    info.frame.keyIndex = key
    return info
}

@Suite struct SeatRewriterTests {
    private var rewriter = SeatRewriter(clockRate: 90_000, firstSequence: 1_000)

    private mutating func begin(_ packet: PacketInfo) -> RewrittenNumbers? {
        rewriter.begin(with: packet)
        return rewriter.rewrite(packet)
    }

    private mutating func out(_ encoding: Int, _ number: Int64) -> Int64? {
        rewriter.rewrite(packet(encoding, number))?.extendedSequence
    }

    @Test mutating func `the first packet gets the first number, later ones keep their gaps`() {
        let first = begin(packet(1, 70_000))
        #expect(first?.extendedSequence == 1_000)
        let outs = [out(1, 70_001), out(1, 70_004), out(1, 70_003)]
        #expect(outs == [1_001, 1_004, 1_003])
    }

    @Test mutating func `nothing goes out before a stretch, of others or from before its first packet`() {
        let outs = [out(1, 5)]
        _ = begin(packet(1, 6))
        let others = [out(2, 7), out(1, 5)]
        #expect(outs + others == [nil, nil, nil])
    }

    @Test mutating func `a switch goes on with the next number`() {
        _ = begin(packet(1, 10))
        _ = out(1, 14)
        let first = begin(packet(2, 500))
        #expect(first?.extendedSequence == 1_005)
        // Late packets of the previous source are gone; those of the new one aren't.
        let outs = [out(1, 12), out(1, 15), out(2, 502), out(2, 501)]
        #expect(outs == [nil, nil, 1_007, 1_006])
    }

    @Test mutating func `packets that are left out leave no gap`() {
        _ = begin(packet(1, 10))
        for number in [Int64(11), 12] { rewriter.leaveOut(packet(1, number)) }
        let next = [out(1, 13), out(1, 15)]
        rewriter.leaveOut(packet(1, 16))
        let then = [out(1, 17), out(1, 14)]
        #expect(next == [1_001, 1_003])
        #expect(then == [1_004, 1_002])
    }

    @Test mutating func `leaving out the first packet moves the next one to its place`() {
        rewriter.begin(with: packet(1, 10))
        rewriter.leaveOut(packet(1, 10))
        let next = out(1, 11)
        #expect(next == 1_000)
    }

    @Test mutating func `a late packet can't be left out, and real loss ahead of one that is stays a gap`() {
        _ = begin(packet(1, 10))
        _ = out(1, 13)
        rewriter.leaveOut(packet(1, 12))
        let outs = [out(1, 14), out(1, 11)]
        #expect(outs == [1_004, 1_001])
        // 15 and 16 are under way while 17 is left out.
        rewriter.leaveOut(packet(1, 17))
        let late = [out(1, 18), out(1, 16), out(1, 15)]
        #expect(late == [1_007, 1_006, 1_005])
    }

    @Test mutating func `a restart ahead of which something was left out gives no number twice`() {
        _ = begin(packet(1, 10))
        rewriter.leaveOut(packet(1, 13))
        let first = begin(packet(1, 20))
        #expect(first?.extendedSequence == 1_001)
        let late = [out(1, 11), out(1, 12)]
        #expect(late == [nil, nil])
    }

    @Test(arguments: [UInt16(0), 0x7fff]) func `the first number is below 2 to the 15th`(number: UInt16) {
        var rewriter = SeatRewriter(clockRate: 90_000, firstSequence: number)
        rewriter.begin(with: packet(1, 65_536 + 65_535))
        let first = rewriter.rewrite(packet(1, 65_536 + 65_535))
        #expect(first?.sequence.rawValue == number)
    }

    @Test mutating func `timestamps go on by the time between the arrivals`() {
        let first = begin(packet(1, 10, timestamp: 4_000_000_000, at: 0))
        #expect(first?.timestamp == RTPTimestamp(4_000_000_000))
        let second = begin(packet(2, 10, timestamp: 77, at: 40))
        #expect(second?.timestamp == RTPTimestamp(4_000_003_600))
        // Over the wrap.
        let third = begin(packet(3, 10, timestamp: 5, at: 4_000_040))
        #expect(third?.timestamp == RTPTimestamp(4_000_003_600 &+ 360_000_000))
        // At the same moment, and even before: still after what was sent.
        let fourth = begin(packet(4, 10, timestamp: 9, at: 4_000_000))
        #expect(fourth?.timestamp == RTPTimestamp(4_000_003_601 &+ 360_000_000))
    }

    @Test mutating func `two encodings of one picture share its clock, and are never put back`() {
        _ = begin(packet(1, 10, timestamp: 5_000))
        _ = rewriter.rewrite(packet(1, 11, timestamp: 8_000, at: 33))
        // The second encoding's timestamps are 1,000 more. Its next picture comes late, and still is the next one.
        rewriter.begin(with: packet(2, 70, timestamp: 12_000, at: 80), clockOffset: 0 &- 1_000)
        let next = rewriter.rewrite(packet(2, 70, timestamp: 12_000, at: 80))
        #expect(next?.timestamp == RTPTimestamp(11_000))
        // The first one's is of a picture that was shown already: it comes just behind.
        rewriter.begin(with: packet(1, 12, timestamp: 11_000, at: 81), clockOffset: 1_000)
        let same = rewriter.rewrite(packet(1, 12, timestamp: 11_000, at: 81))
        #expect(same?.timestamp == RTPTimestamp(11_001))
        // What that cost is made good for.
        rewriter.begin(with: packet(2, 71, timestamp: 15_000, at: 113), clockOffset: 0 &- 1_000)
        let later = rewriter.rewrite(packet(2, 71, timestamp: 15_000, at: 113))
        #expect(later?.timestamp == RTPTimestamp(14_000))
    }

    @Test mutating func `a clock that can't be right isn't followed`() {
        _ = begin(packet(1, 10, timestamp: 5_000))
        rewriter.begin(with: packet(2, 70, timestamp: 12_000, at: 100), clockOffset: 1_000_000)
        let next = rewriter.rewrite(packet(2, 70, timestamp: 12_000, at: 100))
        #expect(next?.timestamp == RTPTimestamp(14_000))
    }

    @Test mutating func `a source that comes back keeps its timestamps if they fit`() {
        _ = begin(packet(1, 10, timestamp: 1_000, at: 0))
        let fits = begin(packet(1, 20, timestamp: 1_000 + 900_000 + 40, at: 10_000))
        #expect(fits?.timestamp == RTPTimestamp(901_040))
        let jumped = begin(packet(1, 200_000, timestamp: 300_000_000, at: 10_100))
        #expect(jumped?.timestamp == RTPTimestamp(901_040 + 9_000))
    }

    @Test mutating func `VP8's numbers go on over switches`() {
        let first = begin(packet(1, 10, picture: 32_767, tl0: 255, key: 31))
        #expect(first?.pictureIDOffset == 0)
        let wrapped = packet(1, 11, picture: 0, tl0: 0, key: 31)
        _ = rewriter.rewrite(wrapped)
        let second = packet(2, 10, picture: 500, tl0: 7, key: 3)
        let numbers = begin(second)
        #expect((500 &+ (numbers?.pictureIDOffset ?? 0)) & 0x7fff == 1)
        #expect(7 &+ (numbers?.tl0PictureIndexOffset ?? 0) == 1)
        #expect((3 &+ (numbers?.keyIndexOffset ?? 0)) & 31 == 0)
        // A source that counts in 7 bits, over its wrap.
        let seven = packet(3, 10, picture: 127, tl0: 9)
        let sevenNumbers = begin(seven)
        #expect((127 &+ (sevenNumbers?.pictureIDOffset ?? 0)) & 0x7f == 2)
        let next = rewriter.rewrite(packet(3, 11, picture: 0, tl0: 10))
        #expect((0 &+ (next?.pictureIDOffset ?? 0)) & 0x7f == 3)
    }

    @Test mutating func `what was sent is found again by its outgoing number`() {
        _ = begin(packet(1, 10))
        _ = out(1, 12)
        rewriter.leaveOut(packet(1, 13))
        _ = out(1, 14)
        _ = begin(packet(2, 90))
        func source(_ number: UInt16) -> [Int64]? {
            rewriter.source(ofOutgoing: SequenceNumber(number)).map {
                [Int64($0.encoding.index), $0.extended, $0.out]
            }
        }
        #expect(source(1_000) == [1, 10, 1_000])
        #expect(source(1_001) == [1, 11, 1_001])
        #expect(source(1_002) == [1, 12, 1_002])
        #expect(source(1_003) == [1, 14, 1_003])
        #expect(source(1_004) == [2, 90, 1_004])
        #expect(source(1_005) == nil)
        #expect(source(999) == nil)
        #expect(rewriter.numbers(ofSent: packet(1, 12), out: 1_002)?.extendedSequence == 1_002)
        #expect(rewriter.numbers(ofSent: packet(2, 12), out: 1_002) == nil)
    }

    @Test mutating func `a forgotten encoding's number is not taken for its successor`() {
        _ = begin(packet(1, 10))
        rewriter.forget(EncodingID(1))
        let late = out(1, 11)
        #expect(late == nil)
        #expect(rewriter.source(ofOutgoing: SequenceNumber(1_000))?.encoding == EncodingID.none)
        #expect(rewriter.timestamp(for: RTPTimestamp(5), of: EncodingID(1)) == nil)
        let next = begin(packet(1, 99_999))
        #expect(next?.extendedSequence == 1_001)
    }

    @Test mutating func `reports are mapped for the source that goes out only`() {
        _ = begin(packet(1, 10, timestamp: 50, at: 0))
        _ = begin(packet(2, 10, timestamp: 1_000_000, at: 1_000))
        #expect(rewriter.timestamp(for: RTPTimestamp(1_000_500), of: EncodingID(2)) == RTPTimestamp(90_550))
        #expect(rewriter.timestamp(for: RTPTimestamp(60), of: EncodingID(1)) == nil)
    }
}

/// Random sources in front of a rewriter, each packet of which comes once.
private struct RewriterModel {
    var generator: SeededGenerator
    var rewriter = SeatRewriter(clockRate: 90_000, firstSequence: 0x7fff)
    var next: [Int64] = [65_536, 80_000, 131_000]
    /// Numbers that were skipped and may come late.
    var late: [[Int64]] = [[], [], []]
    var current = 0
    var sent: Set<Int64> = []
    var repeats = 0
    var refused = 0

    mutating func start() {
        switchSource()
    }

    mutating func step() {
        switch generator.below(100) {
        case 0...1: switchSource()
        case 2...5: rewriter.leaveOut(packet(current, takeNext()))
        case 6...9: if let number = takeLate(current) { rewriter.leaveOut(packet(current, number)) }
        case 10...24: if let number = takeLate(current) { note(packet(current, number), mayFail: true) }
        case 25...29:
            let other = (current + 1) % 3
            if let number = takeLate(other), rewriter.rewrite(packet(other, number)) != nil { repeats += 1 }
        default: note(packet(current, takeNext()), mayFail: false)
        }
    }

    private mutating func switchSource() {
        current = generator.below(3)
        if generator.happens(0.3) { next[current] += 131_072 }
        let first = packet(current, takeNext())
        let expected = rewriter.highestSequence + 1
        rewriter.begin(with: first)
        guard let numbers = rewriter.rewrite(first), numbers.extendedSequence == expected else {
            refused += 1
            return
        }
        if !sent.insert(numbers.extendedSequence).inserted { repeats += 1 }
    }

    private mutating func takeNext() -> Int64 {
        if generator.happens(0.1) {
            for _ in 0...generator.below(4) {
                late[current].append(next[current])
                next[current] += 1
            }
            if late[current].count > 50 { late[current].removeFirst(25) }
        }
        defer { next[current] += 1 }
        return next[current]
    }

    private mutating func takeLate(_ encoding: Int) -> Int64? {
        guard !late[encoding].isEmpty else { return nil }
        return late[encoding].remove(at: generator.below(late[encoding].count))
    }

    private mutating func note(_ packet: PacketInfo, mayFail: Bool) {
        guard let numbers = rewriter.rewrite(packet) else {
            if !mayFail { refused += 1 }
            return
        }
        if !sent.insert(numbers.extendedSequence).inserted { repeats += 1 }
    }
}

@Suite struct SeatRewriterModelTests {
    @Test func `no outgoing number is given twice over a million random operations`() {
        var model = RewriterModel(generator: SeededGenerator(seed: 42))
        model.start()
        for _ in 0..<1_000_000 { model.step() }
        #expect(model.repeats == 0)
        #expect(model.refused == 0)
        #expect(model.sent.count > 600_000)
    }
}
