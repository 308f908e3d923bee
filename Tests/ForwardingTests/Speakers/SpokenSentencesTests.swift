import FixedCollections
import Testing

@testable import Forwarding

struct SpokenSentencesTests {
    @Test func `a spoken sentence names its speaker within a second and keeps them to its end`() {
        for sentence in [SpokenSentences.first, SpokenSentences.second] {
            var voice = VoiceTrace(seed: 3)
            let room = TalkingRoom(participants: 2)
            let silence = Duration.milliseconds(20 * sentence.count)
            room.play([sentence, voice.silence(silence)])
            #expect(room.changes.map(\.participant) == [1])
            #expect(room.changes[0].at <= .seconds(1))
        }
    }

    @Test func `beside a fan only 10 dB quieter somebody is named within a second, and the fan alone isn't`()
    {
        let trace = SpokenSentences.besideFan
        let fan = Array(trace.prefix(150))
        var voice = VoiceTrace(seed: 9)
        let room = TalkingRoom(participants: 2)
        room.play([fan + fan, voice.silence(.seconds(6))])
        #expect(room.changes.isEmpty)
        let start = room.elapsed
        // The sentence twice, a break of less than two seconds between.
        room.play([Array(trace.dropFirst(150)), voice.silence(.seconds(10))])
        #expect(room.changes.map(\.participant) == [1])
        #expect(room.changes[0].at - start <= .seconds(1))
        // The other one's turn; the fan goes on.
        let next = room.elapsed
        room.play([fan + fan, voice.talk(.seconds(2)) + voice.silence(.seconds(4))])
        #expect(room.changes.map(\.participant).prefix(2) == [1, 2])
        #expect(room.changes[1].at - next <= .seconds(1))
        room.wait(.seconds(4))
        #expect(room.changes.map(\.participant) == [1, 2, nil])
    }

    @Test(arguments: 0..<25)
    func `of two who talk at once the first is kept, and the second follows within a second`(delay: Int) {
        let room = TalkingRoom(participants: 2)
        let first = SpokenSentences.second
        let cut = 300 + delay
        // The second begins while the first still talks, and goes on alone.
        let quiet = [UInt8](repeating: 20, count: cut - 150)
        room.play([Array(first.prefix(cut)), quiet + SpokenSentences.first])
        #expect(room.changes.map(\.participant) == [1, 2])
        let end = Duration.milliseconds(20 * cut)
        #expect(room.changes[1].at > end && room.changes[1].at <= end + .milliseconds(1_200))
    }
}
