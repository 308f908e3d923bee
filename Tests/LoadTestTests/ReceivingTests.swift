import FixedCollections
import Testing
import Wire

@testable import LoadTest

/// A seat that gets a stream of pictures, three packets each, some of which are lost, late or repaired.
private struct SeatBench {
    var seat: SeatReceiver
    var totals = Totals()
    /// Whose pictures were the first in a taken seat.
    var shown: [Int] = []
    var now = Instant(nanoseconds: 1_000_000_000)
    let frameInterval = Duration.milliseconds(33)

    init(isVideo: Bool = true, repairs: Bool = true) {
        seat = SeatReceiver(
            mid: "2", isVideo: isVideo, ssrc: SSRC(1), rtxSSRC: repairs ? SSRC(2) : nil,
            clockRate: isVideo ? 90_000 : 48_000)
    }

    /// The packets of a frame, which is the `number`th.
    func packets(
        _ number: Int, isKey: Bool, publication: UInt32 = 1, temporal: UInt8 = 0
    ) -> [SeatReceiver.Packet] {
        (0..<3).map { index in
            SeatReceiver.Packet(
                sequence: SequenceNumber(UInt16(truncatingIfNeeded: 65_000 + number * 3 + index)),
                timestamp: RTPTimestamp(UInt32(number * 3_000)), marker: index == 2,
                content: .media(startsFrame: index == 0, isKey: isKey),
                stamp: Stamp(
                    sentAt: now - .milliseconds(4), publication: publication, frame: UInt32(number),
                    packet: UInt16(index), packets: 3, isKey: isKey, temporal: temporal),
                isRetransmission: false)
        }
    }

    mutating func take(_ packet: SeatReceiver.Packet, repaired: Bool = false) {
        var packet = packet
        packet.isRetransmission = repaired
        if let number = seat.receive(packet, now: now, totals: &totals).shownAnew { shown.append(number) }
    }

    mutating func takeFrame(
        _ number: Int, isKey: Bool = false, publication: UInt32 = 1, temporal: UInt8 = 0
    ) {
        let all = packets(number, isKey: isKey, publication: publication, temporal: temporal)
        for packet in all { take(packet) }
        now += frameInterval
    }

    mutating func pass(_ duration: Duration) {
        now += duration
        seat.handleTimeout(now: now, totals: &totals)
    }
}

struct ReceivingTests {
    @Test func `somebody else is a seat switch, another encoding of the same one a layer switch`() {
        var bench = SeatBench()
        for frame in 0..<3 { bench.takeFrame(frame, isKey: frame == 0, publication: 8 | 1) }
        for frame in 3..<6 { bench.takeFrame(frame, isKey: frame == 3, publication: 8 | 2) }
        #expect((bench.totals.seatSwitches, bench.totals.layerSwitches) == (0, 1))
        for frame in 6..<9 { bench.takeFrame(frame, isKey: frame == 6, publication: 16 | 1) }
        #expect((bench.totals.seatSwitches, bench.totals.layerSwitches) == (1, 1))
        #expect(bench.totals.layers.encodings == [6, 3, 0])
        #expect(bench.shown == [2])
    }

    @Test func `whose seat it is is shown from their first whole picture on`() {
        var bench = SeatBench()
        #expect(bench.seat.shown == nil)
        for frame in 0..<3 { bench.takeFrame(frame, isKey: frame == 0, publication: 8 | 1) }
        #expect(bench.seat.shown == 1)
        // It can't be decoded without a key frame.
        bench.takeFrame(3, publication: 16 | 1)
        #expect(bench.seat.shown == nil)
        bench.takeFrame(4, isKey: true, publication: 16 | 1)
        #expect(bench.seat.shown == 2)
    }

    @Test func `temporal layers that no longer come are a layer switch, once`() {
        var bench = SeatBench()
        let pattern: [UInt8] = [0, 2, 1, 2]
        for frame in 0..<64 { bench.takeFrame(frame, isKey: frame == 0, temporal: pattern[frame % 4]) }
        #expect(bench.totals.layerSwitches == 0)
        for frame in 64..<128 { bench.takeFrame(frame, temporal: 0) }
        #expect(bench.totals.layerSwitches == 1)
        #expect(bench.totals.layers.temporal == [80, 16, 32])
    }

    @Test func `media of somebody else than was named is wrong once, after events had time`() {
        var bench = SeatBench()
        bench.seat.occupancy.announced = .somebody(1)
        for frame in 0..<150 { bench.takeFrame(frame, isKey: frame == 0, publication: 8 | 1) }
        #expect(bench.totals.wrongSeats == 0)
        for frame in 150..<200 { bench.takeFrame(frame, isKey: frame == 150, publication: 16 | 1) }
        #expect(bench.totals.wrongSeats == 0)
        for frame in 200..<400 { bench.takeFrame(frame, publication: 16 | 1) }
        #expect(bench.totals.wrongSeats == 1)
    }

    @Test func `the last word before a seat went to one who is silent isn't held against the next speaker`() {
        let start = Instant(nanoseconds: 1_000_000_000)
        var seat = SeatOccupancy()
        seat.announced = .somebody(1)
        // Both the one who spoke last and another one speak a moment before it is announced.
        for next in [2, 3] {
            let heard = [
                seat.isWrong(2, now: start), seat.isWrong(next, now: start + .seconds(5)),
            ]
            seat.announced = .somebody(next)
            let named = seat.isWrong(next, now: start + .seconds(6))
            #expect(heard == [false, false] && !named)
            seat.announced = .somebody(1)
        }
    }

    @Test func `media that comes for long enough only when two people's are taken together isn't wrong`() {
        let start = Instant(nanoseconds: 1_000_000_000)
        var seat = SeatOccupancy()
        seat.announced = .somebody(1)
        let heard = (0..<50).map { seat.isWrong($0 < 25 ? 2 : 3, now: start + .milliseconds(100 * $0)) }
        #expect(!heard.contains(true))
        let more = (50..<60).map { seat.isWrong(3, now: start + .milliseconds(100 * $0)) }
        #expect(more.count { $0 } == 1)
    }

    @Test func `a voice has a gap where packets are lost or too late, not where it is silent`() {
        var gaps = VoiceGaps()
        var now = Instant(nanoseconds: 1_000_000_000)
        var (clock, found) = (UInt32(7), UInt64(0))
        func pass(_ milliseconds: Int, played: Int, skipped: Int = 0) {
            now += .milliseconds(milliseconds)
            clock &+= UInt32(played * 48)
            found += gaps.took(RTPTimestamp(clock), skipped: skipped, now: now)
        }
        for _ in 0..<50 { pass(20, played: 20) }
        pass(400, played: 400)
        pass(70, played: 20)
        #expect(found == 0)
        pass(90, played: 20)
        #expect(found == 1)
        // Out of order only.
        pass(20, played: 40, skipped: 1)
        gaps.filled()
        for _ in 0..<10 { pass(20, played: 20) }
        #expect(found == 1)
        pass(20, played: 40, skipped: 1)
        for _ in 0..<10 { pass(20, played: 20) }
        #expect(found == 2)
    }

    @Test func `what was sent before its publication had the seat is no measure of delay`() {
        var bench = SeatBench()
        for frame in 0..<3 { bench.takeFrame(frame, isKey: frame == 0) }
        let before = bench.totals.videoDelay.count
        // A second old, out of a cache, all at once.
        let old = (3..<6).flatMap { bench.packets($0, isKey: $0 == 3, publication: 17) }
        bench.now += .seconds(1)
        for packet in old { bench.take(packet) }
        #expect(bench.totals.videoDelay.count == before)
        #expect(bench.totals.fromCache >= 9)
        #expect(bench.totals.framesReceived == 6)
        bench.now += .milliseconds(10)
        bench.takeFrame(6, publication: 17)
        #expect(bench.totals.videoDelay.count == before + 3)
    }

    @Test func `what comes whole and in order is counted once, over a wrap of the numbers`() {
        var bench = SeatBench()
        bench.takeFrame(0, isKey: true)
        for frame in 1..<400 { bench.takeFrame(frame) }
        let totals = bench.totals
        #expect(totals.expected == 1_200)
        #expect(totals.original == 1_200)
        #expect(totals.lost == 0)
        #expect(totals.framesReceived == 400)
        #expect(totals.freezes == 0)
        // The first packet's own sending was before it came.
        #expect(totals.videoDelay.count == 1_197)
        let delay = totals.videoDelay.percentile(0.5)?.wholeNanoseconds ?? 0
        #expect(abs(delay - 4_000_000) < 80_000)
    }

    @Test func `a packet that is missing is asked for after 10 ms, and repaired`() {
        var bench = SeatBench()
        bench.takeFrame(0, isKey: true)
        let broken = bench.packets(1, isKey: false)
        bench.take(broken[0])
        bench.take(broken[2])
        var asked: [SequenceNumber] = []
        bench.seat.takeMissing(now: bench.now + .milliseconds(9), into: &asked)
        #expect(asked.isEmpty)
        bench.seat.takeMissing(now: bench.now + .milliseconds(10), into: &asked)
        #expect(asked == [broken[1].sequence])
        bench.now += .milliseconds(30)
        bench.take(broken[1], repaired: true)
        #expect(bench.totals.lost == 0)
        #expect(bench.totals.lostBeforeRepair == 1)
        #expect(bench.totals.repaired == 1)
        #expect(bench.totals.framesReceived == 2)
        asked = []
        bench.seat.takeMissing(now: bench.now + .seconds(1), into: &asked)
        #expect(asked.isEmpty)
    }

    @Test func `what isn't repaired in half a second breaks the picture up to the next key frame`() {
        var bench = SeatBench()
        bench.takeFrame(0, isKey: true)
        bench.take(bench.packets(1, isKey: false)[0])
        bench.now += bench.frameInterval
        for frame in 2..<20 { bench.takeFrame(frame) }
        bench.pass(.milliseconds(1))
        #expect(bench.totals.framesLost == 1)
        #expect(bench.totals.framesReceived == 1)
        #expect(bench.seat.wantsKeyFrame)
        for frame in 20..<25 { bench.takeFrame(frame) }
        #expect(bench.totals.framesReceived == 1)
        bench.takeFrame(25, isKey: true)
        bench.takeFrame(26)
        #expect(bench.totals.framesReceived == 3)
        #expect(bench.totals.freezes == 1)
        // From frame 0 to frame 25.
        let frozen = Duration.nanoseconds(Int64(bench.totals.frozenNanoseconds))
        #expect(abs((frozen - bench.frameInterval * 25).wholeMilliseconds) <= 1)
    }

    @Test(arguments: [(49, 0), (50, 1)])
    func `what hasn't come is lost when a later one has been there for 50 ms`(milliseconds: Int, lost: Int) {
        var bench = SeatBench()
        bench.takeFrame(0, isKey: true)
        let broken = bench.packets(1, isKey: false)
        bench.take(broken[0])
        bench.take(broken[2])
        let next = bench.packets(2, isKey: false)
        bench.now += .milliseconds(milliseconds)
        bench.take(next[0])
        #expect(bench.totals.lostBeforeRepair == lost)
        #expect(bench.totals.expected == 6 + lost)
        // As it was sent, only very late: no loss after all.
        bench.take(broken[1])
        #expect(bench.totals.lostBeforeRepair == 0)
        #expect(bench.totals.reordered == 1)
        #expect(bench.totals.expected == 7)
    }

    @Test func `two packets that change places are no loss, and nothing is asked for`() {
        var bench = SeatBench()
        bench.takeFrame(0, isKey: true)
        let frame = bench.packets(1, isKey: false)
        for index in [0, 2, 1] { bench.take(frame[index]) }
        var asked: [SequenceNumber] = []
        bench.seat.takeMissing(now: bench.now + .seconds(1), into: &asked)
        #expect(asked.isEmpty)
        #expect(bench.totals.reordered == 1)
        #expect(bench.totals.lostBeforeRepair == 0)
        #expect(bench.totals.framesReceived == 2)
    }

    @Test func `a packet that comes twice counts once`() {
        var bench = SeatBench()
        bench.takeFrame(0, isKey: true)
        for packet in bench.packets(0, isKey: true) { bench.take(packet) }
        #expect(bench.totals.duplicates == 3)
        #expect(bench.totals.original == 3)
        #expect(bench.totals.lost == 0)
    }

    @Test func `a pause while another takes the seat is no freeze`() {
        var bench = SeatBench()
        bench.takeFrame(0, isKey: true)
        bench.takeFrame(1)
        bench.now += .seconds(3)
        bench.takeFrame(2, isKey: true, publication: 17)
        bench.takeFrame(3, publication: 17)
        #expect(bench.totals.freezes == 0)
        bench.now += .seconds(3)
        bench.takeFrame(4, publication: 17)
        #expect(bench.totals.freezes == 1)
    }

    @Test func `nothing is shown before the first key frame, which is asked for twice a second`() {
        var bench = SeatBench()
        var requests = 0
        for frame in 0..<60 {
            bench.takeFrame(frame)
            if bench.seat.wantsKeyFrame { requests += 1 }
            bench.seat.wantsKeyFrame = false
        }
        #expect(bench.totals.framesReceived == 0)
        // Two seconds.
        #expect((3...5).contains(requests))
    }

    @Test func `padding between pictures is no picture`() {
        var bench = SeatBench(repairs: false)
        bench.takeFrame(0, isKey: true)
        var padding = bench.packets(1, isKey: false)[0]
        padding.content = .padding
        padding.stamp = nil
        padding.marker = false
        bench.take(padding)
        let next = bench.packets(1, isKey: false)
        // The numbers behind the padding.
        for (index, var packet) in next.enumerated() {
            packet.sequence = padding.sequence.advanced(by: 1 + index)
            bench.take(packet)
        }
        #expect(bench.totals.framesReceived == 2)
    }

    @Test func `a report says what is lost since the last one, and since the start`() throws {
        var bench = SeatBench(repairs: false)
        bench.takeFrame(0, isKey: true)
        bench.take(bench.packets(1, isKey: false)[2])
        let firstReport = bench.seat.report(now: bench.now)
        let first = try #require(firstReport)
        #expect(first.cumulativeLost == 2)
        #expect(first.fractionLost == UInt8(2 * 256 / 6))
        bench.takeFrame(2)
        let secondReport = bench.seat.report(now: bench.now)
        let second = try #require(secondReport)
        #expect(second.cumulativeLost == 2)
        #expect(second.fractionLost == 0)
        #expect(second.highestSequenceNumber & 0xffff == UInt32(65_000 + 8))
    }
}
