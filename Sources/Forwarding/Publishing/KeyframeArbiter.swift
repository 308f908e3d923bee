public import FixedCollections

/// Decides when a source is asked for a key frame: the first time at once, then once a second at the most, whatever
/// the number of viewers who want one.
public struct KeyframeArbiter: BitwiseCopyable, Sendable {
    static var spacing: Duration { .seconds(1) }

    private var askedAt: Instant?
    /// Somebody still waits for a key frame.
    public private(set) var isWanted = false

    public init() {}

    public mutating func want() {
        isWanted = true
    }

    /// A key frame began: whoever waited has it.
    public mutating func keyFrameArrived() {
        isWanted = false
    }

    /// When the next request is due; `distantFuture` if none is wanted.
    public var deadline: Instant {
        guard isWanted else { return .distantFuture }
        return askedAt.map { $0 + Self.spacing } ?? .zero
    }

    /// Whether to ask now. Asking again is due while nothing has come.
    public mutating func takeRequest(at now: Instant) -> Bool {
        guard now >= deadline else { return false }
        askedAt = now
        return true
    }
}
