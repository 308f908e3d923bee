import FixedCollections
import Testing

@testable import Forwarding

@Suite struct RateControlTests {
    private static func after(_ milliseconds: Int) -> Instant {
        Instant(nanoseconds: Int64(milliseconds) * 1_000_000)
    }

    @Test func `a rate grows by 8 % a second while nothing speaks against it`() {
        var control = RateControl(start: 1e6, lowest: 30_000)
        for step in 0...100 {
            control.update(.normal, RateInput(throughput: control.rate), at: Self.after(step * 100))
        }
        // Ten seconds.
        #expect(abs(control.rate / 2.16e6 - 1) < 0.04)
    }

    @Test
    func `overuse cuts it to 85 % of what comes through, and again when what was sent since then shows it`() {
        var control = RateControl(start: 2e6, lowest: 30_000)
        var input = RateInput(throughput: 1e6, queueing: 0.04, roundTrip: 0.05)
        input.newestSent = Self.after(950)
        control.update(.overuse, input, at: Self.after(1_000))
        #expect(control.rate == 850_000)
        // The queue that the cut was for is still being reported on.
        input.newestSent = Self.after(1_050)
        control.update(.overuse, input, at: Self.after(3_000))
        #expect(control.rate == 850_000)
        // It was far from enough.
        input.throughput = 500_000
        control.update(.overuse, input, at: Self.after(3_100))
        #expect(control.rate == 425_000)
        input.newestSent = Self.after(3_500)
        control.update(.overuse, input, at: Self.after(3_600))
        #expect(control.rate == 361_250)
    }

    @Test func `a rising delay without a queue is jitter`() {
        var control = RateControl(start: 2e6, lowest: 30_000)
        control.update(.overuse, RateInput(throughput: 1e6, queueing: 0.01), at: Self.after(1_000))
        #expect(control.rate == 2e6)
    }

    @Test func `a delay that has become another one, and rises no more, isn't a queue that grows`() {
        var control = RateControl(start: 2e6, lowest: 30_000)
        var input = RateInput(throughput: 1e6, queueing: 0.05)
        input.isRising = false
        control.update(.overuse, input, at: Self.after(1_000))
        #expect(control.rate == 2e6)
    }

    @Test func `a deep queue is drained below the rate, for three seconds at most`() {
        var control = RateControl(start: 2e6, lowest: 30_000)
        let input = RateInput(throughput: 1e6, queueing: 0.4, roundTrip: 0.05)
        control.update(.overuse, input, at: Self.after(1_000))
        #expect(control.isDraining)
        #expect(abs(control.target - 510_000) < 1)
        control.update(.normal, RateInput(throughput: 1e6, queueing: 0.01), at: Self.after(1_500))
        #expect(control.target == control.rate)
        control.update(.overuse, input, at: Self.after(2_000))
        for step in 1...40 {
            control.update(.underuse, input, at: Self.after(2_000 + step * 100))
        }
        #expect(!control.isDraining)
    }

    @Test func `what isn't used isn't raised`() {
        var control = RateControl(start: 1e6, lowest: 30_000)
        for step in 0...300 {
            control.update(.normal, RateInput(throughput: 700_000), at: Self.after(step * 100))
        }
        #expect(control.rate == 1_060_000)
    }

    @Test func `loss beyond the link's own holds it, and so does a standing queue`() {
        var control = RateControl(start: 1e6, lowest: 30_000)
        for step in 0...20 {
            var input = RateInput(throughput: 1e6)
            if step % 2 == 0 { input.mayRaise = false } else { input.queueing = 0.06 }
            control.update(.normal, input, at: Self.after(step * 100))
        }
        #expect(control.rate == 1e6)
    }

    @Test func `near the known capacity all flows take equal steps`() {
        var small = RateControl(start: 1e6, lowest: 30_000)
        var large = RateControl(start: 3e6, lowest: 30_000)
        let queue = RateInput(throughput: 1e6, queueing: 0.03)
        small.update(.overuse, queue, at: Self.after(1_000))
        large.update(.overuse, RateInput(throughput: 3e6, queueing: 0.03), at: Self.after(1_000))
        let before = (small.rate, large.rate)
        for step in 1...10 {
            let now = Self.after(1_000 + step * 100)
            small.update(.normal, RateInput(throughput: small.rate), at: now)
            large.update(.normal, RateInput(throughput: large.rate), at: now)
        }
        let steps = (small.rate - before.0, large.rate - before.1)
        #expect(steps.0 > 30_000)
        #expect(abs(steps.0 / steps.1 - 1) < 0.1)
    }

    @Test func `it stays within its bounds`() {
        var control = RateControl(start: 1e6, lowest: 30_000)
        control.highest = 1.1e6
        for step in 0...100 {
            control.update(.normal, RateInput(throughput: control.rate), at: Self.after(step * 100))
        }
        #expect(control.rate == 1.1e6)
        for step in 0...100 {
            let input = RateInput(throughput: 1_000, queueing: 0.3)
            control.update(.overuse, input, at: Self.after(20_000 + step * 500))
        }
        #expect(control.rate == 30_000)
        #expect(control.target == 30_000)
    }

    @Test func `a meter tells what came in the last quarter of a second`() {
        var meter = RateMeter()
        for millisecond in 0..<1_000 where millisecond % 8 == 0 {
            meter.add(1_000, at: Self.after(millisecond))
        }
        #expect(abs((meter.bitsPerSecond ?? 0) / 1e6 - 1) < 0.05)
        for millisecond in 1_000..<1_300 where millisecond % 8 == 0 {
            meter.add(250, at: Self.after(millisecond))
        }
        #expect(abs((meter.bitsPerSecond ?? 0) / 250_000 - 1) < 0.05)
        #expect(meter.bitsPerSecond(at: Self.after(1_900)) ?? 1 == 0)
        meter.add(100, at: Self.after(60_000))
        #expect(meter.bitsPerSecond == nil)
    }
}
