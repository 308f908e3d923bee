import FixedCollections
import Testing
import TestSupport
import Wire

@testable import Forwarding

/// What a link of the simulation does to packets.
struct Weather: CustomTestStringConvertible, Sendable {
    var name: String
    var loss = 0.0
    var jitter = Duration.zero
    var duplication = 0.0

    var link: Link { Link(loss: loss, delay: .milliseconds(20), jitter: jitter, duplication: duplication) }
    var testDescription: String { name }

    static let all = [
        Weather(name: "fair"),
        Weather(name: "reordering", jitter: .milliseconds(30)),
        Weather(name: "duplicates", jitter: .milliseconds(5), duplication: 0.1),
        Weather(name: "all at once", loss: 0.03, jitter: .milliseconds(15), duplication: 0.05),
    ]
}

/// Compares what left through a seat with what came in, from the first packet on.
func checkDelivery(_ network: Network, _ viewer: SimulatedPeer, _ receiver: SeatReceiver) {
    let entries = network.egress.entries(viewer, receiver)
    let sent = entries.map(\.id)
    let sentSet = Set(sent)
    #expect(sent.count > 100)
    #expect(sentSet.count == sent.count, "a packet was sent twice")
    var seen: Set<UInt32> = []
    let arrived = network.arrivals.filter { seen.insert($0).inserted }
    #expect(sentSet.isSubset(of: seen), "a packet was invented")
    // A picture begins with what the cache has of it, all at once and in order of numbers, not of arrival.
    let cached = receiver.isVideo ? entries.prefix { $0.at == entries[0].at } : []
    let cachedSet = Set(cached.map(\.id))
    let expected = arrived.filter { sentSet.contains($0) && !cachedSet.contains($0) }
    #expect(Array(sent.dropFirst(cached.count)) == expected, "not in order of arrival")
}

/// The packets of a sender that came to the forwarder and didn't leave through the seat, from the seat's first on.
private func undelivered(
    _ network: Network, _ viewer: SimulatedPeer, _ receiver: SeatReceiver, of sender: SimulatedSender
) -> Set<UInt32> {
    let sent = Set(network.egress.entries(viewer, receiver).map(\.id))
    let arrived = network.arrived(of: sender)
    guard let first = sent.min() else { return arrived }
    return arrived.filter { $0 >= first }.subtracting(sent)
}

@Suite struct DeliveryTests {
    @Test(arguments: Weather.all, [1, 2, 3])
    func `every packet goes once to every watching seat, in order of arrival`(
        weather: Weather, seed: Int
    ) throws {
        let network = try Network(seed: UInt64(seed))
        let one = try network.join(1, sources: [.camera], seats: 2, link: weather.link)
        let two = try network.join(2, sources: [.microphone], seats: 2, link: weather.link)
        let three = try network.join(3, sources: [], seats: 2, link: weather.link)
        try network.run(for: .seconds(6))
        #expect(network.egress.repeatedNumbers == 0)
        #expect(network.egress.unreadable == 0)
        for viewer in [two, three] { checkDelivery(network, viewer, viewer.videoReceivers[0]) }
        let audioSeat = try #require(three.audioReceivers.first { $0.packets > 0 })
        let otherAudioSeat = try #require(one.audioReceivers.first { $0.packets > 0 })
        checkDelivery(network, three, audioSeat)
        checkDelivery(network, one, otherAudioSeat)
        let unseen = undelivered(network, three, three.videoReceivers[0], of: one.senders[0])
        #expect(unseen.isEmpty, "\(unseen.count) packets of video weren't forwarded")
        let unheard = undelivered(network, three, audioSeat, of: two.senders[0])
        #expect(unheard.isEmpty, "\(unheard.count) packets of audio weren't forwarded")
        #expect(network.bench.packetCount < 1_000)
    }

    @Test func `sequence numbers and timestamps go round without a seam`() throws {
        let network = try Network(seed: 5)
        let link = Link(delay: .milliseconds(5), jitter: .milliseconds(3), duplication: 0.02)
        let publisher = try network.join(1, sources: [.camera], seats: 0, link: link) { peer in
            peer.senders[0].packetsAFrame = 40
        }
        let viewer = try network.join(2, sources: [], seats: 1, link: link)
        try network.run(for: .seconds(29))
        let entries = network.egress.entries(viewer, viewer.videoReceivers[0])
        #expect(entries.count > 33_000)
        #expect(network.egress.repeatedNumbers == 0)
        let sorted = entries.sorted { $0.extended < $1.extended }
        for (last, next) in zip(sorted, sorted.dropFirst()) where next.extended != last.extended + 1 {
            Issue.record("a gap between \(last.extended) and \(next.extended)")
        }
        for (last, next) in zip(sorted, sorted.dropFirst()) {
            let step = next.timestamp.distance(from: last.timestamp)
            #expect(step >= 0 && step < 4_000)
        }
        #expect(publisher.senders[0].report?.cumulativeLost ?? 1 <= 0)
    }

    @Test(arguments: [2, 8]) func `a gap of seconds is got over`(seconds: Int) throws {
        let network = try Network(seed: 6)
        let publisher = try network.join(1, seats: 0)
        let viewer = try network.join(2, sources: [], seats: 1)
        try network.run(for: .seconds(3))
        // The path is cut while the publisher goes on.
        publisher.uplink.loss = 1
        try network.run(for: .seconds(seconds))
        publisher.uplink.loss = 0
        let restored = network.now
        try network.run(for: .seconds(4))
        #expect(network.egress.repeatedNumbers == 0)
        for receiver in [viewer.videoReceivers[0], viewer.audioReceivers[0]] {
            let after = network.egress.entries(viewer, receiver).first { $0.at > restored }
            let delay = (after?.at ?? .distantFuture) - restored
            #expect(delay < .milliseconds(200))
        }
        let wholeFrames = publisher.senders[0].frames.suffix(90).filter {
            viewer.audioReceivers[0].frames[$0]?.isWhole == true
        }
        #expect(wholeFrames.count > 80)
    }

    @Test(arguments: 1...6) func `a sender that starts over goes on in the same stream`(seed: UInt64) throws {
        let network = try Network(seed: seed)
        let link = Link(jitter: .milliseconds(10))
        let publisher = try network.join(1, seats: 0, link: link)
        let viewer = try network.join(2, sources: [], seats: 1, link: link)
        try network.run(for: .seconds(2))
        for _ in 0..<5 {
            for sender in publisher.senders { sender.restart(using: &network.generator) }
            let restarted = network.now
            try network.run(for: .seconds(2))
            for receiver in [viewer.videoReceivers[0], viewer.audioReceivers[0]] {
                let next = network.egress.entries(viewer, receiver).first {
                    $0.at > restarted + .milliseconds(40)
                }
                let delay = (next?.at ?? .distantFuture) - restarted
                #expect(delay < .milliseconds(400))
            }
        }
        #expect(network.egress.repeatedNumbers == 0)
        for receiver in [viewer.videoReceivers[0], viewer.audioReceivers[0]] {
            let entries = network.egress.entries(viewer, receiver).sorted { $0.extended < $1.extended }
            let rate = receiver.isVideo ? 90_000 : 48_000
            for (last, next) in zip(entries, entries.dropFirst()) {
                // No jump: neither of the numbers (SRTP's rollover count would go wrong) nor of the timestamps.
                #expect(next.extended - last.extended < 100)
                #expect(abs(next.timestamp.distance(from: last.timestamp)) < rate)
            }
        }
    }
}
