/// Whether the one-way delay rises: the slope of a line through the last 20 groups' smoothed delays, by least squares.
///
/// The filter that replaced the Kalman filter of Carlucci et al., "Congestion Control for Web Real-Time Communication"
/// (IEEE/ACM ToN 2017), in its implementations; a slope of 0.1 says that the queue grows by 100 ms a second.
struct Trendline: BitwiseCopyable {
    private struct Sample: BitwiseCopyable {
        var time = 0.0
        var delay = 0.0
    }

    private static var window: Int { 20 }
    private static var leastSamples: Int { 10 }
    private static var smoothing: Double { 0.9 }

    private var samples = InlineArray<20, Sample>(repeating: Sample())
    private var next = 0
    private var used = 0
    private var origin: Double?
    private var accumulated = 0.0
    private var smoothed = 0.0
    /// Comparisons seen, as far as they matter.
    private(set) var deltas = 0
    private(set) var slope = 0.0

    mutating func add(_ delta: GroupDelta) {
        let start = origin ?? delta.arrival
        origin = start
        deltas = min(deltas + 1, 1_000)
        accumulated += delta.delay
        smoothed = Self.smoothing * smoothed + (1 - Self.smoothing) * accumulated
        samples[next] = Sample(time: delta.arrival - start, delay: smoothed)
        next = (next + 1) % Self.window
        used = min(used + 1, Self.window)
        if used >= Self.leastSamples, let fitted = fit() { slope = fitted }
    }

    /// One pass, times counted from the newest sample: sums of squares stay small.
    private func fit() -> Double? {
        let samples = samples.span
        let newest = samples[(next + Self.window - 1) % Self.window].time
        var time = 0.0
        var delay = 0.0
        var product = 0.0
        var square = 0.0
        for index in 0..<used {
            let distance = samples[index].time - newest
            time += distance
            delay += samples[index].delay
            product += distance * samples[index].delay
            square += distance * distance
        }
        let count = Double(used)
        let variance = square - time * time / count
        return variance > 0 ? (product - time * delay / count) / variance : nil
    }
}
