import FixedCollections
import TestSupport
import Testing
import Wire

@testable import Forwarding

/// What holds for any videos and estimates; hundreds are made up from a seed.
@Suite struct BandwidthAllocatorPropertyTests {
    private static func videos(_ generator: inout SeededGenerator) -> [WantedVideo] {
        (0..<(1 + generator.below(8))).map { seat in
            var video = WantedVideo(seat: SeatID(seat), source: generator.happens(0.15) ? .screen : .camera)
            video.isOnStage = generator.happens(0.2)
            video.isPaused = generator.happens(0.1)
            video.isLive = !generator.happens(0.1)
            if generator.happens(0.3) { video.maxHeight = [90, 180, 360, 720][generator.below(4)] }
            var rate = 40 + generator.below(200)
            for spatial in 0..<(1 + generator.below(3)) {
                var layerRate = rate
                for temporal in 0..<(1 + generator.below(3)) {
                    video.layers.append(
                        Seats.layer(
                            180 << spatial, layerRate, spatial: spatial, temporal,
                            frames: [8, 15, 30][temporal]))
                    layerRate += generator.below(layerRate)
                }
                rate = rate * 2 + generator.below(600)
            }
            return video
        }
    }

    @Test func `video never takes more than the estimate leaves beside audio`() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let bench = AllocatorBench(Self.videos(&generator))
            bench.audio = generator.below(200)
            if generator.happens(0.3) {
                bench.limits.server = Bitrate(bitsPerSecond: generator.below(4_000_000))
            }
            for _ in 0..<20 {
                let estimate = generator.below(6_000)
                let decisions = bench.allocate(estimate, after: .milliseconds(generator.below(2_000)))
                let total = decisions.reduce(0) { $0 + $1.kilobits * 1_000 }
                let budget = min(estimate * 1_000, bench.limits.server?.bitsPerSecond ?? .max)
                #expect(total <= max(budget - bench.audio * 1_000, 0))
                #expect(bench.numbers.video.bitsPerSecond == total)
                #expect(bench.numbers.audio.bitsPerSecond == bench.audio * 1_000)
            }
        }
    }

    @Test func `no seat is above its height, and every seat that could have more says why it hasn't`() {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            let videos = Self.videos(&generator)
            let decisions = AllocatorBench.decide(videos, generator.below(8_000))
            for (video, decision) in zip(videos, decisions) {
                let layers = (0..<video.layers.count).map { video.layers[$0] }
                if let layer = decision.layer, layer.spatial > 0 {
                    #expect(Int(layer.height) <= video.maxHeight ?? .max)
                }
                let isExcluded = !video.isLive || video.isPaused
                #expect((decision.reason == .sourceOff || decision.reason == .paused) == isExcluded)
                if decision.reason == nil {
                    #expect(
                        decision.layer == layers.max { ($0.spatial, $0.temporal) < ($1.spatial, $1.temporal) }
                    )
                }
                #expect((decision.needed != nil) == (decision.reason == .bandwidth))
                if let needed = decision.needed { #expect(needed.bitsPerSecond > decision.kilobits * 1_000) }
            }
        }
    }

    @Test func `nobody has a second layer while a lowest layer that would fit instead is missing`() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let videos = Self.videos(&generator)
            let budget = generator.below(2_000)
            let decisions = AllocatorBench.decide(videos, budget, audio: 0)
            // All lowest layers in the order of the seats, passing over what doesn't fit.
            var left = budget * 1_000
            for (video, decision) in zip(videos, decisions) where video.isLive && !video.isPaused {
                let ladder = LayerLadder(video)
                let lowest = ladder.bitrate(0)
                #expect((decision.layer != nil) == (lowest <= left))
                if lowest <= left { left -= lowest }
            }
        }
    }

    @Test func `others have no more than their lowest layer until the stage that is shown is at 360p30`() {
        var generator = SeededGenerator(seed: 4)
        var waiting = 0
        for _ in 0..<800 {
            let videos = Self.videos(&generator)
            let decisions = AllocatorBench.decide(videos, generator.below(3_000))
            let isStageLow = zip(videos, decisions).contains { video, decision in
                guard video.isOnStage, let layer = decision.layer else { return false }
                let ladder = LayerLadder(video)
                return ladder.rung(of: layer) < ladder.goal
            }
            guard isStageLow else { continue }
            waiting += 1
            for (video, decision) in zip(videos, decisions) where !video.isOnStage && decision.layer != nil {
                #expect(LayerLadder(video).rung(of: decision.layer) == 0)
            }
        }
        #expect(waiting > 50)
    }

    @Test func `a higher estimate never gives less in all, nor takes the first seats' video away`() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<100 {
            let videos = Self.videos(&generator)
            var lastTotal = 0
            var lastShown = 0
            for estimate in stride(from: 0, through: 6_000, by: 25) {
                let decisions = AllocatorBench.decide(videos, estimate)
                let total = decisions.reduce(0) { $0 + $1.kilobits }
                #expect(total >= lastTotal)
                let wanted = zip(videos, decisions).filter { $0.0.isLive && !$0.0.isPaused }
                let shown = wanted.prefix { $0.1.layer != nil }.count
                #expect(shown >= lastShown)
                (lastTotal, lastShown) = (total, shown)
            }
        }
    }

    @Test func `on a steady link with 5 % of noise a seat switches at most once in five seconds`() {
        var generator = SeededGenerator(seed: 6)
        var switches = 0
        for _ in 0..<40 {
            let bench = AllocatorBench(Self.videos(&generator))
            let rate = 300 + generator.below(5_000)
            var history = Array(repeating: [Int](), count: bench.videos.count)
            var last = bench.allocate(rate, isStarting: true)
            for turn in 0..<600 {
                let noise = rate / 20
                let decisions = bench.allocate(rate - noise + generator.below(2 * noise + 1))
                for index in decisions.indices where decisions[index].layer != last[index].layer {
                    history[index].append(turn)
                    switches += 1
                }
                last = decisions
            }
            for turns in history {
                // After the first seconds, in which the first estimate is corrected.
                let late = turns.filter { $0 >= 80 }
                for (first, second) in zip(late, late.dropFirst()) { #expect(second - first >= 50) }
            }
        }
        #expect(switches > 0)
    }
}
