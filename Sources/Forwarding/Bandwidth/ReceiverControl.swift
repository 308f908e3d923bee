import FixedCollections

/// The estimate for clients without transport-cc: what the receiver says (REMB), bounded by the loss that its reports tell
/// (draft-ietf-rmcat-gcc-02 section 6: above 10 % down by half of the loss, below 2 % up by 8 % a second).
struct ReceiverControl: BitwiseCopyable {
    private static var increase: Double { 1.08 }
    /// An estimate that isn't repeated is forgotten.
    private static var lifetime: Duration { .seconds(10) }

    /// Bits a second.
    private(set) var rate: Double
    private let lowest: Double
    private var remb: Double?
    private var heardAt = Instant.zero
    private var lossRate: Double
    private var reportedAt: Instant?
    private var cutAt: Instant?

    init(start: Double, lowest: Double) {
        rate = start
        lossRate = start
        self.lowest = lowest
    }

    /// The receiver's estimate, in bits a second.
    mutating func receive(remb: Double, at now: Instant) {
        // The receiver knows better than the first guess.
        if self.remb == nil { lossRate = max(lossRate, remb) }
        self.remb = remb
        heardAt = now
        conclude(at: now)
    }

    /// - Parameters:
    ///   - loss: the share of packets lost since the last report.
    ///   - sent: what was sent lately, in bits a second.
    mutating func receive(loss: Double, sent: Double?, roundTrip: Duration, at now: Instant) {
        let elapsed = reportedAt.map { min(Double((now - $0).wholeNanoseconds) / 1e9, 5) } ?? 1
        reportedAt = now
        if loss > 0.1 {
            // Once for all streams' reports of a round trip.
            if let cutAt, now - cutAt < max(roundTrip, .milliseconds(300)) { return }
            cutAt = now
            lossRate = max(min(lossRate, rate) * (1 - 0.5 * loss), lowest)
        } else if loss < 0.02 {
            let ceiling = max(1.5 * (sent ?? lossRate) + 10_000, remb ?? 0)
            let grown = lossRate * (1 + (Self.increase - 1) * elapsed) + 1_000
            lossRate = max(lossRate, min(grown, ceiling))
        }
        conclude(at: now)
    }

    private mutating func conclude(at now: Instant) {
        if now - heardAt > Self.lifetime { remb = nil }
        rate = max(min(lossRate, remb ?? lossRate), lowest)
    }
}
