import FixedCollections
import Testing
import TestSupport
import Wire

@testable import Forwarding

@Suite struct LossTests {
    /// The part of a sender's frames that a viewer has whole, start and end of the simulation left out.
    private func completeness(_ sender: SimulatedSender, _ receiver: SeatReceiver) -> Double {
        let frames = sender.frames.dropFirst(60).dropLast(60)
        let whole = frames.filter { receiver.frames[$0]?.isWhole == true }
        return Double(whole.count) / Double(frames.count)
    }

    @Test(arguments: [(0.05, 0.99), (0.15, 0.97)])
    func `lost packets are got again on both legs`(loss: Double, bound: Double) throws {
        var worst = 1.0
        for seed in UInt64(1)...2 {
            let network = try Network(seed: seed)
            let link = Link(loss: loss, delay: .milliseconds(25), jitter: .milliseconds(5))
            for participant in UInt64(1)...3 {
                try network.join(participant, sources: [.camera], seats: 2, link: link)
            }
            try network.run(for: .seconds(20))
            #expect(network.egress.repeatedNumbers == 0)
            for viewer in network.peers {
                let others = network.peers.filter { $0 !== viewer }
                for (publisher, receiver) in zip(others, viewer.videoReceivers) {
                    let part = completeness(publisher.senders[0], receiver)
                    worst = min(worst, part)
                    #expect(part >= bound, "seed \(seed): \(part)")
                }
            }
            #expect(network.bench.counters.recovered > 0)
            #expect(network.bench.counters.retransmitted > 0)
        }
        print("frames whole with \(Int(loss * 100)) % loss each way: \(worst) at the worst")
    }

    @Test func `packets are got again though the way has just become longer than was known`() throws {
        var whole = 1.0
        var keyFrames = 0
        for seed in UInt64(2)...4 {
            let network = try Network(seed: seed)
            let near = Link(delay: .milliseconds(1))
            for participant in UInt64(1)...3 {
                try network.join(participant, sources: [.camera], seats: 2, link: near)
            }
            try network.run(for: .seconds(20))
            let before = network.bench.counters.keyFrameRequests
            for peer in network.peers {
                peer.uplink = Link(loss: 0.05, delay: .milliseconds(50))
                peer.downlink = peer.uplink
                // As browsers do: what was sent again a round trip ago at the most may be on its way.
                peer.ignoresRepeats = .milliseconds(100)
            }
            try network.run(for: .seconds(10))
            keyFrames += Int(network.bench.counters.keyFrameRequests - before)
            for viewer in network.peers {
                let others = network.peers.filter { $0 !== viewer }
                for (publisher, receiver) in zip(others, viewer.videoReceivers) {
                    whole = min(whole, completeness(publisher.senders[0], receiver))
                }
            }
        }
        print("frames whole: \(whole) at the worst, \(keyFrames) key frames were needed")
        #expect(whole > 0.99)
        #expect(keyFrames == 0)
    }

    @Test func `a receiver report tells the publisher its loss`() throws {
        let network = try Network(seed: 9)
        let publisher = try network.join(1, sources: [.microphone], seats: 1)
        try network.join(2, sources: [.microphone], seats: 1)
        try network.run(for: .seconds(2))
        publisher.uplink.loss = 0.2
        let before = publisher.senders[0].sequence
        try network.run(for: .seconds(40))
        publisher.uplink.loss = 0
        let lost = Double(publisher.senders[0].report?.cumulativeLost ?? 0)
        let sent = Double(publisher.senders[0].sequence &- before)
        #expect(abs(lost / sent - 0.2) < 0.04)
        try network.run(for: .seconds(3))
        #expect(publisher.senders[0].report?.fractionLost == 0)
        // Exactly what didn't arrive.
        let arrived = Set(network.arrivals).count
        let all = network.peers.reduce(0) { $0 + $1.senders[0].frames.count }
        #expect(abs((publisher.senders[0].report?.cumulativeLost ?? 0) - Int32(all - arrived)) <= 4)
    }

    @Test(arguments: Weather.all)
    func `transport feedback reports every packet that came`(weather: Weather) throws {
        let network = try Network(seed: 10)
        let publisher = try network.join(1, seats: 1, link: weather.link) { $0.downlink = Link() }
        try network.join(2, seats: 1, link: weather.link)
        try network.run(for: .seconds(10))
        for sender in publisher.senders { sender.isRunning = false }
        try network.run(for: .seconds(1))
        let arrived = network.arrivedNumbers[1] ?? []
        #expect(arrived.count > 1_000)
        let reported = Set(publisher.reported.keys)
        #expect(reported.isSubset(of: arrived))
        // What was overtaken by the very first packet isn't told.
        let missing = arrived.subtracting(reported)
        #expect(missing.allSatisfy { $0 >= 65_400 && $0 < 65_410 }, "\(missing)")
        #expect(publisher.feedbackMessages > 100)
        if weather.jitter == .zero {
            #expect(publisher.reported.values.allSatisfy { $0 == 1 })
        }
    }

    @Test func `a repeated request within a round trip is answered once`() throws {
        let network = try Network(seed: 11)
        try network.join(1, sources: [.camera], seats: 0)
        let viewer = try network.join(2, sources: [], seats: 1)
        try network.run(for: .seconds(2))
        let last = network.egress.entries(viewer, viewer.videoReceivers[0]).suffix(10).map {
            SequenceNumber(UInt16(truncatingIfNeeded: $0.extended))
        }
        var bytes = [UInt8](repeating: 0, count: 100)
        var span = bytes.mutableSpan
        let written = try Nack.write(
            sender: SSRC(1), media: viewer.videoReceivers[0].ssrc, last.span, into: &span, at: 0)
        for _ in 0..<5 { network.bench.receiveControl(Array(bytes[..<written.length]), from: viewer.id) }
        #expect(network.bench.counters.retransmitted == 10)
        try network.run(for: .milliseconds(200))
        #expect(network.egress.retransmissions == 10)
        #expect(network.egress.repeatedNumbers == 0)
        network.bench.receiveControl(Array(bytes[..<written.length]), from: viewer.id)
        #expect(network.bench.counters.retransmitted == 20)
    }
}
