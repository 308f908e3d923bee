import FixedCollections

/// Whether the viewer is sent much less than the estimate allows, so that the traffic tells nothing about the link.
///
/// A bucket fills with 65 % of the target rate and is emptied by what is sent; limited while it is nearly full.
struct AppLimit: BitwiseCopyable {
    private static var share: Double { 0.65 }
    /// Seconds of the target that it holds.
    private static var depth: Double { 0.5 }

    private var level = 0.0
    private var updatedAt: Instant?
    private(set) var isLimited = false

    /// - Parameter target: in bits a second.
    mutating func sent(bytes: Int, target: Double, at now: Instant) {
        let elapsed = updatedAt.map { Double(now.nanoseconds - $0.nanoseconds) / 1e9 } ?? 0
        updatedAt = now
        let depth = target * Self.share * Self.depth
        level += target * Self.share * elapsed - Double(bytes) * 8
        level = min(max(level, -depth), depth)
        if level > 0.8 * depth { isLimited = true } else if level < 0.5 * depth { isLimited = false }
    }
}
