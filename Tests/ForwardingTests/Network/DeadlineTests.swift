import FixedCollections
import Testing
import TestSupport
import Wire

@testable import Forwarding

/// When RTCP is due: timers are brought forward by what happens, and looked at as a whole only when they go off.
@Suite struct DeadlineTests {
    /// How much later than the earliest thing that is due the forwarder wants to be called, if it is.
    private func lateness(_ network: Network) -> Duration {
        let forwarder = network.bench
        let due = network.peers.map { forwarder.controlDeadline(of: $0.id) }.min() ?? .distantFuture
        guard due != .distantFuture else { return .zero }
        return max(.zero, forwarder.controlTimer - max(due, network.now))
    }

    @Test(arguments: Weather.all) func `no timer goes off later than something is due`(
        weather: Weather
    ) throws {
        let network = try Network(seed: 21)
        for participant in UInt64(1)...3 { try network.join(participant, seats: 2, link: weather.link) }
        var generator = SeededGenerator(seed: 22)
        var latest = Duration.zero
        for step in 0..<4_000 {
            try network.run(for: .milliseconds(generator.below(5)))
            if step % 97 == 0, let peer = network.peers.first {
                network.bench.setLive(generator.happens(0.5), .camera, of: peer.id)
                latest = max(latest, lateness(network))
            }
            if step == 2_000 { network.leave(network.peers[1]) }
            if step == 2_500 { try network.join(4, seats: 3, link: weather.link) }
            latest = max(latest, lateness(network))
        }
        // The wheel's slots are a millisecond wide.
        #expect(latest <= .milliseconds(1))
        #expect(network.bench.counters.nacksSent > 0 || weather.link.loss == 0)
    }

    @Test func `a lost packet is asked for as soon as two newer ones have come`() throws {
        let bench = Bench()
        let sender = SimulatedSender(.microphone, mid: shortID("0"), ssrc: 1_000)
        let publisher = SimulatedPeer(participant: 1, router: try bench.router(), senders: [sender], seats: 0)
        publisher.id = try bench.add(publisher.setup)
        var ids = IDs()
        func next() throws -> [UInt8] {
            try sender.nextFrame(at: bench.now, ids: &ids, transport: &publisher.transportSequence)[0]
        }
        bench.receive(try next(), from: publisher.id)
        _ = bench.drain()
        let lost = sender.sequence
        _ = try next()
        bench.receive(try next(), from: publisher.id)
        bench.advance(.milliseconds(1))
        _ = bench.drain()
        #expect(bench.counters.nacksSent == 0, "packets may overtake each other")
        bench.receive(try next(), from: publisher.id)
        bench.advance(.milliseconds(1))
        let asked = try bench.drain().filter(\.isControl).flatMap { try numbersAsked(in: $0.bytes) }
        #expect(asked == [lost])
    }

    private func numbersAsked(in bytes: [UInt8]) throws -> [UInt16] {
        var numbers: [UInt16] = []
        var reader = RTCPReader()
        while let packet = try reader.next(in: bytes.span) {
            guard packet.kind(in: bytes.span) == .nack else { continue }
            let body = bytes.span.extracting(packet.range)
            var nack = try Nack.parse(body)
            while let number = nack.next(in: body) { numbers.append(number.rawValue) }
        }
        return numbers
    }
}
