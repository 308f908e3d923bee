import FixedCollections
import Testing
import Wire

@testable import Forwarding

/// Videos and what an allocator decides about them.
enum Seats {
    /// Simulcast of three sizes, as Chromium sends it, each at 30, 15 and 7.5 frames a second.
    static func camera(
        _ seat: Int, onStage: Bool = false, _ change: (inout WantedVideo) -> Void = { _ in }
    )
        -> WantedVideo
    {
        var video = WantedVideo(seat: SeatID(seat), source: .camera)
        video.isOnStage = onStage
        let sizes = [(180, 150), (360, 500), (720, 1_700)]
        for (spatial, (height, rate)) in sizes.enumerated() {
            for (temporal, share) in [60, 80, 100].enumerated() {
                video.layers.append(
                    layer(
                        height, rate * share / 100, spatial: spatial, temporal, frames: [8, 15, 30][temporal])
                )
            }
        }
        change(&video)
        return video
    }

    static func screen(_ seat: Int, onStage: Bool = true) -> WantedVideo {
        var video = WantedVideo(seat: SeatID(seat), source: .screen)
        video.isOnStage = onStage
        for (spatial, (height, rate)) in [(540, 300), (1_080, 900)].enumerated() {
            for (temporal, share) in [60, 100].enumerated() {
                video.layers.append(
                    layer(height, rate * share / 100, spatial: spatial, temporal, frames: [5, 30][temporal]))
            }
        }
        return video
    }

    static func layer(
        _ height: Int, _ kilobits: Int, spatial: Int, _ temporal: Int, frames: Int
    ) -> VideoLayer {
        VideoLayer(
            encoding: UInt8(spatial), spatial: UInt8(spatial), temporal: UInt8(temporal), height: height,
            framesPerSecond: frames, bitrate: Bitrate(bitsPerSecond: kilobits * 1_000))
    }
}

/// An allocator whose decisions become what is sent.
final class AllocatorBench {
    private var allocator = BandwidthAllocator()
    var videos: [WantedVideo]
    var audio = 100
    var limits = AllocationLimits()
    private(set) var now = Instant.zero

    init(_ videos: [WantedVideo]) {
        self.videos = videos
    }

    /// Lets time pass with an estimate in kbit/s, then allocates.
    @discardableResult
    func allocate(
        _ kilobits: Int, after duration: Duration = .milliseconds(100), isStarting: Bool = false
    )
        -> [SeatDecision]
    {
        now += duration
        allocator.update(
            estimate: Bitrate(bitsPerSecond: kilobits * 1_000), isStarting: isStarting, at: now)
        let wanted = videos
        allocator.allocate(wanted.span, audio: Bitrate(bitsPerSecond: audio * 1_000), limits: limits)
        let decisions = (0..<allocator.decisionCount).map { allocator.decision($0) }
        for (index, decision) in decisions.enumerated() { videos[index].current = decision.layer }
        return decisions
    }

    var numbers: AllocationNumbers { allocator.numbers }

    /// With nothing sent yet and nothing to be careful about.
    static func decide(_ videos: [WantedVideo], _ kilobits: Int, audio: Int = 100) -> [SeatDecision] {
        let bench = AllocatorBench(videos)
        bench.audio = audio
        return bench.allocate(kilobits, isStarting: true)
    }
}

extension SeatDecision {
    var kilobits: Int { (layer?.bitrate.bitsPerSecond ?? 0) / 1_000 }
    /// Height and frame rate, as in 360p30.
    var name: String { layer.map { "\($0.height)p\($0.framesPerSecond)" } ?? "-" }
}

@Suite struct BandwidthAllocatorTests {
    @Test func `audio has its share before any video`() {
        let decisions = AllocatorBench.decide([Seats.camera(0), Seats.camera(1)], 180, audio: 100)
        #expect(decisions.map(\.name) == ["-", "-"])
        #expect(decisions.map(\.reason) == [.bandwidth, .bandwidth])
        #expect(decisions[0].needed == Bitrate(bitsPerSecond: 90_000))
        let starved = AllocatorBench([Seats.camera(0)])
        starved.audio = 400
        starved.allocate(200)
        #expect(starved.numbers.audio == Bitrate(bitsPerSecond: 400_000))
        #expect(starved.numbers.video == Bitrate(bitsPerSecond: 0))
    }

    @Test func `every video has its lowest layer before any has a second one`() {
        let videos = (0..<5).map { Seats.camera($0) }
        // 90 each.
        let even = AllocatorBench.decide(videos, 100 + 460).map(\.name)
        #expect(even == Array(repeating: "180p8", count: 5))
        let short = AllocatorBench.decide(videos, 100 + 440).map(\.name)
        #expect(short == ["180p15", "180p15", "180p8", "180p8", "-"])
    }

    @Test func `the stage has 360p30 before others have more than their lowest`() {
        let videos = [Seats.camera(0), Seats.camera(1, onStage: true), Seats.camera(2)]
        #expect(AllocatorBench.decide(videos, 830).map(\.name) == ["180p15", "360p30", "180p8"])
        #expect(AllocatorBench.decide(videos, 700).map(\.name) == ["180p8", "360p15", "180p8"])
    }

    @Test func `what is left is given one step at a time`() {
        let videos = (0..<3).map { Seats.camera($0) }
        #expect(AllocatorBench.decide(videos, 100 + 450).map(\.name) == ["180p30", "180p30", "180p30"])
        #expect(AllocatorBench.decide(videos, 100 + 5_100).map(\.name) == ["720p30", "720p30", "720p30"])
        #expect(AllocatorBench.decide(videos, 100 + 5_100).map(\.reason) == [nil, nil, nil])
    }

    @Test func `a screen gets its resolution before its frame rate`() {
        // 300·0.6 = 180 for 540p5, 540 for 1080p5, 900 for 1080p30.
        #expect(AllocatorBench.decide([Seats.screen(0)], 100 + 500).map(\.name) == ["540p5"])
        #expect(AllocatorBench.decide([Seats.screen(0)], 100 + 700).map(\.name) == ["1080p5"])
        #expect(AllocatorBench.decide([Seats.screen(0)], 100 + 1_000).map(\.name) == ["1080p30"])
    }

    @Test func `nothing is shown larger than its seat, except what has no smaller layer`() {
        var small = Seats.camera(0)
        small.maxHeight = 360
        var tiny = Seats.camera(1)
        tiny.maxHeight = 90
        let decisions = AllocatorBench.decide([small, tiny], 10_000)
        #expect(decisions.map(\.name) == ["360p30", "180p30"])
        #expect(decisions.map(\.reason) == [.viewport, .viewport])
        #expect(decisions.map(\.needed) == [nil, nil])
    }

    @Test func `each seat without video says why`() {
        var off = Seats.camera(0)
        off.isLive = false
        var paused = Seats.camera(1)
        paused.isPaused = true
        let bench = AllocatorBench([off, paused, Seats.camera(2), Seats.camera(3), Seats.camera(4)])
        bench.limits.lastN = 2
        let decisions = bench.allocate(100_000)
        #expect(decisions.map(\.reason) == [.sourceOff, .paused, nil, nil, .lastN])
        #expect(decisions.map(\.name) == ["-", "-", "720p30", "720p30", "-"])
        bench.limits.isVideoPaused = true
        #expect(bench.allocate(100_000).dropFirst().allSatisfy { $0.reason == .paused && $0.layer == nil })
    }

    @Test func `a limit that is lower than the link is named`() {
        let bench = AllocatorBench([Seats.camera(0)])
        bench.limits.server = Bitrate(bitsPerSecond: 700_000)
        let decision = bench.allocate(10_000)[0]
        #expect(decision.name == "360p30")
        #expect(decision.reason == .serverLimit)
        #expect(decision.needed == Bitrate(bitsPerSecond: 1_020_000))
        #expect(bench.numbers.budget == Bitrate(bitsPerSecond: 700_000))
        #expect(bench.numbers.demand == Bitrate(bitsPerSecond: 700_000))
        bench.limits.receive = Bitrate(bitsPerSecond: 300_000)
        #expect(bench.allocate(10_000)[0].reason == .bandwidth)
    }

    @Test func `a new layer must have fitted for five seconds, one that is sent may use all there is`() {
        let bench = AllocatorBench([Seats.camera(0)])
        bench.allocate(300)
        #expect(bench.allocate(700)[0].name == "180p30")
        for _ in 0..<45 { bench.allocate(700) }
        #expect(bench.allocate(700)[0].name == "180p30")
        for _ in 0..<40 { bench.allocate(700) }
        #expect(bench.allocate(700)[0].name == "360p30")
        #expect(bench.allocate(601)[0].name == "360p30")
        #expect(bench.allocate(599)[0].name == "360p15")
    }

    @Test func `the first video outlasts a fall of the estimate, as far as it is told to`() {
        let bench = AllocatorBench([Seats.camera(0), Seats.camera(1)])
        // 90 each beside 100 of audio.
        #expect(bench.allocate(300, isStarting: true).map(\.name) == ["180p8", "180p8"])
        bench.limits.roomForFirst = 70
        #expect(bench.allocate(185).map(\.name) == ["180p8", "-"])
        #expect(bench.allocate(140).map(\.name) == ["180p8", "-"])
        #expect(bench.numbers.video == Bitrate(bitsPerSecond: 90_000))
        #expect(bench.allocate(125).map(\.name) == ["-", "-"])
        bench.limits.roomForFirst = 0
        #expect(bench.allocate(30).map(\.name) == ["180p8", "-"])
        // A limit is no estimate.
        bench.limits.server = Bitrate(bitsPerSecond: 180_000)
        #expect(bench.allocate(300).map(\.name) == ["-", "-"])
        bench.limits.server = nil
        bench.limits.roomForFirst = nil
        #expect(bench.allocate(195).map(\.name) == ["-", "-"])
        bench.limits.roomForFirst = 100
        #expect(bench.allocate(195).map(\.name) == ["180p8", "-"])
    }

    @Test func `while the link is being found new layers follow at once`() {
        let bench = AllocatorBench([Seats.camera(0)])
        #expect(bench.allocate(300, isStarting: true)[0].name == "180p30")
        #expect(bench.allocate(1_900, isStarting: true)[0].name == "720p30")
        #expect(bench.allocate(1_900)[0].name == "720p30")
    }

    @Test func `a video that is too large for what is left doesn't cost the others their place`() {
        var huge = WantedVideo(seat: SeatID(0), source: .screen)
        huge.isOnStage = true
        huge.layers.append(Seats.layer(1_080, 2_500, spatial: 0, 0, frames: 30))
        let decisions = AllocatorBench.decide([huge, Seats.camera(1), Seats.camera(2)], 1_200)
        #expect(decisions.map(\.name) == ["-", "360p30", "360p30"])
        #expect(decisions[0].needed == Bitrate(bitsPerSecond: 2_500_000))
    }

    @Test func `layers that cost as much as better ones are passed over, and silent ones don't exist`() {
        var video = WantedVideo(seat: SeatID(0), source: .camera)
        video.layers.append(Seats.layer(180, 300, spatial: 0, 0, frames: 30))
        video.layers.append(Seats.layer(360, 250, spatial: 1, 0, frames: 30))
        video.layers.append(Seats.layer(720, 0, spatial: 2, 0, frames: 30))
        #expect(video.layers.count == 2)
        #expect(AllocatorBench.decide([video], 400).map(\.name) == ["360p30"])
        #expect(AllocatorBench.decide([video], 400).map(\.reason) == [nil])
    }
}
