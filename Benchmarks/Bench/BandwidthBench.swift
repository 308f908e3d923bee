import FixedCollections
import Forwarding
import Wire

/// What estimating one viewer's link and sharing it out costs.
enum BandwidthBench {
    private static let packets = 32
    private static let rounds = 200

    static func measure() -> [Measurement] { [feedback(), allocation()] }

    /// Packets 2 ms apart, reported on every 64 ms: a message's reference time grows by one.
    private static func feedback() -> Measurement {
        var message = template()
        var estimator = BandwidthEstimator()
        var number: UInt16 = 0
        var time = Instant(nanoseconds: 1_000_000_000)
        var reference: UInt32 = 0
        return Measurement(
            "note \(packets) packets and take in their feedback", unit: "message", operations: rounds
        ) {
            for _ in 0..<rounds {
                for offset in 0..<packets {
                    estimator.packetSent(
                        SequenceNumber(number &+ UInt16(offset)), bytes: 1_100, kind: .video,
                        at: time + .milliseconds(2 * offset))
                }
                time += .milliseconds(64)
                var bytes = message.mutableSpan
                bytes.store(number, at: 12)
                bytes[16] = UInt8(truncatingIfNeeded: reference >> 16)
                bytes.store(UInt16(truncatingIfNeeded: reference), at: 17)
                if let parsed = try? TransportFeedback.parse(message.span) {
                    estimator.receive(parsed, in: message.span, at: time)
                }
                number &+= UInt16(packets)
                reference = (reference + 1) & 0xff_ffff
            }
            keep(estimator.target)
        }
    }

    private static func template() -> [UInt8] {
        var builder = TransportFeedbackBuilder()
        for number in 0..<packets {
            builder.record(
                SequenceNumber(UInt16(number)), at: Instant(nanoseconds: Int64(number) * 2_000_000))
        }
        var buffer = [UInt8](repeating: 0, count: 1_200)
        var span = buffer.mutableSpan
        let length = (try? builder.write(sender: SSRC(1), media: SSRC(2), into: &span, at: 0)) ?? 0
        return Array(buffer[0..<length])
    }

    private static func allocation() -> Measurement {
        let videos = (0..<9).map { video(seat: $0) }
        var allocator = BandwidthAllocator()
        allocator.update(
            estimate: Bitrate(bitsPerSecond: 4_000_000), isStarting: true, at: Instant(nanoseconds: 0))
        return Measurement("allocate nine seats of nine layers", operations: rounds) {
            for _ in 0..<rounds {
                allocator.allocate(
                    videos.span, audio: Bitrate(bitsPerSecond: 100_000), limits: AllocationLimits())
            }
            keep(allocator.numbers.video)
        }
    }

    private static func video(seat: Int) -> WantedVideo {
        var video = WantedVideo(seat: SeatID(seat), source: .camera)
        video.isOnStage = seat == 0
        for spatial in 0..<3 {
            for temporal in 0..<3 {
                let rate = 150_000 * (1 + 3 * spatial * spatial) * (3 + temporal) / 5
                video.layers.append(
                    VideoLayer(
                        encoding: UInt8(spatial), spatial: UInt8(spatial), temporal: UInt8(temporal),
                        height: 180 << spatial, framesPerSecond: 30 >> (2 - temporal),
                        bitrate: Bitrate(bitsPerSecond: rate)))
            }
        }
        return video
    }
}
