/// What the delay says about the link.
enum DelaySignal: UInt8, Sendable, BitwiseCopyable {
    case normal, overuse, underuse
}

/// Compares the trend of the delay with a threshold that adapts to how much the link jitters, so that a flow neither starves
/// beside one that fills the queue nor takes jitter for congestion (Carlucci et al. section V;
/// draft-ietf-rmcat-gcc-02 section 5.4).
struct OveruseDetector: BitwiseCopyable {
    private static var gain: Double { 4 }
    private static var mostDeltas: Int { 60 }
    /// How fast the threshold follows, a millisecond.
    private static var rising: Double { 0.0087 }
    private static var falling: Double { 0.039 }
    /// Trends farther above the threshold are no jitter to get used to.
    private static var outlier: Double { 15 }
    /// Milliseconds that the trend must have been above the threshold.
    private static var persistence: Double { 10 }

    private(set) var threshold = 12.5
    private(set) var signal = DelaySignal.normal
    private var timeOver: Double?
    private var timesOver = 0
    private var lastSlope = 0.0
    private var lastUpdate: Double?

    mutating func update(_ trend: Trendline, after delta: GroupDelta) {
        guard trend.deltas >= 2 else { return }
        let slope = trend.slope
        let value = Double(min(trend.deltas, Self.mostDeltas)) * slope * Self.gain
        if value > threshold {
            // Half of the first interval, since it began somewhere within it.
            timeOver = timeOver.map { $0 + delta.sent } ?? delta.sent / 2
            timesOver += 1
            if timeOver ?? 0 > Self.persistence, timesOver > 1, slope >= lastSlope {
                timeOver = 0
                timesOver = 0
                signal = .overuse
            }
        } else {
            timeOver = nil
            timesOver = 0
            signal = value < -threshold ? .underuse : .normal
        }
        lastSlope = slope
        adapt(to: abs(value), at: delta.arrival)
    }

    private mutating func adapt(to value: Double, at arrival: Double) {
        let elapsed = min(max(arrival - (lastUpdate ?? arrival), 0), 100)
        lastUpdate = arrival
        guard value <= threshold + Self.outlier else { return }
        let rate = value < threshold ? Self.falling : Self.rising
        threshold = min(max(threshold + rate * (value - threshold) * elapsed, 6), 600)
    }
}
