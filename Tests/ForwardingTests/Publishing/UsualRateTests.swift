import Testing
import Wire

@testable import Forwarding

struct UsualRateTests {
    /// The rate after each of these intervals, in kbit/s.
    private func run(_ intervals: [(rate: Int, isGoingOn: Bool)]) -> [Int] {
        var usual = UsualRate()
        return intervals.map { interval in
            usual.add(Bitrate(bitsPerSecond: interval.rate * 1_000), isGoingOn: interval.isGoingOn)
            return usual.bitrate.bitsPerSecond / 1_000
        }
    }

    @Test func `a stream that begins, ends and comes back keeps its rate`() {
        let rates = run([
            (700, true), (1_800, true), (1_800, true), (1_800, true), (90, true), (0, false), (0, false),
            (40, true), (1_750, true), (1_800, true), (1_800, true),
        ])
        #expect(rates == [700, 1_800, 1_800, 1_800, 1_800, 1_800, 1_800, 1_800, 1_800, 1_750, 1_800])
    }

    @Test func `less is believed when the stream has gone on through it`() {
        #expect(
            run([(1_000, true), (1_000, true), (400, true), (420, true), (410, true)])
                == [1_000, 1_000, 1_000, 400, 410])
    }

    @Test func `something short has a rate too`() {
        #expect(run([(0, false), (300, false), (0, false)]) == [0, 300, 300])
    }
}
