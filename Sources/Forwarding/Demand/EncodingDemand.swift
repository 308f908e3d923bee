import FixedCollections
import Wire

/// Whether anybody needs an encoding; a fixed number of bytes.
struct EncodingDemand: BitwiseCopyable, Sendable {
    /// What nobody has used for so long is declined. It is looked at once a second, so that its publisher knows within 5 s.
    static var patience: Duration { .milliseconds(2_900) }
    /// How long what was asked back is awaited.
    static var grace: Duration { .seconds(5) }

    /// Since when nobody on this worker uses it; `nil`: somebody does.
    private var unusedSince: Instant?
    /// Nobody on this worker needs it.
    private(set) var isDeclined = false
    /// Workers that get the publication's packets and need none of these.
    var declinedBy = RelayTargets()
    private var awaitedUntil = Instant.longAgo
    /// What its lowest layer took when it was sent.
    var lowestRate = Bitrate(bitsPerSecond: 0)

    init() {}

    /// Takes in that nobody uses it at the moment.
    ///
    /// - Returns: whether it is declined from now on.
    mutating func leaveUnused(at now: Instant) -> Bool {
        let since = unusedSince ?? now
        unusedSince = since
        guard !isDeclined, now - since >= Self.patience else { return false }
        isDeclined = true
        return true
    }

    /// Takes in that somebody uses it.
    mutating func use() {
        unusedSince = nil
    }

    /// Asks for it again; it takes a while to come.
    mutating func want(at now: Instant) {
        unusedSince = nil
        isDeclined = false
        awaitedUntil = now + Self.grace
    }

    /// It isn't sent because it was declined, and can be had.
    func isAvailable(at now: Instant) -> Bool { isDeclined || now < awaitedUntil }
}
