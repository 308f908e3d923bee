import FixedCollections
import Testing
import TestSupport
import Wire

@testable import Forwarding

@Suite struct SimulcastTests {
    /// Three encodings, each with three times the bits of the one below, that wander by a third either way from second
    /// to second as a camera's do.
    @Test(arguments: 1...3) func `encodings whose rates wander don't change places`(seed: UInt64) throws {
        let network = try Network(seed: seed)
        var generator = SeededGenerator(seed: seed)
        let senders = ["q", "h", "f"].enumerated().map { index, rid in
            let sender = SimulatedSender(
                .camera, mid: shortID("0"), rid: shortID(rid), ssrc: UInt32(1_000 + index * 2),
                sequence: UInt16(20_000 * index))
            sender.packetsAFrame = [1, 3, 9][index]
            return sender
        }
        let publisher = try network.join(1, senders: senders, seats: 0)
        let viewer = try network.join(2, sources: [], seats: 1)
        try network.run(for: .seconds(4))
        let asked = publisher.senders.map(\.refreshes.count)
        let begun = network.now
        for _ in 0..<60 {
            for sender in senders { sender.packetLength = 60 + generator.below(40) - 20 }
            try network.run(for: .seconds(1))
        }
        let shown = viewer.videoReceivers[0].frames.filter { $0.value.isWhole }.keys
        let settled = senders[2].frames.dropFirst(150)
        #expect(settled.count > 1_000)
        #expect(shown.filter { senders[2].frames.contains($0) }.count > settled.count - 5)
        #expect(!shown.contains { id in senders[0].frames.dropFirst(150).contains(id) })
        #expect(!shown.contains { id in senders[1].frames.dropFirst(150).contains(id) })
        #expect(publisher.senders.map(\.refreshes.count) == asked, "since \(begun)")
    }
}
