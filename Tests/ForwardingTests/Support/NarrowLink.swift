import FixedCollections
import Wire

@testable import Forwarding

/// A viewer's path of one rate, with a queue before it that drops what doesn't fit.
final class NarrowLink {
    /// IP, UDP and the authentication tag.
    static let overhead = 44

    /// Bits a second; changes count for what comes after.
    var rate: Double
    /// Seconds that the queue holds.
    let queue: Double
    private var freeAt = Instant.zero
    private(set) var dropped = 0
    private(set) var bytes = 0
    /// How long each packet waited, in milliseconds.
    private(set) var waits: [(at: Instant, milliseconds: Double)] = []

    init(rate: Double, queue: Double = 0.5) {
        self.rate = rate
        self.queue = queue
    }

    /// - Returns: how long the packet takes to be through; `nil`: it is dropped.
    func enqueue(_ length: Int, at now: Instant) -> Duration? {
        let start = max(now, freeAt)
        let wait = Double((start - now).wholeNanoseconds) / 1e9
        guard wait <= queue else {
            dropped += 1
            return nil
        }
        waits.append((now, wait * 1_000))
        bytes += length + Self.overhead
        freeAt = start + .nanoseconds(Int64(Double(length + Self.overhead) * 8e9 / rate))
        return freeAt - now
    }

    /// Of the newest packet, in milliseconds.
    var lastWait: Double { waits.last?.milliseconds ?? 0 }

    /// The wait that 95 % of packets stay below, from a moment on.
    func wait95(since start: Instant) -> Double {
        let sorted = waits.filter { $0.at >= start }.map(\.milliseconds).sorted()
        return sorted.isEmpty ? 0 : sorted[(sorted.count - 1) * 95 / 100]
    }
}

/// What a viewer says of its link: transport-cc feedback, or REMB.
final class LinkVoice {
    private let feedback: FeedbackOptions
    private var arrivals = TransportFeedbackBuilder()
    private var nextAt = Instant.zero
    /// What it claims by REMB, in bits a second.
    var estimate = 0
    /// What it thinks of each stream on its own, instead.
    var streams: StreamEstimators?

    init(_ feedback: FeedbackOptions) {
        self.feedback = feedback
    }

    /// - Parameter waited: how long it waited before the link, in milliseconds.
    func note(_ bytes: [UInt8], waited: Double, at now: Instant) {
        streams?.note(bytes, waited: waited, at: now)
        if let numbering = numbering(bytes) { arrivals.record(SequenceNumber(numbering.number), at: now) }
    }

    func messages(at now: Instant) throws -> [[UInt8]] {
        guard now >= nextAt else { return [] }
        nextAt = now + .milliseconds(feedback.contains(.transportCC) ? 60 : 500)
        var messages = try streams?.messages(at: now) ?? []
        while feedback.contains(.transportCC) {
            var buffer = [UInt8](repeating: 0, count: 1_500)
            var span = buffer.mutableSpan
            let length = try arrivals.write(sender: SSRC(1), media: SSRC(2), into: &span, at: 0)
            guard length > 0 else { break }
            messages.append(Array(buffer[0..<length]))
        }
        if feedback.contains(.remb), estimate > 0 {
            var buffer = [UInt8](repeating: 0, count: 64)
            var span = buffer.mutableSpan
            let length = try ReceiverEstimate.write(
                sender: SSRC(1), bitrate: Bitrate(bitsPerSecond: estimate), Span<SSRC>(), into: &span, at: 0)
            messages.append(Array(buffer[0..<length]))
        }
        return messages
    }
}
