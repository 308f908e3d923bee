import FixedCollections
import TestSupport
import Testing
import Wire

@testable import Forwarding

/// Who gets a video seat as people speak, and as the viewer says what it wants.
struct SpeakerSeatingTests {
    private static func video(_ room: VoiceRoom) -> [UInt64?] {
        room.bench.occupants(of: room.viewer, isVideo: true)
    }

    private static func set(_ room: VoiceRoom, _ change: (inout ViewerPreferences) -> Void) {
        var viewing = ViewerPreferences()
        change(&viewing)
        room.bench.forwarder.setViewing(viewing, of: room.viewer, at: room.bench.now)
    }

    @Test func `who speaks takes the seat of whoever spoke the longest ago, and nobody else moves`() throws {
        var voice = VoiceTrace(seed: 11)
        let room = try VoiceRoom(5, videoSeats: 3, audioSeats: 4)
        #expect(Self.video(room) == [1, 2, 3])
        // Nobody has spoken: the one who joined last goes.
        try room.play([5: voice.talk(.seconds(3))])
        #expect(Self.video(room) == [1, 2, 5])
        try room.play([2: voice.talk(.seconds(3))])
        #expect(Self.video(room) == [1, 2, 5])
        try room.play([3: voice.talk(.seconds(3))])
        #expect(Self.video(room) == [3, 2, 5])
        try room.play([4: voice.talk(.seconds(3))])
        #expect(Self.video(room) == [3, 2, 4])
        // Audio follows the picture.
        #expect(room.bench.occupants(of: room.viewer, isVideo: false).prefix(3) == [3, 2, 4])
    }

    @Test func `whoever becomes the dominant speaker is told of, and seated, in one turn`() throws {
        var voice = VoiceTrace(seed: 15)
        let room = try VoiceRoom(4, videoSeats: 2, audioSeats: 3)
        room.drain()
        let before = room.bench.events.count
        try room.play([4: voice.talk(.seconds(2))])
        let told = room.bench.events.dropFirst(before)
        let speaker = try #require(
            told.firstIndex { $0.event == .dominantSpeaker(room.router, participant: 4) })
        let seats = try #require(told[speaker...].firstIndex { $0.event == .seats(room.viewer) })
        #expect(told[speaker].at == told[seats].at)
        #expect(Self.video(room) == [1, 4])
    }

    @Test func `whom the viewer pinned stays, whoever speaks`() throws {
        var voice = VoiceTrace(seed: 12)
        let room = try VoiceRoom(5, videoSeats: 2, audioSeats: 4)
        Self.set(room) { _ = $0.pin(.init(participant: 4, source: .camera)) }
        #expect(Self.video(room) == [1, 4])
        for speaker: UInt64 in [2, 3, 5] {
            try room.play([speaker: voice.talk(.seconds(3))])
            #expect(Self.video(room) == [speaker, 4])
        }
        Self.set(room) { _ in }
        try room.play([3: voice.talk(.seconds(3))])
        #expect(Set(Self.video(room)) == [3, 5])
    }

    @Test func `lastN and the session's limit leave seats empty`() throws {
        let room = try VoiceRoom(5, videoSeats: 4, audioSeats: 6)
        Self.set(room) { $0.lastN = 2 }
        #expect(Self.video(room) == [1, 2, nil, nil])
        // Those who aren't seen are heard all the same.
        #expect(Set(room.bench.occupants(of: room.viewer, isVideo: false)).isSuperset(of: [1, 2, 3, 4, 5]))
        Self.set(room) { $0.lastN = 0 }
        #expect(Self.video(room) == [nil, nil, nil, nil])
        Self.set(room) { _ in }
        #expect(Self.video(room) == [1, 2, 3, 4])
        room.bench.forwarder.setLimits(RouterLimits(maxVideoSeats: 3), of: room.router, at: room.bench.now)
        #expect(Self.video(room).compactMap { $0 }.count == 3)
    }

    @Test func `in a spotlight the seat that is shown has who speaks`() throws {
        var voice = VoiceTrace(seed: 13)
        let room = try VoiceRoom(4, videoSeats: 3, audioSeats: 4)
        Self.set(room) { viewing in
            viewing.layout = .spotlight
            viewing.seats = ["v0", "v1"].map { .init(mid: shortID($0), maxHeight: nil, isPaused: true) }
        }
        #expect(Self.video(room) == [nil, nil, 3])
        for speaker: UInt64 in [3, 4, 2] {
            try room.play([speaker: voice.talk(.seconds(3))])
            #expect(Self.video(room) == [nil, nil, speaker])
        }
    }

    @Test func `a seat that is paused gets nothing, and begins with a key frame when it is shown again`()
        throws
    {
        let network = try Network(seed: 14)
        let publisher = try network.join(1, seats: 0)
        let viewer = try network.join(2, sources: [], seats: 1)
        try network.run(for: .seconds(2))
        let receiver = viewer.videoReceivers[0]
        let shown = receiver.packets
        #expect(shown > 0)
        for isPaused in [true, false] {
            var viewing = ViewerPreferences()
            viewing.seats = [.init(mid: shortID("v0"), maxHeight: nil, isPaused: isPaused)]
            for way in [
                viewing,
                {
                    var all = ViewerPreferences(); all.isVideoPaused = isPaused; return all
                }(),
            ] {
                network.bench.forwarder.setViewing(way, of: viewer.id, at: network.now)
                let before = receiver.packets
                let keyFrames = publisher.sender(.camera)?.keyFrames ?? 0
                try network.run(for: .seconds(3))
                if isPaused {
                    // What was under way still came.
                    #expect(receiver.packets - before < 10)
                } else {
                    #expect(receiver.packets > before)
                    _ = keyFrames
                }
            }
        }
        #expect((publisher.sender(.camera)?.keyFrames ?? 0) >= 2)
        #expect(network.egress.repeatedNumbers == 0)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func `no seat is taken from somebody twice in 2 s, whatever happens`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var voice = VoiceTrace(seed: seed)
        let room = try VoiceRoom(9, videoSeats: 3, audioSeats: 5)
        var taken: [Int: Instant] = [:]
        var seen = Self.video(room)
        var off: Set<UInt64> = []
        for _ in 0..<60 {
            let somebody = UInt64(1 + generator.below(9))
            switch generator.below(4) {
            case 0:
                let isOn = off.remove(somebody) != nil
                if !isOn { off.insert(somebody) }
                room.bench.setLive(isOn, .camera, of: try #require(room.peers[somebody]))
            case 1: Self.set(room) { _ = $0.pin(.init(participant: somebody, source: .camera)) }
            default: break
            }
            let talk = voice.talk(.milliseconds(200 + generator.below(1_500)))
            for level in talk {
                let before = seen
                try room.play([somebody: [level]])
                seen = Self.video(room)
                for (seat, (old, new)) in zip(before, seen).enumerated() where old != new {
                    guard let old, new != nil, !off.contains(old) else { continue }
                    let since = taken[seat].map { room.bench.now - $0 } ?? .seconds(60)
                    // What the viewer does is seen a sample later.
                    #expect(since >= .seconds(2) - .milliseconds(20), "seat \(seat): \(since)")
                    taken[seat] = room.bench.now
                }
                #expect(Set(seen.compactMap { $0 }).count == seen.compactMap { $0 }.count)
            }
        }
    }

    @Test func `whoever is shown and speaks no less than the others is never replaced in vain`() throws {
        var voice = VoiceTrace(seed: 15)
        let room = try VoiceRoom(3, videoSeats: 3, audioSeats: 3)
        for speaker: UInt64 in [3, 1, 2, 3, 2, 1] {
            try room.play([speaker: voice.talk(.seconds(2))])
            #expect(Self.video(room) == [1, 2, 3])
        }
    }
}
