import FixedCollections
import TestSupport
import Wire

@testable import Forwarding

/// A sender that is steered by a `BandwidthEstimator`, with its pacer's queue, and the receiver that answers with
/// transport-cc feedback.
final class EstimatedFlow {
    /// What is sent.
    enum Media {
        /// An encoder that follows the estimate, up to so many bits a second.
        case encoder(highest: Double)
        /// Forwarded videos, as the allocator decides.
        case seats([WantedVideo])
    }

    private struct Queued {
        var bytes: Int
        var kind: PacketKind
    }

    /// IP and UDP headers.
    static let overhead = 28
    static let audioRate = 48_000.0

    private var estimator: BandwidthEstimator
    private var pacer: Pacer
    private var allocator = BandwidthAllocator()
    private var media: Media
    private var generator: SeededGenerator
    private var queue: [Queued] = []
    private var queuedBytes = 0
    private var nextFrame: Int64 = 0
    private var nextVoice: Int64 = 0
    private var nextAllocation: Int64 = 0
    private var videoRate = 0.0
    private var number: UInt16 = 65_000
    private(set) var sentPackets = 0
    private(set) var paddingBytes = 0

    // The receiver's side.
    private var feedback = TransportFeedbackBuilder()
    private var nextFeedback: Int64 = 0
    /// Its clock has its own epoch.
    private let clockOffset: Int64 = 77_000_000_123

    init(media: Media, seed: UInt64, settings: BandwidthSettings = BandwidthSettings()) {
        self.media = media
        generator = SeededGenerator(seed: seed)
        estimator = BandwidthEstimator(settings)
        pacer = Pacer(rate: settings.start, at: .zero)
        if case .encoder(let highest) = media {
            estimator.setDemand(Bitrate(bitsPerSecond: Int(highest)), at: .zero)
        }
    }

    var target: Double { Double(estimator.target.bitsPerSecond) }
    var statistics: BandwidthStatistics { estimator.statistics }
    /// Bits a second of the layers that are sent now, and what the allocator said last.
    var allocated: Double { videoRate }
    var decisions: [SeatDecision] { (0..<allocator.decisionCount).map { allocator.decision($0) } }
    var numbers: AllocationNumbers { allocator.numbers }

    // MARK: Sending

    /// What leaves in this turn.
    func send(at time: Int64, into link: (LinkPacket) -> Void) {
        let now = Instant(nanoseconds: time)
        if now >= estimator.nextDeadline { estimator.update(at: now) }
        produce(at: time)
        if let cluster = estimator.pollProbe(at: now) { pacer.begin(cluster) }
        pacer.update(rate: estimator.pacingRate, queued: queuedBytes, at: now)
        while let first = queue.first, pacer.allows(first.kind) {
            queue.removeFirst()
            queuedBytes -= first.bytes
            transmit(first, at: now, into: link)
        }
        while queue.isEmpty, pacer.paddingWanted > 0 {
            let padding = Queued(bytes: min(max(pacer.paddingWanted, 100), 1_000), kind: .padding)
            paddingBytes += padding.bytes
            transmit(padding, at: now, into: link)
        }
    }

    private func transmit(_ packet: Queued, at now: Instant, into link: (LinkPacket) -> Void) {
        pacer.sent(bytes: packet.bytes)
        estimator.packetSent(SequenceNumber(number), bytes: packet.bytes, kind: packet.kind, at: now)
        link(LinkPacket(flow: 0, number: Int(number), bytes: packet.bytes))
        number &+= 1
        sentPackets += 1
    }

    private func produce(at time: Int64) {
        if time >= nextVoice {
            nextVoice += 20_000_000
            // First of all that waits.
            queue.insert(Queued(bytes: 92 + Self.overhead, kind: .audio), at: 0)
            queuedBytes += 92 + Self.overhead
        }
        if case .seats(let videos) = media, time >= nextAllocation {
            nextAllocation += 100_000_000
            allocate(videos, at: Instant(nanoseconds: time))
        }
        guard time >= nextFrame else { return }
        nextFrame += 33_333_333
        if case .encoder(let highest) = media { videoRate = min(target, highest) - Self.audioRate }
        // An encoder leaves frames out when the last ones haven't left; so does who forwards.
        guard Double(queuedBytes) * 8 < max(target, 100_000) * 0.3 else { return }
        let noise = 0.8 + 0.4 * Double(generator.below(1_000)) / 1_000
        var left = Int(max(videoRate, 0) / 8 / 30 * noise)
        while left > 0 {
            let size = min(left, 1_172)
            queue.append(Queued(bytes: size + Self.overhead, kind: .video))
            queuedBytes += size + Self.overhead
            left -= size + Self.overhead
        }
    }

    private func allocate(_ videos: [WantedVideo], at now: Instant) {
        var videos = videos
        for index in 0..<min(videos.count, allocator.decisionCount) {
            let decision = allocator.decision(index)
            videos[index].current = decision.layer
        }
        allocator.update(estimate: estimator.sustained, isStarting: estimator.isStarting, at: now)
        allocator.allocate(
            videos.span, audio: Bitrate(bitsPerSecond: Int(Self.audioRate)), limits: AllocationLimits())
        media = .seats(videos)
        estimator.setDemand(allocator.numbers.demand, at: now)
        videoRate = Double(allocator.numbers.video.bitsPerSecond)
    }

    // MARK: Receiving

    func arrive(_ packet: LinkPacket, at time: Int64) {
        feedback.record(
            SequenceNumber(UInt16(truncatingIfNeeded: packet.number)),
            at: Instant(nanoseconds: time + clockOffset))
    }

    /// The messages that the receiver sends now, every 50 to 100 ms.
    func answers(at time: Int64) throws -> [[UInt8]] {
        guard time >= nextFeedback else { return [] }
        nextFeedback = time + 50_000_000 + Int64(generator.below(50)) * 1_000_000
        var messages: [[UInt8]] = []
        while true {
            var buffer = [UInt8](repeating: 0, count: 1_500)
            var span = buffer.mutableSpan
            let length = try feedback.write(sender: SSRC(1), media: SSRC(2), into: &span, at: 0)
            guard length > 0 else { return messages }
            messages.append(Array(buffer[0..<length]))
        }
    }

    func receive(_ message: [UInt8], at time: Int64) throws {
        let parsed = try TransportFeedback.parse(message.span)
        estimator.receive(parsed, in: message.span, at: Instant(nanoseconds: time))
    }

    func setRoundTrip(_ roundTrip: Duration) {
        estimator.setRoundTrip(roundTrip, newest: roundTrip, at: .zero)
    }
}
