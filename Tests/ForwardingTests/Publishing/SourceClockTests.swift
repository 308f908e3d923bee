import FixedCollections
import Testing
import Wire

@testable import Forwarding

@Suite struct SourceClockTests {
    private var clock = SourceClock()

    @Test func `there is no reading before a report`() {
        #expect(clock.reading(at: .zero, clockRate: 90_000)?.ntp == nil)
        #expect(clock.lastReport == 0)
        #expect(clock.updatedAt == nil)
    }

    @Test(arguments: [8_000, 48_000, 90_000]) mutating func `both sides move on by the same time`(rate: Int) {
        let ntp = NTPTime(sinceUnixEpoch: .seconds(1_700_000_000))
        clock.update(ntp: ntp, timestamp: RTPTimestamp(.max - 100), at: Instant(nanoseconds: 7))
        for milliseconds in [0, 1, 333, 5_000, 600_000] {
            let now = Instant(nanoseconds: 7 + Int64(milliseconds) * 1_000_000)
            guard let reading = clock.reading(at: now, clockRate: rate) else {
                Issue.record("no reading")
                return
            }
            let ticks = reading.timestamp.distance(from: RTPTimestamp(.max - 100))
            #expect(abs(ticks - milliseconds * rate / 1_000) <= 1)
            let elapsed = reading.ntp.elapsed(since: ntp)
            let expected = Duration.nanoseconds(Int64(ticks) * 1_000_000_000 / Int64(rate))
            #expect(abs((elapsed - expected).wholeNanoseconds) <= 1_000)
        }
    }

    @Test mutating func `a reading before the report's arrival is the report`() {
        let ntp = NTPTime(rawValue: 1 << 40)
        clock.update(ntp: ntp, timestamp: RTPTimestamp(5), at: Instant(nanoseconds: 1_000))
        let reading = clock.reading(at: .zero, clockRate: 90_000)
        #expect(reading?.ntp == ntp)
        #expect(reading?.timestamp == RTPTimestamp(5))
        #expect(clock.lastReport == ntp.middle)
    }

    @Test(arguments: [0, 1, 333, 20_000, -700]) func `one source's timestamps lead to another's`(apart: Int) {
        let ntp = NTPTime(sinceUnixEpoch: .seconds(1_700_000_000))
        let later = NTPTime(sinceUnixEpoch: .seconds(1_700_000_000) + .milliseconds(apart))
        var (one, two) = (SourceClock(), SourceClock())
        #expect(one.offset(to: two, clockRate: 90_000) == nil)
        one.update(ntp: later, timestamp: RTPTimestamp(1_000), at: .zero)
        #expect(one.offset(to: two, clockRate: 90_000) == nil)
        two.update(ntp: ntp, timestamp: RTPTimestamp(.max - 9), at: .zero)
        // At the time of the first one's report, the second one's clock is this much further.
        let expected = UInt32.max - 9 &+ UInt32(truncatingIfNeeded: apart * 90)
        #expect(one.offset(to: two, clockRate: 90_000).map { 1_000 &+ $0 } == expected)
        #expect(two.offset(to: one, clockRate: 90_000).map { expected &+ $0 } == 1_000)
    }
}
