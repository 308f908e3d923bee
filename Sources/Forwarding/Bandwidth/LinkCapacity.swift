/// What the link carried when it was full: mean and spread of the throughput at the times of overuse.
///
/// Near it the rate is raised in small steps (draft-ietf-rmcat-gcc-02 section 5.5).
struct LinkCapacity: BitwiseCopyable {
    private static var weight: Double { 0.05 }

    /// Wide enough for what a cut leaves: flows that share a link get equal parts of it only if they approach it by equal
    /// steps.
    private static var near: Double { 0.84 }

    private var mean: Double?
    /// Squared deviation, relative to the mean: in kilobits squared a kilobit.
    private var variance = 0.4

    /// Whether the throughput is more than three standard deviations off.
    private func isFar(_ throughput: Double, from mean: Double) -> Bool {
        let distance = (throughput - mean) / 1_000
        return distance * distance > 9 * variance * mean / 1_000
    }

    /// The throughput at which the link was overused.
    mutating func add(_ throughput: Double) {
        if let mean, isFar(throughput, from: mean) { self.mean = nil }
        let previous = mean ?? throughput
        let updated = previous + Self.weight * (throughput - previous)
        mean = updated
        let error = (throughput - previous) / 1_000
        let spread = error * error / max(updated / 1_000, 1)
        variance = min(max((1 - Self.weight) * variance + Self.weight * spread, 0.4), 2.5)
    }

    /// Whether the throughput is near what the link carried at the most; more than it ever did means that the link has
    /// changed.
    mutating func isNear(_ throughput: Double) -> Bool {
        guard let mean else { return false }
        if throughput > mean, isFar(throughput, from: mean) {
            self.mean = nil
            return false
        }
        return throughput >= Self.near * mean
    }
}
