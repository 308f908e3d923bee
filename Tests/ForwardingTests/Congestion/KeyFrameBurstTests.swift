import FixedCollections
import Testing
import Wire

@testable import Forwarding

/// A narrow link that three voices half fill, and pictures whose key frames take longer on it than its queue holds.
@Suite struct KeyFrameBurstTests {
    private let network: Network
    private let camera: SimulatedPeer

    init() throws {
        network = try Network(seed: 5)
        // 120 kbit/s, 480 kbit/s and 1.7 Mbit/s; key frames of 15, 30 and 60 kB.
        var senders = [(1, 430), (2, 1_000), (7, 1_000)].enumerated().map { index, shape in
            let sender = SimulatedSender(
                .camera, mid: shortID("0"), rid: shortID(["q", "h", "f"][index]),
                ssrc: UInt32(1_000 + index * 2),
                sequence: UInt16(20_000 * index))
            sender.packetsAFrame = shape.0
            sender.packetLength = shape.1
            sender.packetsAKeyFrame = [35, 30, 60][index]
            return sender
        }
        senders.append(SimulatedSender(.microphone, mid: shortID("1"), ssrc: 1_100))
        camera = try network.join(1, senders: senders, seats: 0)
        for participant in 2...3 {
            let voice = SimulatedSender(
                .microphone, mid: shortID("1"), ssrc: UInt32(participant) * 1_000)
            voice.packetLength = 120
            try network.join(UInt64(participant), senders: [voice], seats: 0)
        }
    }

    @Test(arguments: [3_000, 6_000]) func `somebody's picture stays through the bursts`(every: Int64) throws {
        try network.run(for: .seconds(3))
        let viewer = try network.join(9, sources: [], seats: 3) { peer in
            peer.tell(by: .transportCC)
            peer.bottleneck = NarrowLink(rate: 400_000, queue: 0.33)
        }
        try network.run(for: .seconds(5))
        let settled = network.now
        while network.now < settled + .seconds(60) {
            for sender in camera.senders where sender.isVideo { sender.wantsKeyFrame = true }
            try network.run(for: .milliseconds(every))
        }
        let link = try #require(viewer.bottleneck)
        let times = viewer.videoReceivers.flatMap { $0.wholeAt.map(\.at) }.filter { $0 >= settled }
        let gaps = zip(times, times.dropFirst()).map { ($1 - $0).wholeMilliseconds }
        let share = Double(times.count) / 1_800
        print(
            "every \(every) ms: \(share) of the pictures, longest gap \(gaps.max() ?? 0) ms, "
                + "95 % wait \(link.wait95(since: settled)) ms, \(link.dropped) dropped")
        #expect(share > 0.9)
        #expect(gaps.max() ?? .max <= 1_000)
        let heard = viewer.audioReceivers.map { one in one.wholeAt.count { $0.at >= settled } }
        for count in heard { #expect(count > 2_850) }
    }
}
