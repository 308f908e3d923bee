import FixedCollections
import Testing
import Wire

@testable import Forwarding

struct EModelTests {
    private func model(
        delay: Double = 0, jitter: Double = 0, loss: Double = 0, shortfall: Double = 0
    ) -> EModel {
        EModel(delay: delay, jitter: jitter, loss: loss, shortfall: shortfall)
    }

    /// By hand: R = 93.2 − 0.024 d − 0.11 (d − 177.3) − 95 p / (p + 25.1), with 40 ms for the ends.
    @Test(arguments: [
        (0.0, 0.0, 92.24), (110, 0, 89.6), (200, 0, 80.547), (0, 0.01, 88.600), (0, 0.05, 76.459),
        (50, 0.1, 63.975), (0, 1, 16.301),
    ])
    func `the rating is that of the simplified G 107`(delay: Double, loss: Double, rating: Double) {
        #expect(abs(model(delay: delay, loss: loss).rating - rating) < 0.01)
    }

    @Test func `scores follow G 109, and fall with each impairment`() {
        #expect(model().score == 5)
        #expect(model(delay: 90).score == 5)
        #expect(model(delay: 150).score == 4)
        #expect(model(delay: 250).score == 3)
        #expect(model(jitter: 80).score == 4)
        #expect(model(loss: 0.01).score == 4)
        #expect(model(loss: 0.05).score == 3)
        #expect(model(loss: 0.1).score == 2)
        #expect(model(loss: 0.2).score == 1)
        #expect(model(shortfall: 0.5).score == 3)
        #expect(model(shortfall: 1).score == 2)
        #expect(model(delay: 10_000, loss: 1).rating == 0)
    }
}

struct ConnectionQualityTests {
    private func scores(_ network: Network, _ peer: SimulatedPeer) -> [(at: Instant, count: Int)] {
        network.bench.events.filter { $0.event == .quality(peer.id) }.map { ($0.at, 1) }
    }

    private func score(_ network: Network, _ peer: SimulatedPeer) -> Int? {
        network.bench.forwarder.connectionQuality(of: peer.id)
    }

    @Test func `a good path is the best, and told once`() throws {
        let network = try Network(seed: 1)
        let peers = try (1...3).map { try network.join(UInt64($0), seats: 2) }
        #expect(score(network, peers[0]) == nil)
        try network.run(for: .seconds(60))
        for peer in peers {
            #expect(score(network, peer) == 5)
            #expect(scores(network, peer).count == 1)
        }
    }

    @Test(arguments: [true, false])
    func `loss is told within ten seconds, its end when it has lasted, each once`(isUp: Bool) throws {
        let network = try Network(seed: 2)
        let (lossy, other) = (try network.join(1, seats: 2), try network.join(2, seats: 2))
        for receiver in lossy.receivers { receiver.reportsLoss = true }
        try network.run(for: .seconds(10))
        let before = scores(network, lossy).count
        if isUp { lossy.uplink.loss = 0.15 } else { lossy.downlink.loss = 0.15 }
        let began = network.now
        try network.run(for: .seconds(11))
        let worse = try #require(score(network, lossy))
        #expect(worse <= 3)
        let told = scores(network, lossy).dropFirst(before)
        #expect(try #require(told.first).at - began < .seconds(10))
        #expect(zip(told, told.dropFirst()).allSatisfy { $1.at - $0.at >= .seconds(5) })
        #expect(score(network, other) == 5, "the other's path is as it was")
        lossy.uplink.loss = 0
        lossy.downlink.loss = 0
        try network.run(for: .seconds(8))
        #expect(score(network, lossy) == worse, "one good look is not enough")
        try network.run(for: .seconds(15))
        #expect(score(network, lossy) == 5)
    }

    @Test func `a long way and a narrow one count`() throws {
        let network = try Network(seed: 3)
        let far = try network.join(1, seats: 2, link: Link(delay: .milliseconds(300)))
        _ = try network.join(2, seats: 2)
        try network.run(for: .seconds(25))
        #expect(try #require(score(network, far)) <= 3)
    }

    @Test func `whom packets are sent to and who says nothing has 0`() throws {
        let network = try Network(seed: 4)
        let (silent, other) = (try network.join(1, seats: 2), try network.join(2, seats: 2))
        try network.run(for: .seconds(10))
        silent.uplink.loss = 1
        try network.run(for: .seconds(16))
        #expect(score(network, silent) == 0)
        #expect(score(network, other) != 0)
        silent.uplink.loss = 0
        try network.run(for: .seconds(20))
        #expect(score(network, silent) == 5)
    }
}
