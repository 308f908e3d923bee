import FixedCollections
import Testing
import TestSupport
import Wire

@testable import Forwarding

@Suite struct HostileTests {
    /// A meeting of three in which media has flowed, with its last turn's datagrams.
    private func meeting(seed: UInt64) throws -> Network {
        let network = try Network(seed: seed)
        for participant in UInt64(1)...3 { try network.join(participant, seats: 2) }
        try network.run(for: .seconds(2))
        return network
    }

    private func change(_ sample: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = sample
        for _ in 0..<generator.below(4) where !bytes.isEmpty {
            bytes[generator.below(min(bytes.count, 60))] = UInt8(truncatingIfNeeded: generator.next())
        }
        if generator.happens(0.3) { bytes.removeLast(generator.below(bytes.count)) }
        if generator.happens(0.1) { bytes += generator.bytes(generator.below(1_600 - bytes.count)) }
        return bytes
    }

    @Test(arguments: 1...3) func `changed, truncated and random packets trap nothing and leak nothing`(
        seed: UInt64
    ) throws {
        let network = try meeting(seed: seed)
        let bench = network.bench
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<15_000 {
            let peer = network.peers[generator.below(3)]
            let sender = peer.senders[generator.below(2)]
            var packets = try sender.nextFrame(
                at: bench.now, ids: &network.ids, transport: &peer.transportSequence)
            if generator.happens(0.1) {
                let number = SequenceNumber(sender.sequence &- 5)
                if let again = try sender.retransmission(of: number, transport: &peer.transportSequence) {
                    packets = [again]
                }
            }
            for packet in packets {
                let bytes =
                    generator.happens(0.05)
                    ? generator.bytes(generator.below(1_500)) : change(packet, &generator)
                bench.receive(bytes, from: peer.id)
            }
            if generator.happens(0.3) {
                bench.advance(.milliseconds(generator.below(40)))
                _ = bench.drain()
            }
        }
        #expect(bench.counters.malformed > 100)
        #expect(bench.counters.forwarded > 1_000)
        #expect(bench.tableCounts[4] <= 3 * Peer.streamLimit)
        for peer in Array(network.peers) { network.leave(peer) }
        _ = bench.drain()
        #expect(bench.tableCounts == [0, 0, 0, 0, 0])
        #expect(bench.packetCount == 0)
    }

    @Test(arguments: 1...3) func `changed and random RTCP traps nothing`(seed: UInt64) throws {
        let network = try meeting(seed: seed)
        let bench = network.bench
        var generator = SeededGenerator(seed: seed)
        let samples = try samples(of: network)
        for _ in 0..<30_000 {
            let peer = network.peers[generator.below(3)]
            let sample = samples[generator.below(samples.count)]
            let bytes =
                generator.happens(0.05) ? generator.bytes(generator.below(600)) : change(sample, &generator)
            bench.receiveControl(bytes, from: peer.id)
            if generator.happens(0.1) {
                bench.advance(.milliseconds(generator.below(40)))
                _ = bench.drain()
            }
        }
        #expect(bench.counters.malformed > 100)
        // The meeting goes on.
        let before = bench.counters.forwarded
        try network.run(for: .seconds(1))
        #expect(bench.counters.forwarded > before + 500)
        #expect(network.egress.repeatedNumbers == 0)
    }

    private func samples(of network: Network) throws -> [[UInt8]] {
        var samples: [[UInt8]] = []
        for peer in network.peers {
            samples.append(try peer.report(at: network.now))
            for sender in peer.senders { samples.append(try sender.senderReport(at: network.now)) }
            for receiver in peer.receivers {
                var bytes = [UInt8](repeating: 0, count: 200)
                var span = bytes.mutableSpan
                let numbers = (0..<40).map { SequenceNumber(UInt16(0x7ff0) &+ UInt16($0) * 3) }
                let nack = try Nack.write(
                    sender: SSRC(1), media: receiver.ssrc, numbers.span, into: &span, at: 0)
                let length = try PictureLossIndication(sender: SSRC(1), media: receiver.ssrc).write(
                    into: &span, at: nack.length)
                samples.append(Array(bytes[..<(nack.length + length)]))
            }
        }
        return samples
    }

    @Test func `a header without room for more is left out, retransmitted or not`() throws {
        let bench = Bench()
        let router = try bench.router()
        let sender = SimulatedSender(.camera, mid: shortID("0"), ssrc: 1_000)
        let publisher = SimulatedPeer(participant: 1, router: router, senders: [sender], seats: 0).setup
        let viewerPeer = SimulatedPeer(participant: 2, router: router, senders: [], seats: 1)
        let from = try bench.add(publisher)
        let to = try bench.add(viewerPeer.setup)
        var sent = 0
        for length in 200...255 {
            var bytes = [UInt8](repeating: 0, count: 400)
            var span = bytes.mutableSpan
            let fields = RTPFields(
                marker: true, payloadType: Negotiated.vp8, sequenceNumber: SequenceNumber(UInt16(length)),
                timestamp: RTPTimestamp(0), ssrc: SSRC(1_000))
            var writer = try RTPWriter(fields, usingTwoByteForm: true, into: &span)
            try writer.append(id: 1, shortID("0"), to: &span)
            let filler = [UInt8](repeating: 7, count: length)
            try writer.append(id: Negotiated.id(.dependencyDescriptor), filler.span, to: &span)
            let end = try writer.finish(&span)
            let payload = vp8Descriptor(starts: true, picture: 1, tl0: 1, key: 1) + [0x10] + Mark(id: 1).bytes
            bench.receive(Array(bytes[..<end]) + payload, from: from)
            var nack = [UInt8](repeating: 0, count: 16)
            var nackSpan = nack.mutableSpan
            let number: [SequenceNumber] = [SequenceNumber(0x7ff0 &+ UInt16(length - 200))]
            _ = try Nack.write(
                sender: SSRC(1), media: viewerPeer.videoReceivers[0].ssrc, number.span, into: &nackSpan, at: 0
            )
            bench.receiveControl(nack, from: to)
            sent += bench.drain().filter { !$0.isControl }.count
        }
        #expect(sent > 80)
    }

    @Test(arguments: [
        (HeaderExtensionKind.audioLevel, 1, false), (.audioLevel, 2, false),
        (.dependencyDescriptor, 2, false),
        (.dependencyDescriptor, 3, true),
    ])
    func `viewers get no extension that can't be right`(
        kind: HeaderExtensionKind, length: Int, isPassedOn: Bool
    ) throws {
        let bench = Bench()
        let router = try bench.router()
        let sender = SimulatedSender(.camera, mid: shortID("0"), ssrc: 1_000)
        let from = try bench.add(
            SimulatedPeer(participant: 1, router: router, senders: [sender], seats: 0).setup)
        _ = try bench.add(SimulatedPeer(participant: 2, router: router, senders: [], seats: 1).setup)
        var bytes = [UInt8](repeating: 0, count: 200)
        var span = bytes.mutableSpan
        let fields = RTPFields(
            marker: true, payloadType: Negotiated.vp8, sequenceNumber: SequenceNumber(7),
            timestamp: RTPTimestamp(0), ssrc: SSRC(1_000))
        var writer = try RTPWriter(fields, into: &span)
        try writer.append(id: Negotiated.id(.mid), shortID("0"), to: &span)
        try writer.append(id: Negotiated.id(kind), [UInt8](repeating: 0, count: length).span, to: &span)
        let end = try writer.finish(&span)
        let payload = vp8Descriptor(starts: true, picture: 1, tl0: 1, key: 1) + [0x10] + Mark(id: 1).bytes
        bench.receive(Array(bytes[..<end]) + payload, from: from)
        let sent = bench.drain().filter { !$0.isControl }
        #expect(sent.count == 1)
        let packet = try #require(sent.first).bytes
        var elements = HeaderExtensions(of: try RTPHeader(parsingHeaderOf: packet.span))
        var isThere = false
        while let element = elements.next(in: packet.span) {
            if element.id == Negotiated.id(kind) { isThere = true }
        }
        #expect(isThere == isPassedOn)
    }
}
