import FixedCollections
import TestSupport
import Testing
import Wire

@testable import Forwarding

/// Which encodings publishers are asked to send: a camera in three sizes, whose publisher does as it is asked.
struct HintTests {
    /// A publisher and its viewers, the hints that it was given and when.
    private final class Stage {
        let network: Network
        let publisher: SimulatedPeer
        private(set) var told: [(sizes: [Bool], at: Instant)] = []
        var obeys = true
        private var read = 0
        private var joined: UInt64 = 1

        /// 144 kbit/s, 480 kbit/s and 1.7 Mbit/s; or one of 480 kbit/s.
        init(seed: UInt64, workers: Int = 1, sizes: [String] = ["q", "h", "f"]) throws {
            network = try Network(
                seed: seed, workers: workers, limits: Bench.limits(mirrors: workers > 1 ? 64 : 0))
            let senders = sizes.enumerated().map { index, rid in
                let sender = SimulatedSender(
                    .camera, mid: shortID("0"), rid: sizes.count > 1 ? shortID(rid) : nil,
                    ssrc: UInt32(1_000 + index * 2), sequence: UInt16(20_000 * index))
                sender.packetsAFrame = sizes.count > 1 ? [1, 2, 7][index] : 2
                sender.packetLength = sizes.count > 1 ? [600, 1_000, 1_000][index] : 1_000
                return sender
            }
            publisher = try network.join(1, senders: senders, seats: 0)
        }

        func view(on worker: Int = 0, over rate: Double? = nil) throws -> SimulatedPeer {
            joined += 1
            return try network.join(joined, on: worker, sources: [], seats: 1) { peer in
                guard let rate else { return }
                peer.tell(by: [.transportCC])
                peer.bottleneck = NarrowLink(rate: rate, queue: 0.5)
            }
        }

        func set(_ viewer: SimulatedPeer, _ change: (inout ViewerPreferences) -> Void) {
            var viewing = ViewerPreferences()
            change(&viewing)
            let bench = network.benches[viewer.worker]
            bench.forwarder.setViewing(viewing, of: viewer.id, at: bench.now)
        }

        func run(for duration: Duration) throws {
            let end = network.now + duration
            while network.now < end {
                try network.run(for: .milliseconds(20))
                takeHints()
            }
        }

        private func takeHints() {
            let events = network.bench.events
            for (event, at) in events[read...] where event == .hints(publisher.id) {
                let sizes = network.bench.forwarder.hints(of: publisher.id).map(\.isActive)
                told.append((sizes, at))
                guard obeys else { continue }
                for (sender, isActive) in zip(publisher.senders, sizes) {
                    if isActive, !sender.isRunning { sender.wantsKeyFrame = true }
                    sender.isRunning = isActive
                }
            }
            read = events.count
        }

        /// Whole frames of each size that a viewer has been shown since a moment.
        func shown(_ viewer: SimulatedPeer, since start: Instant) -> [Int] {
            let frames = viewer.videoReceivers[0].wholeAt.filter { $0.at >= start }.map(\.frame)
            return publisher.senders.map { sender in
                let own = Set(sender.frames)
                return frames.count { own.contains($0) }
            }
        }
    }

    @Test
    func `sizes that no viewer is shown are asked off within five seconds, and back in the turn that one is`()
        throws
    {
        let stage = try Stage(seed: 1)
        let viewer = try stage.view()
        try stage.run(for: .seconds(6))
        #expect(stage.told.isEmpty, "all of them may be needed")
        let small = stage.network.now
        stage.set(viewer) { $0.seats = [.init(mid: shortID("v0"), maxHeight: 180, isPaused: false)] }
        try stage.run(for: .seconds(6))
        #expect(stage.told.map(\.sizes) == [[true, false, false]])
        let off = try #require(stage.told.last)
        #expect(off.at - small >= .seconds(3) && off.at - small < .seconds(5))
        let watched = stage.network.now
        try stage.run(for: .seconds(2))
        #expect(stage.shown(viewer, since: watched)[0] > 50)
        // The viewer looks closer.
        let large = stage.network.now
        stage.set(viewer) { _ in }
        try stage.run(for: .seconds(1))
        #expect(stage.told.map(\.sizes) == [[true, false, false], [true, true, true]])
        let on = try #require(stage.told.last)
        #expect(on.at - large <= .milliseconds(1))
        let back = stage.network.now
        try stage.run(for: .seconds(2))
        #expect(stage.shown(viewer, since: back)[2] > 50)
        try stage.run(for: .seconds(10))
        #expect(stage.told.count == 2)
    }

    @Test(arguments: [["q", "h", "f"], ["f"]])
    func `of a camera that nobody is shown nothing is asked, until somebody is`(sizes: [String]) throws {
        let stage = try Stage(seed: 2, sizes: sizes)
        let none = Array(repeating: false, count: sizes.count)
        try stage.run(for: .seconds(6))
        #expect(stage.told.map(\.sizes) == [none])
        let viewer = try stage.view()
        let joined = stage.network.now
        try stage.run(for: .seconds(3))
        #expect(stage.told.map(\.sizes) == [none, none.map { !$0 }])
        let on = try #require(stage.told.last)
        #expect(on.at - joined <= .milliseconds(1))
        let first = viewer.videoReceivers[0].wholeAt.map(\.at).min()
        #expect(try #require(first) - joined < .milliseconds(300))
        // In low power mode it gets voices alone.
        stage.set(viewer) { $0.isVideoPaused = true }
        try stage.run(for: .seconds(6))
        #expect(stage.told.last?.sizes == none)
        #expect(stage.told.count == 3)
        stage.set(viewer) { _ in }
        try stage.run(for: .seconds(2))
        #expect(stage.told.last?.sizes == none.map { !$0 })
    }

    @Test func `a publisher that doesn't obey, and one whose camera is off, change nothing`() throws {
        let stage = try Stage(seed: 3)
        stage.obeys = false
        let viewer = try stage.view()
        stage.set(viewer) { $0.seats = [.init(mid: shortID("v0"), maxHeight: 180, isPaused: false)] }
        try stage.run(for: .seconds(10))
        #expect(stage.told.map(\.sizes) == [[true, false, false]])
        stage.set(viewer) { _ in }
        let large = stage.network.now
        try stage.run(for: .seconds(3))
        #expect(stage.shown(viewer, since: large)[2] > 50)
        #expect(stage.told.count == 2)
        stage.network.bench.setLive(false, .camera, of: stage.publisher.id)
        stage.network.leave(viewer)
        try stage.run(for: .seconds(10))
        #expect(stage.told.count == 2)
    }

    @Test func `what a viewer on another worker is shown is needed too`() throws {
        let stage = try Stage(seed: 4, workers: 2)
        let here = try stage.view(on: 0)
        let there = try stage.view(on: 1)
        for viewer in [here, there] {
            stage.set(viewer) { $0.seats = [.init(mid: shortID("v0"), maxHeight: 180, isPaused: false)] }
        }
        try stage.run(for: .seconds(7))
        #expect(stage.told.map(\.sizes) == [[true, false, false]])
        stage.set(there) { _ in }
        try stage.run(for: .seconds(1))
        #expect(stage.told.last?.sizes == [true, true, true])
        let back = stage.network.now
        try stage.run(for: .seconds(6))
        #expect(stage.shown(there, since: back)[2] > 100)
        #expect(stage.told.count == 2)
        // The one here needs it no more, nor the one there.
        stage.network.leave(there)
        try stage.run(for: .seconds(6))
        #expect(stage.told.last?.sizes == [true, false, false])
        stage.network.leave(here)
        try stage.run(for: .seconds(6))
        #expect(stage.told.last?.sizes == [false, false, false])
        let late = try stage.view(on: 1)
        let joined = stage.network.now
        try stage.run(for: .seconds(2))
        #expect(stage.told.last?.sizes == [true, true, true])
        #expect(stage.shown(late, since: joined).reduce(0, +) > 20)
    }

    @Test func `hints don't waver with a link that carries the middle size alone`() throws {
        let stage = try Stage(seed: 5)
        let viewer = try stage.view(over: 900_000)
        try stage.run(for: .seconds(60))
        #expect(stage.told.count <= 4, "\(stage.told.map(\.sizes))")
        let settled = stage.network.now - .seconds(20)
        #expect(stage.shown(viewer, since: settled)[1] > 400)
    }

    @Test func `a limit of what a participant sends is shared out, and taken back`() throws {
        let stage = try Stage(seed: 6)
        _ = try stage.view()
        try stage.run(for: .seconds(3))
        func hints() -> [EncodingHint] { stage.network.bench.forwarder.hints(of: stage.publisher.id) }
        #expect(hints().map(\.maxBitrate) == [nil, nil, nil])
        stage.network.bench.forwarder.setSendLimit(Bitrate(bitsPerSecond: 500_000), of: stage.publisher.id)
        try stage.run(for: .seconds(1))
        #expect(hints().map(\.maxBitrate?.bitsPerSecond) == [150_000, 350_000, nil])
        #expect(stage.told.map(\.sizes) == [[true, true, false]])
        stage.network.bench.forwarder.setSendLimit(nil, of: stage.publisher.id)
        try stage.run(for: .seconds(1))
        #expect(hints().map(\.maxBitrate) == [nil, nil, nil])
        #expect(stage.told.map(\.sizes) == [[true, true, false], [true, true, true]])
    }
}

struct UplinkShareTests {
    private func shares(_ limit: Int, among count: Int) -> [Int?] {
        var share = UplinkShare(Bitrate(bitsPerSecond: limit), among: count)
        return (0..<count).map { _ in share.next()?.bitsPerSecond }
    }

    @Test func `the smallest sizes have what is usual, the largest that fits has the rest`() {
        #expect(shares(5_000_000, among: 3) == [150_000, 600_000, 4_250_000])
        #expect(shares(2_000_000, among: 3) == [150_000, 600_000, 1_250_000])
        #expect(shares(1_000_000, among: 3) == [150_000, 850_000, nil])
        #expect(shares(300_000, among: 3) == [300_000, nil, nil])
        #expect(shares(1_000_000, among: 1) == [1_000_000])
        #expect(shares(1, among: 2) == [1, nil])
    }

    @Test func `whatever the limit, shares never exceed it and the smallest is never refused`() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            let limit = 1 + generator.below(8_000_000)
            let given = shares(limit, among: 1 + generator.below(4))
            #expect(given[0] != nil)
            #expect(given.compactMap { $0 }.reduce(0, +) <= limit)
            // None above one that is refused.
            let refused = given.firstIndex(of: nil) ?? given.count
            #expect(given[refused...].allSatisfy { $0 == nil })
        }
    }
}
