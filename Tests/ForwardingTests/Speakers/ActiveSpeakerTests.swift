import FixedCollections
import Testing
import Wire

@testable import Forwarding

/// All who speak, as those are told who show it.
struct ActiveSpeakerTests {
    /// Who was told to speak, and when.
    private func told(_ room: VoiceRoom) -> [Instant] {
        room.bench.events.filter { $0.event == .activeSpeakers(room.router) }.map(\.at)
    }

    private func speakers(_ room: VoiceRoom) -> [UInt64] {
        room.bench.forwarder.activeSpeakers(of: room.router).map(\.participant)
    }

    @Test func `two who talk at once are both told of, the louder first, and not the third`() throws {
        var voice = VoiceTrace(seed: 31)
        let room = try VoiceRoom(3)
        let begun = room.bench.now
        try room.play([
            1: voice.talk(.seconds(3), loudness: 85), 2: voice.talk(.seconds(3), loudness: 110),
            3: voice.silence(.seconds(3)),
        ])
        #expect(speakers(room) == [2, 1])
        let first = try #require(told(room).first)
        #expect(first - begun < .seconds(1))
        let levels = room.bench.forwarder.activeSpeakers(of: room.router).map { Int($0.level) }
        #expect(levels[0] > levels[1])
        #expect(levels.allSatisfy { (1...127).contains($0) })
        // Nobody speaks any more: that is told once, and then nothing.
        try room.play([1: voice.silence(.seconds(3)), 2: voice.silence(.seconds(3))])
        #expect(speakers(room).isEmpty)
        let count = told(room).count
        try room.play([1: voice.silence(.seconds(5))])
        #expect(told(room).count == count)
        let idle = room.bench.forwarder.speakerTimers.nextDeadline()
        #expect(idle == .distantFuture)
    }

    @Test func `it is told at most every half second, however much changes`() throws {
        var voice = VoiceTrace(seed: 32)
        let room = try VoiceRoom(4)
        for turn in 0..<20 {
            let speaker = UInt64(turn % 4 + 1)
            try room.play([speaker: voice.talk(.milliseconds(700), loudness: voice.between(70, 115))])
        }
        let times = told(room)
        #expect(times.count > 4)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(500) })
    }

    @Test func `a cough, and noise that goes on, aren't speech`() throws {
        var voice = VoiceTrace(seed: 33)
        let room = try VoiceRoom(2)
        try room.play([1: voice.silence(.seconds(1)), 2: voice.noise(.seconds(6), level: 60)])
        let after = told(room).count
        try room.play([1: voice.cough(.milliseconds(120)), 2: voice.noise(.seconds(3), level: 60)])
        try room.play([2: voice.noise(.seconds(3), level: 60)])
        #expect(speakers(room).isEmpty)
        #expect(told(room).count == after)
    }

    @Test func `whoever is muted or leaves is out in the same turn`() throws {
        var voice = VoiceTrace(seed: 34)
        let room = try VoiceRoom(2)
        try room.play([1: voice.talk(.seconds(2)), 2: voice.talk(.seconds(2))])
        #expect(Set(speakers(room)) == [1, 2])
        room.bench.setLive(false, .microphone, of: try #require(room.peers[1]))
        room.drain()
        #expect(speakers(room) == [2])
        #expect(told(room).last == room.bench.now)
        room.bench.remove(try #require(room.peers[2]))
        room.drain()
        #expect(speakers(room).isEmpty)
        #expect(told(room).last == room.bench.now)
    }
}
