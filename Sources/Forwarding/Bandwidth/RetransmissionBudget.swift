public import FixedCollections
public import Wire

/// Retransmissions have 15 % of the rate, so that a loss that comes from a full link doesn't fill it up further. What isn't
/// used is saved for half a second.
public struct RetransmissionBudget: Sendable, BitwiseCopyable {
    private static var share: Double { 0.15 }
    private static var depth: Double { 0.5 }

    private var rate: Double
    private var bits: Double
    private var updatedAt: Instant

    public init(target: Bitrate, at now: Instant) {
        rate = Double(target.bitsPerSecond) * Self.share
        bits = rate * Self.depth
        updatedAt = now
    }

    public mutating func setTarget(_ target: Bitrate, at now: Instant) {
        advance(to: now)
        rate = Double(target.bitsPerSecond) * Self.share
        bits = min(bits, rate * Self.depth)
    }

    /// Takes a retransmission of this size out of the budget.
    ///
    /// - Returns: false if it doesn't fit: then it isn't sent, and will be asked for again.
    public mutating func take(bytes: Int, at now: Instant) -> Bool {
        advance(to: now)
        guard Double(bytes) * 8 <= bits else { return false }
        bits -= Double(bytes) * 8
        return true
    }

    private mutating func advance(to now: Instant) {
        guard now > updatedAt else { return }
        bits = min(bits + rate * Double(now.nanoseconds - updatedAt.nanoseconds) / 1e9, rate * Self.depth)
        updatedAt = now
    }
}
