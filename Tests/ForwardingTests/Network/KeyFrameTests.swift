import FixedCollections
import Testing
import Wire

@testable import Forwarding

@Suite struct KeyFrameTests {
    private func mostInASecond(_ times: [Instant]) -> Int {
        times.map { start in times.filter { $0 >= start && $0 < start + .seconds(1) }.count }.max() ?? 0
    }

    @Test func `fifty viewers who come within a second cost one request a second`() throws {
        let network = try Network(seed: 1)
        let publisher = try network.join(1, sources: [.camera], seats: 0)
        try network.run(for: .seconds(5))
        for participant in UInt64(2)..<52 {
            try network.join(participant, sources: [], seats: 1)
            try network.run(for: .milliseconds(20))
        }
        try network.run(for: .seconds(2))
        let requests = publisher.senders[0].refreshes
        #expect(mostInASecond(requests) <= 1)
        #expect(requests.count <= 3)
        for viewer in network.peers.dropFirst() {
            #expect(viewer.videoReceivers[0].firstKeyFrameAt != nil)
        }
        #expect(network.egress.repeatedNumbers == 0)
    }

    @Test func `viewers who ask all the time get no more than a request a second through`() throws {
        let network = try Network(seed: 2)
        let publisher = try network.join(1, sources: [.camera], seats: 0)
        let viewers = try (UInt64(2)..<6).map { try network.join($0, sources: [], seats: 1) }
        try network.run(for: .seconds(1))
        for _ in 0..<200 {
            for viewer in viewers {
                var bytes = [UInt8](repeating: 0, count: 12)
                var span = bytes.mutableSpan
                _ = try PictureLossIndication(sender: SSRC(1), media: viewer.videoReceivers[0].ssrc).write(
                    into: &span, at: 0)
                network.bench.receiveControl(bytes, from: viewer.id)
            }
            try network.run(for: .milliseconds(25))
        }
        let requests = publisher.senders[0].refreshes
        #expect(requests.count >= 4 && requests.count <= 7)
    }

    @Test(arguments: 1...5) func `a late joiner begins with the cached key frame, and nobody is asked`(
        seed: UInt64
    ) throws {
        let network = try Network(seed: seed)
        let link = Link(jitter: .milliseconds(seed == 1 ? 0 : 20))
        let publisher = try network.join(1, sources: [.camera], seats: 0, link: link)
        try network.join(2, sources: [], seats: 1, link: link)
        try network.run(for: .seconds(4))
        publisher.senders[0].wantsKeyFrame = true
        try network.run(for: .milliseconds(700))
        let asked = publisher.senders[0].refreshes.count
        let joined = network.now
        let late = try network.join(3, sources: [], seats: 1, link: link)
        try network.run(for: .seconds(2))
        let first = try #require(late.videoReceivers[0].firstKeyFrameAt)
        #expect(first - joined < .milliseconds(100))
        #expect(publisher.senders[0].refreshes.count == asked)
        // Nothing is missing between the key frame and the live packets.
        let entries = network.egress.entries(late, late.videoReceivers[0]).sorted {
            $0.extended < $1.extended
        }
        #expect(entries.count > 100)
        // The last ones may still be overtaking each other.
        let settled = entries.dropLast(10)
        for (last, next) in zip(settled, settled.dropFirst()) { #expect(next.extended == last.extended + 1) }
    }

    @Test func `a late joiner of an old group gets its first picture within a second`() throws {
        let network = try Network(seed: 3)
        let publisher = try network.join(1, sources: [.camera], seats: 0)
        try network.join(2, sources: [], seats: 1)
        try network.run(for: .seconds(10))
        let keyFrames = publisher.senders[0].keyFrames
        let joined = network.now
        let late = try network.join(3, sources: [], seats: 1)
        try network.run(for: .seconds(2))
        let first = try #require(late.videoReceivers[0].firstKeyFrameAt)
        #expect(first - joined < .milliseconds(300))
        #expect(publisher.senders[0].keyFrames == keyFrames + 1)
    }

    @Test func `a source that offers only FIR is asked by FIR, and one that offers none isn't`() throws {
        for (feedback, asks) in [(FeedbackOptions.fir, true), ([], false)] {
            let bench = Bench()
            let router = try bench.router()
            let sender = SimulatedSender(.camera, mid: shortID("0"), ssrc: 1_000)
            let publisher = SimulatedPeer(
                participant: 1, router: router, senders: [sender], seats: 0, feedback: feedback)
            publisher.id = try bench.add(publisher.setup)
            var ids = IDs()
            for packet in try sender.nextFrame(
                at: bench.now, ids: &ids, transport: &publisher.transportSequence)
            {
                bench.receive(packet, from: publisher.id)
            }
            bench.advance(.seconds(10))
            let viewer = SimulatedPeer(participant: 2, router: router, senders: [], seats: 1)
            viewer.id = try bench.add(viewer.setup)
            let sent = bench.drain().filter { $0.isControl && $0.peer == publisher.id }
            let kinds = try sent.flatMap { try messageKinds($0.bytes) }
            #expect(kinds.contains(.fullIntraRequest) == asks)
            #expect(!kinds.contains(.pictureLossIndication))
        }
    }

    private func messageKinds(_ bytes: [UInt8]) throws -> [RTCPMessageKind] {
        var kinds: [RTCPMessageKind] = []
        var reader = RTCPReader()
        while let packet = try reader.next(in: bytes.span) { kinds.append(packet.kind(in: bytes.span)) }
        return kinds
    }
}
