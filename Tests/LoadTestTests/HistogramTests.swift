import FixedCollections
import TestSupport
import Testing

@testable import LoadTest

struct HistogramTests {
    @Test func `percentiles are those of the values themselves, to within two per cent`() {
        var generator = SeededGenerator(seed: 7)
        var histogram = Histogram()
        // From microseconds to seconds, as delays are spread.
        let values = (0..<20_000).map { _ in
            Int64.random(in: 1_000...2_000, using: &generator) << Int64.random(in: 0...20, using: &generator)
        }
        for value in values { histogram.record(.nanoseconds(value)) }
        let sorted = values.sorted()
        for share in [0.01, 0.5, 0.95, 0.99, 0.999, 1] {
            let exact = Double(sorted[max(0, Int((share * 20_000).rounded(.up)) - 1)])
            let found = Double(histogram.percentile(share)?.wholeNanoseconds ?? 0)
            // Below 64 µs a bucket is a microsecond.
            #expect(abs(found - exact) <= max(exact * 0.02, 1_000), "at \(share)")
        }
        #expect(histogram.count == 20_000)
    }

    @Test func `a window is what the end has more than the start`() {
        var histogram = Histogram()
        for _ in 0..<100 { histogram.record(.milliseconds(5)) }
        let start = histogram
        for _ in 0..<10 { histogram.record(.milliseconds(80)) }
        histogram.subtract(start)
        #expect(histogram.count == 10)
        let median = histogram.percentile(0.5)?.wholeMilliseconds
        #expect(median == 80 || median == 79)
        var both = start
        both.add(histogram)
        #expect(both.count == 110)
    }

    @Test func `nothing recorded has no percentile, and too long a time counts as the longest`() {
        var histogram = Histogram()
        #expect(histogram.percentile(0.5) == nil)
        #expect(histogram.mean == nil)
        histogram.record(.seconds(100_000))
        histogram.record(.seconds(-1))
        #expect(histogram.percentile(0) == .zero)
        #expect((histogram.percentile(1)?.wholeMilliseconds ?? 0) > 100_000)
    }
}
