import FixedCollections
import Testing
import Wire

@testable import Forwarding

struct AudibleVoicesTests {
    @Test func `a voice is heard from its first packet on, and silence for three packets`() throws {
        var voice = VoiceTrace(seed: 1)
        let room = try VoiceRoom(3)
        let talk = voice.talk(.seconds(1))
        try room.play([1: talk + Array(repeating: 0, count: 50) + talk])
        #expect(room.count(1) == talk.count * 2 + 3)
        // The rest wasn't even opened.
        #expect(room.opened[1] == talk.count * 2 + 3)
        #expect(room.heard.first?.at == Instant(nanoseconds: 1_020_000_000))
    }

    @Test func `what was left out leaves no gap, and time goes on as it passed`() throws {
        let room = try VoiceRoom(1)
        let talk = [UInt8](repeating: 100, count: 10)
        try room.play([1: talk + Array(repeating: 0, count: 40) + talk])
        let headers = room.heard.map(\.header)
        #expect(headers.count == 23)
        for (earlier, later) in zip(headers, headers.dropFirst()) {
            #expect(later.sequenceNumber.distance(from: earlier.sequenceNumber) == 1)
        }
        #expect(headers[13].timestamp.distance(from: headers[12].timestamp) == 38 * 960)
        // Nobody is asked for what was dropped, and nothing is reported as lost.
        #expect(room.bench.counters.nacksSent == 0)
        let encodings = room.bench.forwarder.encodings.endIndex
        for index in 0..<encodings where room.bench.forwarder.encodings.contains(index) {
            let lost = room.bench.forwarder.encodings[index].statistics.cumulativeLost
            #expect(lost == 0)
        }
    }

    @Test func `a thousand seconds of silence don't end a stream`() throws {
        let room = try VoiceRoom(1)
        let talk = [UInt8](repeating: 100, count: 5)
        try room.play([1: talk + Array(repeating: 0, count: 50_000) + talk])
        #expect(room.count(1) == 13)
        // One in 1,500 is opened, so that SRTP's count of turns is kept.
        #expect((room.opened[1] ?? 0) < 13 + 50_000 / 1_500 + 2)
    }

    @Test func `without room a voice waits until somebody has been silent for a second`() throws {
        var voice = VoiceTrace(seed: 2)
        let room = try VoiceRoom(2, maxAudible: 1)
        let (first, second) = (voice.talk(.seconds(3)), voice.talk(.seconds(2)))
        try room.play([1: first, 2: Array(repeating: 0, count: 50) + second])
        #expect(room.count(1) == first.count)
        #expect(room.count(2) == 0)
        room.forget()
        let start = room.bench.now
        try room.play([1: Array(repeating: 0, count: 100), 2: voice.talk(.seconds(2))])
        let heardAt = try #require(room.heard.first { $0.participant == 2 }?.at)
        #expect(heardAt - start >= .milliseconds(700) && heardAt - start <= .milliseconds(1_400))
    }

    @Test(arguments: [(20, true), (3, false)])
    func `somebody else is heard after being 6 dB louder for 300 ms`(lead: Int, takesOver: Bool) throws {
        let room = try VoiceRoom(2, maxAudible: 1)
        // Syllables, so that it isn't a steady noise.
        let word: [UInt8] = Array(repeating: 90, count: 12) + [40, 40]
        let talk = Array((0..<10).map { _ in word }.joined())
        try room.play([1: talk])
        let start = room.bench.now
        try room.play([1: talk, 2: talk.map { $0 > 40 ? $0 + UInt8(lead) : $0 }])
        let heardAt = room.heard.first { $0.participant == 2 }?.at
        #expect((heardAt != nil) == takesOver)
        if let heardAt {
            #expect(heardAt - start >= .milliseconds(300) && heardAt - start <= .milliseconds(700))
            // Who was heard before isn't any more.
            #expect(room.heard.last { $0.participant == 1 }.map { $0.at <= heardAt } == true)
        }
    }

    @Test func `noise makes way for a voice at once`() throws {
        var voice = VoiceTrace(seed: 4)
        let room = try VoiceRoom(3, maxAudible: 2)
        let noise = voice.noise(.seconds(3), level: 60)
        try room.play([1: noise, 2: noise])
        #expect(room.count(1) == noise.count && room.count(2) == noise.count)
        let start = room.bench.now
        try room.play([1: noise, 2: noise, 3: [100, 100, 100]])
        #expect(room.count(3) == 3)
        #expect(room.heard.first { $0.participant == 3 }?.at == start + .milliseconds(20))
        // Background noise of who isn't heard is dropped unopened.
        let opened = [1, 2].compactMap { room.opened[$0] }.reduce(0, +)
        #expect(opened < noise.count * 4)
    }

    @Test func `a voice without a seat gets one with its first packet, from somebody who isn't heard`() throws
    {
        let room = try VoiceRoom(6, videoSeats: 1, audioSeats: 3)
        // The first is seen; the two seats for voices alone went to the next.
        let before = room.bench.occupants(of: room.viewer, isVideo: false)
        #expect(before[0] == 1 && Set(before) == [1, 2, 3])
        try room.play([2: [100], 6: [100]])
        #expect(room.count(2) == 1 && room.count(6) == 1)
        try room.play([5: [100]])
        // Both are taken by voices: nobody loses a seat in the middle of a word.
        #expect(room.count(5) == 0)
        try room.play([2: Array(repeating: 0, count: 60)])
        try room.play([5: [100]])
        #expect(room.count(5) == 1)
    }

    @Test func `with fewer voices than pictures whoever speaks is heard, seen or not`() throws {
        let room = try VoiceRoom(6, videoSeats: 4, audioSeats: 2)
        #expect(room.bench.occupants(of: room.viewer, isVideo: false) == [1, 2])
        // The fourth is seen, the sixth isn't.
        try room.play([4: [100], 6: [100]])
        #expect(room.count(4) == 1 && room.count(6) == 1)
        // Nobody loses a seat in the middle of a word, nor when somebody is seated anew.
        try room.play([1: [100]])
        #expect(room.count(1) == 0)
        try room.join(7)
        try room.play([4: [100], 6: [100]])
        #expect(room.count(4) == 2 && room.count(6) == 2)
        // The first has its seat again when one of them is silent.
        try room.play([4: Array(repeating: 0, count: 60), 6: Array(repeating: 100, count: 60)])
        try room.play([1: [100]])
        #expect(room.count(1) > 0 && room.count(6) == 62)
    }

    @Test func `who comes into the middle of a talk hears it, with fewer voices than pictures too`() throws {
        let room = try VoiceRoom(6, videoSeats: 4, audioSeats: 2)
        try room.play([3: [100], 4: [100]])
        let late = try room.view(videoSeats: 5, audioSeats: 2)
        #expect(Set(room.bench.occupants(of: late, isVideo: false)) == [3, 4])
        #expect(room.bench.occupants(of: late, isVideo: true) == [1, 2, 3, 4, 5])
    }

    @Test func `mute frees the place, and a limit that sinks takes the latest away`() throws {
        let room = try VoiceRoom(3, maxAudible: 2)
        try room.play([1: [100], 2: [100], 3: [60]])
        #expect(room.count(3) == 0)
        let second = try #require(room.peers[2])
        room.bench.setLive(false, .microphone, of: second)
        try room.play([3: [60]])
        #expect(room.count(3) == 1)
        room.bench.forwarder.setLimits(RouterLimits(maxAudible: 1), of: room.router, at: room.bench.now)
        room.forget()
        try room.play([1: [100], 3: [60]])
        #expect(room.count(1) == 1 && room.count(3) == 0)
    }
}
