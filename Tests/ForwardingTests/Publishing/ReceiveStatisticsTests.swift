import FixedCollections
import Testing
import Wire

@testable import Forwarding

@Suite struct ReceiveStatisticsTests {
    private var statistics = ReceiveStatistics(clockRate: 90_000)

    private mutating func record(_ number: Int64, restarted: Bool = false) {
        statistics.record(
            extended: 65_536 + number, timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: number * 3_000)),
            length: 100, at: Instant(nanoseconds: number * 33_333_333), restarted: restarted)
    }

    @Test mutating func `loss is counted and told in 256ths of what was expected since the last report`() {
        for number in Int64(0)..<100 where number % 4 != 1 { record(number) }
        #expect(statistics.packets == 75)
        #expect(statistics.cumulativeLost == 25)
        #expect(statistics.takeInterval().fractionLost == 64)
        for number in Int64(100)..<200 { record(number) }
        #expect(statistics.takeInterval().fractionLost == 0)
        #expect(statistics.cumulativeLost == 25)
    }

    @Test mutating func `nothing new is no loss`() {
        #expect(statistics.takeInterval().fractionLost == 0)
        record(0)
        record(9)
        #expect(statistics.takeInterval().fractionLost == 204)
        #expect(statistics.takeInterval().fractionLost == 0)
    }

    @Test mutating func `late packets take back what was lost, and loss may be negative`() {
        record(5)
        record(7)
        #expect(statistics.cumulativeLost == 1)
        record(6)
        #expect(statistics.cumulativeLost == 0)
        record(4)
        #expect(statistics.cumulativeLost == -1)
        #expect(statistics.takeInterval().fractionLost == 0)
    }

    @Test mutating func `cumulative loss stays within signed 24 bits`() {
        record(0)
        record(20_000_000)
        #expect(statistics.cumulativeLost == 0x7f_ffff)
    }

    @Test mutating func `the highest number counts the wraps`() {
        record(65_535)
        #expect(statistics.highestSequence == 65_535)
        record(65_536 + 2)
        #expect(statistics.highestSequence == 1 << 16 | 2)
        record(65_536 + 1)
        #expect(statistics.highestSequence == 1 << 16 | 2)
    }

    @Test mutating func `a restart begins anew but keeps the bytes`() {
        record(0)
        record(50)
        record(200_000, restarted: true)
        #expect(statistics.packets == 1)
        #expect(statistics.cumulativeLost == 0)
        #expect(statistics.takeInterval().fractionLost == 0)
        #expect(statistics.bytes == 300)
    }

    @Test mutating func `a steady stream has no jitter`() {
        for number in Int64(0)..<300 { record(number) }
        #expect(statistics.jitter <= 1)
    }

    @Test mutating func `jitter follows RFC 3550 A 8`() {
        // Every other packet comes 10 ms late: differences of 900 ticks, towards which the mean climbs by sixteenths.
        var expected = 0.0
        for number in Int64(0)..<200 {
            let late = number % 2 == 1 ? Int64(10_000_000) : 0
            statistics.record(
                extended: number, timestamp: RTPTimestamp(UInt32(number * 1_800)), length: 1,
                at: Instant(nanoseconds: number * 20_000_000 + late), restarted: false)
            if number > 0 { expected += (900 - expected) / 16 }
        }
        #expect(abs(Double(statistics.jitter) - expected) < 16)
        #expect(statistics.jitter > 850)
    }

    @Test mutating func `timestamps that wrap or jump are no jitter`() {
        for number in Int64(0)..<200 {
            let jump: UInt32 = number >= 100 ? 1_000_000_000 : 0
            statistics.record(
                extended: number,
                timestamp: RTPTimestamp(UInt32.max - 50_000 &+ UInt32(number * 1_800) &+ jump), length: 1,
                at: Instant(nanoseconds: number * 20_000_000), restarted: false)
        }
        #expect(statistics.jitter <= 1)
    }
}
