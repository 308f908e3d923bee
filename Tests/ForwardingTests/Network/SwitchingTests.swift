import FixedCollections
import Testing
import TestSupport
import Wire

@testable import Forwarding

/// Whether a seat's stream goes on without a seam: no jump of numbers, timestamps rising with them.
func checkContinuity(_ network: Network, _ viewer: SimulatedPeer, _ receiver: SeatReceiver) {
    let entries = network.egress.entries(viewer, receiver).sorted { $0.extended < $1.extended }
    let rate = receiver.isVideo ? 90_000 : 48_000
    for (last, next) in zip(entries, entries.dropFirst()) {
        #expect(next.extended - last.extended < 50)
        let step = next.timestamp.distance(from: last.timestamp)
        let passed = Int(max(0, (next.at - last.at).wholeMilliseconds)) * rate / 1_000
        #expect(step >= -rate / 5 && step <= passed + rate, "a step of \(step) in \(passed)")
    }
}

@Suite struct SwitchingTests {
    @Test func `nothing of a muted source leaves, from the call on`() throws {
        let network = try Network(seed: 1)
        let publisher = try network.join(1, seats: 0)
        let viewer = try network.join(2, sources: [], seats: 1)
        try network.run(for: .seconds(3))
        network.bench.setLive(false, .microphone, of: publisher.id)
        network.bench.setLive(false, .camera, of: publisher.id)
        let muted = network.now
        try network.run(for: .seconds(5))
        for receiver in viewer.receivers {
            let after = network.egress.entries(viewer, receiver).filter { $0.at > muted }
            #expect(after.isEmpty)
        }
        #expect(network.bench.occupancy(of: viewer.id).allSatisfy { $0.isMuted || $0.participant == nil })
        // What was kept of it is gone as well.
        #expect(network.bench.packetCount == 0)
        network.bench.setLive(true, .microphone, of: publisher.id)
        network.bench.setLive(true, .camera, of: publisher.id)
        let restored = network.now
        try network.run(for: .seconds(2))
        for receiver in [viewer.videoReceivers[0], viewer.audioReceivers[0]] {
            let next = network.egress.entries(viewer, receiver).first { $0.at > restored }
            #expect((next?.at ?? .distantFuture) - restored < .milliseconds(300))
            checkContinuity(network, viewer, receiver)
        }
        #expect(network.egress.repeatedNumbers == 0)
    }

    @Test func `a source muted for a whole turn of its numbers comes back at once`() throws {
        // 65,536 and a few packets while muted: the next number looks like one that is late.
        for skipped in [65_436, 65_536, 65_600] {
            let network = try Network(seed: 2)
            let publisher = try network.join(1, seats: 0)
            let viewer = try network.join(2, sources: [], seats: 1)
            try network.run(for: .seconds(2))
            network.bench.setLive(false, .microphone, of: publisher.id)
            let microphone = try #require(publisher.sender(.microphone))
            microphone.sequence = microphone.sequence &+ UInt16(truncatingIfNeeded: skipped - 50)
            try network.run(for: .seconds(1))
            network.bench.setLive(true, .microphone, of: publisher.id)
            let restored = network.now
            try network.run(for: .seconds(1))
            let after = network.egress.entries(viewer, viewer.audioReceivers[0]).filter { $0.at > restored }
            #expect(after.count >= 45)
            #expect(network.egress.repeatedNumbers == 0)
            checkContinuity(network, viewer, viewer.audioReceivers[0])
        }
    }

    @Test func `a muted stream is opened now and then, for the rollover count`() throws {
        let bench = Bench()
        let router = try bench.router()
        let sender = SimulatedSender(.microphone, mid: shortID("0"), ssrc: 1_000)
        let publisher = SimulatedPeer(participant: 1, router: router, senders: [sender], seats: 0)
        publisher.id = try bench.add(publisher.setup)
        var ids = IDs()
        func next() throws -> [UInt8] {
            try sender.nextFrame(at: bench.now, ids: &ids, transport: &publisher.transportSequence)[0]
        }
        bench.receive(try next(), from: publisher.id)
        bench.setLive(false, .microphone, of: publisher.id)
        var opened: [Int] = []
        for number in 0..<20_000 where bench.receive(try next(), from: publisher.id) { opened.append(number) }
        #expect(opened.count >= 4 && opened.count <= 6)
        for (last, following) in zip(opened, opened.dropFirst()) { #expect(following - last <= 8_192) }
        _ = bench.drain()
        #expect(bench.packetCount == 0)
    }

    @Test(arguments: 1...4) func `when somebody leaves, the next one goes on in the same stream`(
        seed: UInt64
    ) throws {
        let network = try Network(seed: seed)
        let link = Link(loss: seed > 2 ? 0.02 : 0, jitter: .milliseconds(8))
        let viewer = try network.join(1, sources: [], seats: 1, link: link)
        for participant in UInt64(2)...5 { try network.join(participant, seats: 0, link: link) }
        try network.run(for: .seconds(3))
        var frames = 0
        while let first = network.peers.first(where: { !$0.senders.isEmpty }) {
            #expect(network.bench.occupants(of: viewer.id, isVideo: true) == [first.participant])
            #expect(network.bench.occupants(of: viewer.id, isVideo: false) == [first.participant])
            let whole = viewer.videoReceivers[0].frames.values.filter(\.isWhole).count
            #expect(whole > frames + 40)
            frames = whole
            network.leave(first)
            try network.run(for: .seconds(3))
        }
        #expect(network.bench.occupants(of: viewer.id, isVideo: true) == [nil])
        #expect(network.egress.repeatedNumbers == 0)
        for receiver in [viewer.videoReceivers[0], viewer.audioReceivers[0]] {
            #expect(network.egress.entries(viewer, receiver).count > 400)
            checkContinuity(network, viewer, receiver)
        }
        checkPictures(viewer.videoReceivers[0])
    }

    /// VP8's picture ids go on by one a frame as the decoder sees them, whoever is shown.
    private func checkPictures(_ receiver: SeatReceiver) {
        let frames = receiver.frames.values.filter(\.isWhole).sorted {
            $0.timestamp.distance(from: $1.timestamp) < 0
        }
        for (last, next) in zip(frames, frames.dropFirst()) {
            guard let one = last.picture, let two = next.picture else { continue }
            let step = (two &- one) & 0x7fff
            #expect(step >= 1 && step < 100)
            if step == 1, let first = last.tl0, let second = next.tl0 { #expect(second == first &+ 1) }
        }
    }

    @Test func `the richest of three encodings is shown, and taking another goes on in the same stream`()
        throws
    {
        let network = try Network(seed: 4)
        let senders = ["q", "h", "f"].enumerated().map { index, rid in
            let sender = SimulatedSender(
                .camera, mid: shortID("0"), rid: shortID(rid), ssrc: UInt32(1_000 + index * 2),
                sequence: UInt16(20_000 * index), timestamp: UInt32(index) * 1_000_000_000,
                picture: UInt16(index) * 9_000)
            sender.packetsAFrame = 1 + index * 2
            sender.packetsAKeyFrame = 4 * (index + 1)
            return sender
        }
        senders[1].isRunning = false
        senders[2].isRunning = false
        try network.join(1, senders: senders, seats: 0)
        let viewer = try network.join(2, sources: [], seats: 1)
        let receiver = viewer.videoReceivers[0]
        try network.run(for: .seconds(3))
        /// The encoding whose frames are shown now.
        func shown() -> Int? {
            guard let last = receiver.frames.filter({ $0.value.isWhole }).keys.max() else { return nil }
            return senders.firstIndex { $0.frames.contains(last) }
        }
        #expect(shown() == 0)
        senders[1].isRunning = true
        try network.run(for: .seconds(3))
        #expect(shown() == 1)
        senders[2].isRunning = true
        try network.run(for: .seconds(3))
        #expect(shown() == 2)
        let stopped = network.now
        senders[2].isRunning = false
        try network.run(for: .seconds(4))
        #expect(shown() == 1)
        let next = network.egress.entries(viewer, receiver).first { $0.at > stopped + .milliseconds(50) }
        #expect((next?.at ?? .distantFuture) - stopped < .milliseconds(2_100))
        #expect(network.egress.repeatedNumbers == 0)
        checkContinuity(network, viewer, receiver)
        checkPictures(receiver)
    }

    @Test func `sound and picture keep the relation that their sender gave them`() throws {
        let network = try Network(seed: 5)
        let publisher = try network.join(1, seats: 0, link: Link(jitter: .milliseconds(10))) { peer in
            for sender in peer.senders {
                sender.drift = 0.000_3
                sender.packetsAFrame = 1
            }
            // Audio and video timestamps have nothing in common.
            peer.senders[0].timestampBase = 123_456_789
        }
        let viewer = try network.join(2, sources: [], seats: 1)
        var worst = Duration.zero
        for _ in 0..<60 {
            try network.run(for: .seconds(10))
            let microphone = try #require(publisher.sender(.microphone))
            let camera = try #require(publisher.sender(.camera))
            // The same moment in both of the sender's clocks, as the viewer maps them.
            let audio = viewer.audioReceivers[0]
            let video = viewer.videoReceivers[0]
            let lastAudio = try #require(microphone.frames.last { audio.frames[$0]?.isWhole == true })
            let lastVideo = try #require(camera.frames.last { video.frames[$0]?.isWhole == true })
            let audioFrame = try #require(audio.frames[lastAudio])
            let videoFrame = try #require(video.frames[lastVideo])
            let heard = try #require(audio.time(of: audioFrame.timestamp))
            let seen = try #require(video.time(of: videoFrame.timestamp))
            // Taken at most a frame apart.
            let difference = heard - seen
            worst = max(worst, difference < .zero ? .zero - difference : difference)
        }
        #expect(worst < .milliseconds(40 + 34))
        #expect(viewer.videoReceivers[0].reports > 500)
        print("sound and picture apart over 10 minutes, frame interval included: \(worst) at the most")
    }
}
