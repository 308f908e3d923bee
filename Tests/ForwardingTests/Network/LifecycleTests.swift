import FixedCollections
import Testing
import TestSupport
import Wire

@testable import Forwarding

@Suite struct LifecycleTests {
    @Test func `ten thousand joins and leaves leave nothing behind`() throws {
        let bench = Bench(limits: Bench.limits(peers: 16, packets: 4_096))
        let router = try bench.router()
        var generator = SeededGenerator(seed: 1)
        var present: [SimulatedPeer] = []
        var ids = IDs()
        for round in UInt64(0)..<10_000 {
            let senders = [Source.microphone, .camera].enumerated().map { index, source in
                SimulatedSender(
                    source, mid: shortID(index == 0 ? "0" : "1"),
                    // SSRCs come again now and then.
                    ssrc: UInt32(1_000 + generator.below(50) * 10 + index * 2),
                    sequence: UInt16(truncatingIfNeeded: generator.next()))
            }
            let peer = SimulatedPeer(participant: round + 1, router: router, senders: senders, seats: 3)
            peer.id = try bench.add(peer.setup)
            present.append(peer)
            for sender in present.flatMap(\.senders) where generator.happens(0.3) {
                guard let owner = present.first(where: { $0.senders.contains { $0 === sender } }) else {
                    continue
                }
                let packets = try sender.nextFrame(
                    at: bench.now, ids: &ids, transport: &owner.transportSequence)
                for packet in packets { bench.receive(packet, from: owner.id) }
            }
            if generator.happens(0.5) { _ = bench.drain() }
            bench.advance(.milliseconds(generator.below(50)))
            while present.count > 3 || (present.count > 0 && generator.happens(0.4)) {
                bench.remove(present.remove(at: generator.below(present.count)).id)
            }
        }
        #expect(bench.counters.forwarded > 10_000)
        for peer in present { bench.remove(peer.id) }
        _ = bench.drain()
        #expect(bench.tableCounts == [0, 0, 0, 0, 0])
        #expect(bench.packetCount == 0)
        #expect(bench.nextDeadline == .distantFuture)
        bench.forwarder.removeRouter(router)
    }

    @Test func `sprayed SSRCs gain nothing`() throws {
        let bench = Bench()
        let router = try bench.router()
        let sender = SimulatedSender(.camera, mid: shortID("0"), ssrc: 1_000)
        let peer = SimulatedPeer(participant: 1, router: router, senders: [sender], seats: 0)
        peer.id = try bench.add(peer.setup)
        var opened = 0
        for number in UInt32(0)..<100_000 {
            let fields = RTPFields(
                marker: false, payloadType: Negotiated.vp8, sequenceNumber: SequenceNumber(1),
                timestamp: RTPTimestamp(0), ssrc: SSRC(number))
            // No mid, or one that nobody has.
            let plan = PacketPlan(
                fields: fields, mid: number % 2 == 0 ? nil : shortID("9"), payload: [0x10, 0x10, 0, 0])
            if bench.receive(try plan.bytes, from: peer.id) { opened += 1 }
        }
        #expect(opened == 0)
        #expect(bench.tableCounts == [1, 1, 1, 0, 0])
        #expect(bench.counters.unknownStream == 100_000)
        #expect(bench.packetCount == 0)
    }

    @Test func `one who sprays SSRCs under a mid of their own keeps one stream`() throws {
        let bench = Bench()
        let router = try bench.router()
        let sender = SimulatedSender(.camera, mid: shortID("0"), ssrc: 1_000)
        let peer = SimulatedPeer(participant: 1, router: router, senders: [sender], seats: 0)
        peer.id = try bench.add(peer.setup)
        var forgotten = 0
        for number in UInt32(0)..<20_000 {
            let fields = RTPFields(
                marker: false, payloadType: number % 3 == 0 ? Negotiated.vp8RTX : Negotiated.vp8,
                sequenceNumber: SequenceNumber(1), timestamp: RTPTimestamp(0), ssrc: SSRC(number))
            let plan = PacketPlan(fields: fields, mid: shortID("0"), payload: [0x10, 0x10, 0, 0])
            bench.receive(try plan.bytes, from: peer.id)
            while bench.forwarder.pollForgottenStream() != nil { forgotten += 1 }
            if number % 100 == 0 { _ = bench.drain() }
            // A new SSRC is taken only when the one before has stopped.
            if number % 200 == 0 { bench.advance(.seconds(2)) }
            #expect(bench.tableCounts[4] <= 2)
        }
        // The SRTP state of an SSRC that was given up stays: what was recorded of it can't be replayed.
        #expect(forgotten == 0)
        _ = bench.drain()
        #expect(bench.packetCount <= 2)
        bench.remove(peer.id)
        _ = bench.drain()
        #expect(bench.tableCounts == [0, 0, 0, 0, 0])
        #expect(bench.packetCount == 0)
    }

    @Test func `a store that has run full recovers`() throws {
        let bench = Bench(limits: Bench.limits(peers: 16, packets: 512))
        let router = try bench.router()
        var ids = IDs()
        let peers = try (UInt64(1)...6).map { participant in
            let sender = SimulatedSender(.camera, mid: shortID("0"), ssrc: UInt32(participant) * 1_000)
            let peer = SimulatedPeer(participant: participant, router: router, senders: [sender], seats: 2)
            peer.id = try bench.add(peer.setup)
            return peer
        }
        var forwarded: UInt64 = 0
        for round in 0..<300 {
            for peer in peers {
                let packets = try peer.senders[0].nextFrame(
                    at: bench.now, ids: &ids, transport: &peer.transportSequence)
                for packet in packets { bench.receive(packet, from: peer.id) }
            }
            _ = bench.drain()
            bench.advance(.milliseconds(33))
            if round == 290 { forwarded = bench.counters.forwarded }
        }
        // Nine rounds of six frames of three packets to two viewers each.
        #expect(bench.counters.forwarded - forwarded >= 300)
        #expect(bench.packetCount <= 512)
    }
}
