import FixedCollections
import Testing
import TestSupport
import Wire

@testable import Forwarding

@Suite struct RelayTests {
    private func spread(_ seed: UInt64, workers: Int = 2) throws -> Network {
        try Network(seed: seed, workers: workers, limits: Bench.limits(mirrors: 64))
    }

    /// The part of a sender's frames that a viewer has whole, start and end of the simulation left out.
    private func completeness(_ sender: SimulatedSender, _ receiver: SeatReceiver) -> Double {
        let frames = sender.frames.dropFirst(60).dropLast(60)
        let whole = frames.filter { receiver.frames[$0]?.isWhole == true }
        return Double(whole.count) / Double(frames.count)
    }

    /// The viewer's receiver on which somebody's picture is.
    private func seat(
        of viewer: SimulatedPeer, with publisher: SimulatedPeer, in network: Network
    )
        -> SeatReceiver?
    {
        let seats = network.benches[viewer.worker].occupancy(of: viewer.id).filter(\.isVideo)
        guard let place = seats.firstIndex(where: { $0.participant == publisher.participant }) else {
            return nil
        }
        return viewer.videoReceivers[place]
    }

    @Test(arguments: Weather.all)
    func `everybody gets everybody's packets once, whichever worker they are on`(weather: Weather) throws {
        let network = try spread(1, workers: 3)
        let link = Link(loss: weather.loss, jitter: weather.jitter, duplication: weather.duplication)
        for participant in UInt64(1)...6 {
            try network.join(participant, on: Int(participant) % 3, seats: 5, link: link)
        }
        try network.run(for: .seconds(8))
        #expect(network.egress.repeatedNumbers == 0)
        #expect(network.egress.unreadable == 0)
        #expect(network.relay.strays == 0, "nothing is sent to a mirror")
        for viewer in network.peers {
            for receiver in viewer.videoReceivers + viewer.audioReceivers {
                checkDelivery(network, viewer, receiver)
            }
            for publisher in network.peers where publisher !== viewer {
                let camera = try #require(publisher.sender(.camera))
                let receiver = try #require(seat(of: viewer, with: publisher, in: network))
                let part = completeness(camera, receiver)
                #expect(part >= (weather.loss > 0 ? 0.97 : 1), "\(part)")
            }
        }
    }

    @Test func `what is lost on the way in or out is got again on both workers`() throws {
        let network = try spread(2)
        let link = Link(loss: 0.1, delay: .milliseconds(25), jitter: .milliseconds(5))
        for participant in UInt64(1)...3 {
            try network.join(participant, on: Int(participant) % 2, sources: [.camera], seats: 2, link: link)
        }
        try network.run(for: .seconds(20))
        for viewer in network.peers {
            for publisher in network.peers where publisher !== viewer {
                let receiver = try #require(seat(of: viewer, with: publisher, in: network))
                let part = completeness(publisher.senders[0], receiver)
                #expect(part >= 0.97, "\(part)")
                #expect(receiver.repaired > 0)
            }
        }
        #expect(network.egress.repeatedNumbers == 0)
        for bench in network.benches { #expect(bench.counters.recovered > 0) }
    }

    @Test func `viewers on all workers together cost a source one key frame request a second`() throws {
        let network = try spread(3, workers: 4)
        let publisher = try network.join(1, sources: [.camera], seats: 0)
        try network.run(for: .seconds(5))
        for participant in UInt64(2)..<42 {
            try network.join(participant, on: Int(participant) % 4, sources: [], seats: 1)
            try network.run(for: .milliseconds(25))
        }
        try network.run(for: .seconds(2))
        let requests = publisher.senders[0].refreshes
        let most = requests.map { start in
            requests.filter { $0 >= start && $0 < start + .seconds(1) }.count
        }
        #expect((most.max() ?? 0) == 1)
        for viewer in network.peers.dropFirst() {
            #expect(viewer.videoReceivers[0].firstKeyFrameAt != nil)
        }
        #expect(network.egress.repeatedNumbers == 0)
    }

    @Test func `a viewer on another worker gets its first picture soon`() throws {
        let network = try spread(4)
        try network.join(1, sources: [.camera], seats: 0)
        try network.run(for: .seconds(10))
        let joined = network.now
        let late = try network.join(2, on: 1, sources: [], seats: 1)
        try network.run(for: .seconds(2))
        let first = try #require(late.videoReceivers[0].firstKeyFrameAt)
        #expect(first - joined < .milliseconds(300))
    }

    @Test func `packets that wait between workers when a source is muted leave nowhere`() throws {
        let network = try spread(5)
        let publisher = try network.join(1, seats: 0)
        let viewer = try network.join(2, on: 1, sources: [], seats: 1)
        try network.run(for: .seconds(3))
        network.relay.isHeld = true
        try network.run(for: .seconds(1))
        #expect(network.relay.packets.count > 100)
        network.setLive(false, .microphone, of: publisher)
        network.setLive(false, .camera, of: publisher)
        network.relay.isHeld = false
        let muted = network.now
        try network.run(for: .seconds(2))
        for receiver in viewer.receivers {
            #expect(network.egress.entries(viewer, receiver).count > 50)
            #expect(!network.egress.entries(viewer, receiver).contains { $0.at >= muted })
        }
        // While it is off, nothing crosses.
        #expect(network.relay.packets.isEmpty)
        network.setLive(true, .microphone, of: publisher)
        network.setLive(true, .camera, of: publisher)
        let restored = network.now
        try network.run(for: .seconds(2))
        for receiver in viewer.receivers {
            let next = network.egress.entries(viewer, receiver).first { $0.at > restored }
            #expect((next?.at ?? .distantFuture) - restored < .milliseconds(300))
            checkContinuity(network, viewer, receiver)
        }
    }

    @Test func `a picture crosses only while somebody on the other worker has it on a seat`() throws {
        let network = try spread(6)
        let publishers = try (UInt64(1)...3).map { try network.join($0, seats: 0) }
        let viewer = try network.join(4, on: 1, sources: [], seats: 1)
        try network.run(for: .seconds(3))
        let crossed = network.relay.crossed
        #expect(crossed[1]?[.camera] ?? 0 > 100)
        for publisher in publishers.dropFirst() {
            #expect(crossed[publisher.participant]?[.camera] == nil)
            #expect(crossed[publisher.participant]?[.microphone] ?? 0 > 100, "voices are ranked everywhere")
        }
        network.setLive(false, .camera, of: publishers[0])
        try network.run(for: .seconds(3))
        #expect(network.relay.crossed[1]?[.camera] ?? 0 == crossed[1]?[.camera])
        #expect(network.relay.crossed[2]?[.camera] ?? 0 > 50)
        network.leave(viewer)
        try network.run(for: .milliseconds(100))
        let last = network.relay.crossed[2]?[.camera]
        try network.run(for: .seconds(1))
        #expect(network.relay.crossed[2]?[.camera] == last)
    }

    @Test func `a picture that comes back to a seat begins anew, from nothing that is old`() throws {
        let network = try spread(7)
        let first = try network.join(1, sources: [.camera], seats: 0)
        let second = try network.join(2, sources: [.camera], seats: 0)
        let viewer = try network.join(3, on: 1, sources: [], seats: 1)
        try network.run(for: .seconds(2))
        for _ in 0..<10 {
            network.setLive(false, .camera, of: first)
            try network.run(for: .milliseconds(400))
            network.setLive(true, .camera, of: first)
            // Whoever is seen stays until it has nothing to show.
            network.setLive(false, .camera, of: second)
            try network.run(for: .milliseconds(400))
            network.setLive(true, .camera, of: second)
        }
        try network.run(for: .seconds(3))
        #expect(network.egress.repeatedNumbers == 0)
        let receiver = viewer.videoReceivers[0]
        checkContinuity(network, viewer, receiver)
        let frames = Set(first.senders[0].frames.suffix(40).dropLast(10))
        #expect(frames.allSatisfy { receiver.frames[$0]?.isWhole == true })
        #expect(second.senders[0].frames.contains { receiver.frames[$0] != nil })
    }

    @Test func `a stream whose packets name it no more is known where it comes to late`() throws {
        let network = try spread(8)
        let publisher = try network.join(1, seats: 0)
        try network.join(2, sources: [], seats: 1)
        try network.run(for: .seconds(1))
        for sender in publisher.senders { sender.namesMid = false }
        try network.run(for: .seconds(1))
        let viewer = try network.join(3, on: 1, sources: [], seats: 1)
        try network.run(for: .seconds(3))
        for receiver in [viewer.videoReceivers[0], viewer.audioReceivers[0]] {
            #expect(receiver.packets > 100)
        }
    }

    @Test func `of several encodings the other worker shows the richest one too, while it comes`() throws {
        let network = try spread(13)
        let senders = ["q", "h", "f"].enumerated().map { index, rid in
            let sender = SimulatedSender(
                .camera, mid: shortID("0"), rid: shortID(rid), ssrc: UInt32(1_000 + index * 2),
                sequence: UInt16(20_000 * index))
            sender.packetsAFrame = [1, 3, 9][index]
            return sender
        }
        try network.join(1, senders: senders, seats: 0)
        let viewers = try [0, 1].map { try network.join(UInt64(2 + $0), on: $0, sources: [], seats: 1) }
        try network.run(for: .seconds(4))
        let settled = senders.map(\.frames.count)
        try network.run(for: .seconds(4))
        senders[2].isRunning = false
        try network.run(for: .seconds(1))
        let stopped = senders[1].frames.count
        try network.run(for: .seconds(4))
        for viewer in viewers {
            let shown = Set(viewer.videoReceivers[0].frames.filter { $0.value.isWhole }.keys)
            let best = senders[2].frames.dropFirst(settled[2])
            #expect(best.count > 100 && best.dropLast(3).allSatisfy { shown.contains($0) })
            let next = senders[1].frames.dropFirst(stopped + 60)
            #expect(next.count > 50 && next.dropLast(3).allSatisfy { shown.contains($0) })
            #expect(!senders[0].frames.dropFirst(settled[0]).contains { shown.contains($0) })
        }
    }

    @Test func `seats follow one order on all workers, however late one comes to it`() throws {
        let network = try spread(9)
        for participant in UInt64(1)...6 {
            let sources: [Source] =
                participant == 3 ? [.microphone, .camera, .screen] : [.microphone, .camera]
            try network.join(participant, on: Int(participant * 7 % 2), sources: sources, seats: 0)
        }
        let viewers = try [0, 1].map {
            try network.join(UInt64(10 + $0), on: $0, sources: [], seats: 3)
        }
        try network.run(for: .seconds(1))
        for source in [Source.camera, .screen] { network.setLive(false, source, of: network.peers[2]) }
        network.leave(network.peers[0])
        try network.run(for: .seconds(1))
        let seen = viewers.map { viewer in
            network.benches[viewer.worker].occupancy(of: viewer.id).map(\.participant)
        }
        #expect(seen[0] == seen[1])
        #expect(seen[0].count == 6 && !seen[0].contains(nil))
    }

    @Test func `sender reports cross, for lip sync`() throws {
        let network = try spread(10)
        let publisher = try network.join(1, seats: 0)
        let viewer = try network.join(2, on: 1, sources: [], seats: 1)
        try network.run(for: .seconds(5))
        for (receiver, source) in [
            (viewer.videoReceivers[0], Source.camera), (viewer.audioReceivers[0], .microphone),
        ] {
            #expect(receiver.reports >= 2)
            let entry = try #require(network.egress.entries(viewer, receiver).last)
            let taken = try #require(receiver.time(of: entry.timestamp))
            let sender = try #require(publisher.sender(source))
            // Under the publisher's own clock, up to the way of the last packet and the report.
            let own = NTPTime(sinceUnixEpoch: .seconds(1_600_000_000) + sender.clock(at: network.now))
            let age = own.elapsed(since: NTPTime(rawValue: 0)) - taken
            #expect(age > .zero && age < .milliseconds(120), "\(age)")
        }
    }

    @Test func `both workers find the same dominant speaker`() throws {
        let network = try spread(11)
        for participant in UInt64(1)...2 { try network.join(participant, on: Int(participant - 1), seats: 1) }
        let microphones = network.peers.compactMap { $0.sender(.microphone) }
        var voice = VoiceTrace(seed: 23)
        for speaker in [0, 1] {
            for (number, microphone) in microphones.enumerated() {
                microphone.loudness =
                    number == speaker ? voice.talk(.seconds(3)) : voice.silence(.seconds(3))
            }
            try network.run(for: .seconds(3))
            let named = network.benches.map { $0.dominantSpeaker(in: network.router) }
            let participant = network.peers[speaker].participant
            #expect(named == [participant, participant])
        }
    }

    @Test func `two hundred joins and leaves leave no mirror behind`() throws {
        let network = try spread(12)
        for round in UInt64(0)..<200 {
            try network.join(round + 1, on: network.generator.below(2), seats: 2)
            try network.run(for: .milliseconds(network.generator.below(60)))
            while network.peers.count > 3 {
                network.leave(network.peers[network.generator.below(network.peers.count)])
            }
        }
        #expect(network.relay.crossed.count > 100)
        for peer in network.peers { network.leave(peer) }
        try network.run(for: .milliseconds(100))
        for bench in network.benches {
            #expect(bench.tableCounts == [0, 0, 0, 0, 0])
            #expect(bench.packetCount == 0)
            #expect(bench.forwarder.unsettledMirrors.count == 0)
        }
    }
}
