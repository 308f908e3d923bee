import FixedCollections
import Testing
import Wire

@testable import Forwarding

/// A publisher with a camera in three sizes and a microphone, and viewers on links of their own.
final class SimulcastMeeting {
    let network: Network
    let publisher: SimulatedPeer
    private var joined: UInt64 = 1

    /// 144 kbit/s, 480 kbit/s and 1.7 Mbit/s.
    init(seed: UInt64) throws {
        network = try Network(seed: seed)
        var senders = ["q", "h", "f"].enumerated().map { index, rid in
            let sender = SimulatedSender(
                .camera, mid: shortID("0"), rid: shortID(rid), ssrc: UInt32(1_000 + index * 2),
                sequence: UInt16(20_000 * index))
            sender.packetsAFrame = [1, 2, 7][index]
            sender.packetsAKeyFrame = [4, 8, 20][index]
            sender.packetLength = [600, 1_000, 1_000][index]
            return sender
        }
        senders.append(SimulatedSender(.microphone, mid: shortID("1"), ssrc: 1_100))
        publisher = try network.join(1, senders: senders, seats: 0)
    }

    /// A viewer with a seat, behind a link of so many bits a second.
    @discardableResult
    func view(
        over rate: Double?, queue: Double = 0.5, by feedback: FeedbackOptions = [.transportCC],
        sends: FeedbackOptions? = nil, link: Link = Link()
    ) throws -> SimulatedPeer {
        joined += 1
        return try network.join(joined, sources: [], seats: 1, link: link) { peer in
            peer.tell(by: feedback, sends: sends)
            if let rate { peer.bottleneck = NarrowLink(rate: rate, queue: queue) }
        }
    }

    /// Which of the camera's sizes a viewer's frames since a moment are of: how many of each.
    func sizes(_ viewer: SimulatedPeer, since start: Instant) -> [Int] {
        let shown = viewer.videoReceivers[0].wholeAt.filter { $0.at >= start }.map(\.frame)
        return publisher.senders.filter(\.isVideo).map { sender in
            let frames = Set(sender.frames)
            return shown.count { frames.contains($0) }
        }
    }

    /// The longest time without a whole frame, in milliseconds.
    func longestFreeze(_ viewer: SimulatedPeer, since start: Instant) -> Int64 {
        let times = viewer.videoReceivers[0].wholeAt.map(\.at).filter { $0 >= start } + [network.now]
        var last = start
        var longest: Int64 = 0
        for time in times {
            longest = max(longest, (time - last).wholeMilliseconds)
            last = time
        }
        return longest
    }

    /// The share of the microphone's packets since a moment that a viewer has.
    func heard(_ viewer: SimulatedPeer, since start: Instant) -> Double {
        let arrived = viewer.audioReceivers[0].wholeAt.count { $0.at >= start }
        return Double(arrived) / (Double((network.now - start).wholeMilliseconds) / 20)
    }
}
