import FixedCollections
import Wire

/// A viewer that estimates its link for each stream on its own, and says so by one REMB a stream, as aiortc does: never more
/// than half above what comes, and 15 % less than that whenever it thinks that packets wait.
final class StreamEstimators {
    private struct Stream {
        var arrivals: [(at: Instant, bytes: Int)] = []
        var begun: Instant
        var rate: Double?
        var updated: Instant
        var waited = 0.0
    }

    /// A process that pauses now and then takes that for a queue: how often, in milliseconds; 0 for never.
    let pauses: Int
    private var streams: [UInt32: Stream] = [:]
    private var nextPause: Instant?
    private(set) var alarms = 0

    init(pauses: Int = 0) {
        self.pauses = pauses
    }

    func note(_ bytes: [UInt8], waited: Double, at now: Instant) {
        guard let header = try? RTPHeader.parse(bytes.span), header.payloadType != Negotiated.opus else {
            return
        }
        var stream = streams[header.ssrc.rawValue] ?? Stream(begun: now, updated: now)
        stream.arrivals.append((now, header.payloadRange.count))
        stream.arrivals.removeAll { $0.at + .seconds(1) < now }
        stream.waited = waited
        streams[header.ssrc.rawValue] = stream
    }

    func messages(at now: Instant) throws -> [[UInt8]] {
        let isPaused = pauses > 0 && now >= nextPause ?? now + .milliseconds(1)
        if isPaused || nextPause == nil { nextPause = now + .milliseconds(pauses) }
        var messages: [[UInt8]] = []
        for ssrc in streams.keys.sorted() {
            guard var stream = streams[ssrc], let last = stream.arrivals.last, last.at > stream.updated else {
                continue
            }
            update(&stream, isOverused: isPaused || stream.waited > 60, at: now)
            streams[ssrc] = stream
            if let rate = stream.rate { messages.append(try Self.message(rate, of: ssrc)) }
        }
        return messages
    }

    private func update(_ stream: inout Stream, isOverused: Bool, at now: Instant) {
        let throughput = Double(stream.arrivals.reduce(0) { $0 + $1.bytes }) * 8
        let elapsed = Double((now - stream.updated).wholeMilliseconds) / 1_000
        stream.updated = now
        if isOverused {
            alarms += 1
            stream.rate = 0.85 * throughput
        } else if let rate = stream.rate {
            stream.rate = min(rate * (1 + 0.08 * elapsed) + 1_000, max(1.5 * throughput + 10_000, rate))
        } else if now - stream.begun > .seconds(3) {
            stream.rate = throughput
        }
    }

    private static func message(_ rate: Double, of ssrc: UInt32) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 64)
        var span = buffer.mutableSpan
        let length = try ReceiverEstimate.write(
            sender: SSRC(ssrc &+ 1_000_000), bitrate: Bitrate(bitsPerSecond: Int(rate)), [SSRC(ssrc)].span,
            into: &span, at: 0)
        return Array(buffer[0..<length])
    }
}
