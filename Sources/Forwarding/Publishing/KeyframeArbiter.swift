import FixedCollections

/// Decides when a source is asked for a key frame: the first time at once, then once a second at the most, whatever
/// the number of viewers who want one.
struct KeyframeArbiter: BitwiseCopyable, Sendable {
    static var spacing: Duration { .seconds(1) }

    private var askedAt: Instant?
    /// Somebody still waits for a key frame.
    private(set) var isWanted = false

    init() {}

    mutating func want() {
        isWanted = true
    }

    /// A key frame began: whoever waited has it.
    mutating func keyFrameArrived() {
        isWanted = false
    }

    /// When the next request is due; `distantFuture` if none is wanted.
    var deadline: Instant {
        guard isWanted else { return .distantFuture }
        return askedAt.map { $0 + Self.spacing } ?? .zero
    }

    /// Whether to ask now. Asking again is due while nothing has come.
    mutating func takeRequest(at now: Instant) -> Bool {
        guard now >= deadline else { return false }
        askedAt = now
        return true
    }
}
