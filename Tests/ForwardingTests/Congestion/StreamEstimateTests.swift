import FixedCollections
import Testing
import Wire

@testable import Forwarding

/// Viewers that say what they think of each stream on its own (REMB), and nothing else.
@Suite struct StreamEstimateTests {
    /// Three cameras of one size each, of 900, 240 and 240 kbit/s, with microphones.
    private static func publish(in network: Network) throws -> [SimulatedPeer] {
        try [(4, 940), (1, 1_000), (1, 1_000)].enumerated().map { index, shape in
            let base = UInt32(index + 1) * 1_000
            let camera = SimulatedSender(.camera, mid: shortID("0"), ssrc: base)
            camera.packetsAFrame = shape.0
            camera.packetsAKeyFrame = 3 * shape.0
            camera.packetLength = shape.1
            let microphone = SimulatedSender(.microphone, mid: shortID("1"), ssrc: base + 100)
            return try network.join(UInt64(index + 1), senders: [camera, microphone], seats: 0)
        }
    }

    private static func view(
        _ network: Network, pauses: Int, over rate: Double? = nil
    ) throws -> SimulatedPeer {
        try network.join(9, sources: [], seats: 3) { peer in
            peer.tell(by: .remb)
            peer.voice?.streams = StreamEstimators(pauses: pauses)
            for receiver in peer.receivers { receiver.reportsLoss = true }
            if let rate { peer.bottleneck = NarrowLink(rate: rate) }
        }
    }

    /// Of the pictures that were sent since a moment, the share that a seat has.
    private static func shown(_ viewer: SimulatedPeer, since start: Instant, until end: Instant) -> [Double] {
        let sent = Double((end - start).wholeMilliseconds) * 0.03
        return viewer.videoReceivers.map { Double($0.wholeAt.count { $0.at >= start }) / sent }
    }

    @Test(arguments: [0, 3_000, 700])
    func `what a wide link carries comes, though the receiver alarms itself`(
        pauses: Int
    ) throws {
        let network = try Network(seed: 1)
        _ = try Self.publish(in: network)
        let viewer = try Self.view(network, pauses: pauses)
        try network.run(for: .seconds(4))
        let settled = network.now
        try network.run(for: .seconds(40))
        let shown = Self.shown(viewer, since: settled, until: network.now)
        print("pauses \(pauses): \(viewer.voice?.streams?.alarms ?? 0) alarms, shown \(shown)")
        #expect(shown.count == 3)
        for share in shown { #expect(share > 0.97) }
        if pauses > 0 { #expect(viewer.voice?.streams?.alarms ?? 0 > 20) }
    }

    @Test func `a narrow link is kept from filling up, and the first picture is seen`() throws {
        let network = try Network(seed: 2)
        _ = try Self.publish(in: network)
        let viewer = try Self.view(network, pauses: 0, over: 900_000)
        try network.run(for: .seconds(10))
        let settled = network.now
        try network.run(for: .seconds(40))
        let shown = Self.shown(viewer, since: settled, until: network.now)
        let link = try #require(viewer.bottleneck)
        let heard = viewer.audioReceivers.map { receiver in
            Double(receiver.wholeAt.count { $0.at >= settled }) / 2_000
        }
        print(
            "shown \(shown), heard \(heard), wait \(link.wait95(since: settled)) ms, dropped \(link.dropped)")
        #expect(shown.max() ?? 0 > 0.7)
        for share in heard { #expect(share > 0.93) }
        #expect(link.dropped < 900)
    }

    @Test func `of three sizes a wide link gets the best within ten seconds`() throws {
        let meeting = try SimulcastMeeting(seed: 3)
        let viewer = try meeting.view(over: nil, by: .remb)
        viewer.voice?.streams = StreamEstimators(pauses: 2_000)
        try meeting.network.run(for: .seconds(10))
        let settled = meeting.network.now
        try meeting.network.run(for: .seconds(20))
        let shown = meeting.sizes(viewer, since: settled)
        print("sizes: \(shown)")
        #expect(shown[2] > 570)
    }

    @Test func `of three sizes a narrow link keeps the one that fits, and seldom tries another`() throws {
        let meeting = try SimulcastMeeting(seed: 4)
        let viewer = try meeting.view(over: 1_000_000, by: .remb)
        viewer.voice?.streams = StreamEstimators()
        for receiver in viewer.receivers { receiver.reportsLoss = true }
        try meeting.network.run(for: .seconds(15))
        let settled = meeting.network.now
        try meeting.network.run(for: .seconds(60))
        let shown = meeting.sizes(viewer, since: settled)
        let link = try #require(viewer.bottleneck)
        print(
            "sizes: \(shown), freeze \(meeting.longestFreeze(viewer, since: settled)) ms, wait \(link.wait95(since: settled))"
        )
        #expect(shown[1] > 1_200)
        #expect(shown[2] < 150)
        #expect(meeting.heard(viewer, since: settled) > 0.95)
    }
}
