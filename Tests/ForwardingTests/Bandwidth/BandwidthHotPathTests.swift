import CMallocCount
import FixedCollections
import Testing
import Wire

@testable import Forwarding

/// One message of feedback about 25 packets, over and over, and an allocation of nine seats.
private final class BandwidthHotPath {
    private var estimator = BandwidthEstimator()
    private var allocator = BandwidthAllocator()
    private var feedback = TransportFeedbackBuilder()
    private var message = FixedArray<UInt8>(repeating: 0, count: 1_200)
    private var videos = FixedArray<WantedVideo>(repeating: Seats.camera(0), count: 9)
    private var number: UInt16 = 0
    private var time: Int64 = 0
    private(set) var received = 0
    private(set) var decided = 0

    init() {
        for seat in 0..<9 { videos[seat] = Seats.camera(seat, onStage: seat == 0) }
        estimator.setDemand(Bitrate(bitsPerSecond: 5_000_000), at: .zero)
    }

    func run(_ messages: Int) throws {
        for _ in 0..<messages {
            for _ in 0..<25 {
                time += 2_000_000
                let now = Instant(nanoseconds: time)
                estimator.packetSent(SequenceNumber(number), bytes: 1_100, kind: .video, at: now)
                if number % 50 != 7 { feedback.record(SequenceNumber(number), at: now + .milliseconds(20)) }
                number &+= 1
            }
            let now = Instant(nanoseconds: time)
            if now >= estimator.nextDeadline { estimator.update(at: now) }
            if estimator.pollProbe(at: now) != nil { received += 0 }
            try Self.answer(&feedback, &message, &estimator, at: now)
            received += 1
            allocator.update(estimate: estimator.target, isStarting: estimator.isStarting, at: now)
            allocator.allocate(
                videos.span, audio: Bitrate(bitsPerSecond: 100_000), limits: AllocationLimits())
            for seat in 0..<allocator.decisionCount {
                videos[seat].current = allocator.decision(seat).layer
                decided += 1
            }
        }
    }

    private static func answer(
        _ feedback: inout TransportFeedbackBuilder, _ message: inout FixedArray<UInt8>,
        _ estimator: inout BandwidthEstimator, at now: Instant
    ) throws {
        var span = message.mutableSpan
        let length = try feedback.write(sender: SSRC(1), media: SSRC(2), into: &span, at: 0)
        let bytes = message.span.extracting(0..<length)
        estimator.receive(try TransportFeedback.parse(bytes), in: bytes, at: now)
    }
}

@Suite struct BandwidthHotPathTests {
    #if !DEBUG
        @Test func `a thousand messages of feedback and allocations allocate nothing`() throws {
            try #require(malloc_count_works())
            let path = BandwidthHotPath()
            try path.run(200)
            let decided = path.decided
            let before = malloc_count()
            try path.run(1_000)
            let mallocs = malloc_count() - before
            #expect(mallocs == 0)
            #expect(path.decided - decided == 9_000)
        }
    #endif

    @Test func `an estimator takes at most 48 KiB`() {
        let estimator = MemoryLayout<BandwidthEstimator>.size
        let history = 2_048 * MemoryLayout<SendHistory.Packet>.stride
        #expect(MemoryLayout<SendHistory.Packet>.stride == 16)
        #expect(estimator + history <= 48 * 1_024)
    }

    @Test func `the path that is measured decides for every seat`() throws {
        let path = BandwidthHotPath()
        try path.run(20)
        #expect(path.received == 20)
        #expect(path.decided == 180)
    }
}
