import FixedCollections
import Wire

/// What a viewer says its link carries, in all.
///
/// An estimate (REMB, draft-alvestrand-rmcat-remb-03) is about the streams that it lists. Browsers list all of them, in one
/// message; others estimate each stream on its own, a sender a stream, and then the link carries at least the sum. A fixed
/// number of bytes; O(senders × streams listed) a message.
struct ReceiverEstimates: BitwiseCopyable {
    /// An estimate that isn't repeated is forgotten.
    private static var lifetime: Duration { .seconds(3) }
    private static var limit: Int { 16 }
    /// Streams of a message that are looked at.
    private static var listed: Int { 64 }

    private struct Entry: BitwiseCopyable {
        var sender = SSRC(0)
        /// The first stream that it is about; `nil`: it doesn't say.
        var stream: SSRC?
        var rate = 0
        var at = Instant.zero
    }

    private var entries = InlineArray<16, Entry>(repeating: Entry())
    private var count = 0
    /// There were more than can be kept.
    private var overflowedAt: Instant?

    /// Takes in an estimate; `packet` is the one that it was parsed from. It takes the place of what the same sender said, and
    /// of what was said of a stream that it lists.
    mutating func add(_ estimate: ReceiverEstimate, in packet: Span<UInt8>, at now: Instant) {
        forget { entry in
            entry.sender == estimate.sender || now - entry.at > Self.lifetime
                || Self.lists(entry.stream, estimate, in: packet)
        }
        guard count < Self.limit else {
            overflowedAt = now
            return
        }
        entries[count] = Entry(
            sender: estimate.sender, stream: estimate.count > 0 ? estimate.ssrc(0, in: packet) : nil,
            rate: max(estimate.bitrate.bitsPerSecond, 0), at: now)
        count += 1
    }

    /// Bits a second of all estimates that count; `nil`: nothing is known.
    func sum(at now: Instant) -> Double? {
        if let overflowedAt, now - overflowedAt <= Self.lifetime { return nil }
        var sum = 0.0
        var isKnown = false
        for index in 0..<count where now - entries[index].at <= Self.lifetime {
            sum += Double(entries[index].rate)
            isKnown = true
        }
        return isKnown ? sum : nil
    }

    private mutating func forget(where isOld: (Entry) -> Bool) {
        var kept = 0
        for index in 0..<count where !isOld(entries[index]) {
            entries[kept] = entries[index]
            kept += 1
        }
        count = kept
    }

    /// Whether an estimate is about a stream; one without a list is about all.
    private static func lists(_ stream: SSRC?, _ estimate: ReceiverEstimate, in packet: Span<UInt8>) -> Bool {
        guard let stream, estimate.count > 0 else { return true }
        for index in 0..<min(estimate.count, listed) where estimate.ssrc(index, in: packet) == stream {
            return true
        }
        return false
    }
}
