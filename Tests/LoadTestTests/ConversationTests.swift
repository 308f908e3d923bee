import FixedCollections
import Testing

@testable import LoadTest

struct ConversationTests {
    @Test func `one at a time talks, now and then two, and everybody has a turn`() {
        let start = Instant(nanoseconds: 1_000_000_000)
        let conversation = Conversation(
            groups: [Array(0..<4)], atOnce: 1, from: start, to: start + .seconds(300), seed: 4)
        var talkers = [Int](repeating: 0, count: 5)
        var turns = [Int](repeating: 0, count: 4)
        for tenth in 0..<3_000 {
            let now = start + .milliseconds(tenth * 100)
            let speaking = (0..<4).filter { conversation.isSpeaking($0, now) }
            talkers[speaking.count] += 1
            for speaker in speaking { turns[speaker] += 1 }
        }
        #expect(talkers[1] > 2_400)
        #expect(talkers[0] > 30)
        #expect(talkers[2] > 10)
        #expect(talkers[3] + talkers[4] < 30)
        #expect(turns.allSatisfy { $0 > 200 })
    }

    @Test func `who speaks has spoken up when its turn began, if it had been silent for a while`() throws {
        let start = Instant(nanoseconds: 1_000_000_000)
        let conversation = Conversation(
            groups: [[0, 1, 2, 3]], atOnce: 1, from: start, to: start + .seconds(300), seed: 4)
        var known = 0
        for tenth in 0..<3_000 {
            let now = start + .milliseconds(tenth * 100)
            for speaker in 0..<4 {
                guard let since = conversation.spokeUp(speaker, now) else { continue }
                known += 1
                #expect(since <= now)
                #expect(conversation.isSpeaking(speaker, now) && conversation.isSpeaking(speaker, since))
                #expect(!conversation.isSpeaking(speaker, since - .seconds(1)))
            }
        }
        #expect(known > 1_500)
        #expect(Conversation().spokeUp(0, start) == nil)
    }

    @Test func `with turns of a fixed length exactly one talks, each for so long`() throws {
        let start = Instant(nanoseconds: 1_000_000_000)
        let conversation = Conversation(
            groups: [Array(0..<4)], cameras: [2], atOnce: 1, turn: .seconds(3), from: start,
            to: start + .seconds(60), seed: 4)
        for turn in 0..<20 {
            let begun = start + .seconds(3) * turn
            let speaker = try #require((0..<4).first { conversation.isSpeaking($0, begun) })
            for tenth in 0..<30 {
                let now = begun + .milliseconds(100) * tenth
                #expect((0..<4).filter { conversation.isSpeaking($0, now) } == [speaker])
            }
        }
        #expect((0..<4).filter { conversation.isSeen($0) } == [2])
    }

    @Test func `without a conversation all talk all the time`() {
        #expect(Conversation().isSpeaking(17, Instant(nanoseconds: 5)))
    }

    @Test func `the next word is when a turn begins, or now within one`() throws {
        let start = Instant(nanoseconds: 1_000_000_000)
        let conversation = Conversation(
            groups: [[0, 1, 2, 3]], atOnce: 1, from: start, to: start + .seconds(60), seed: 4)
        for tenth in 0..<600 {
            let now = start + .milliseconds(tenth * 100)
            guard let word = conversation.nextWord(of: 2, from: now) else { continue }
            #expect(conversation.isSpeaking(2, word))
            #expect(conversation.isSpeaking(2, now) ? word == now : word > now)
            #expect(word == now || !conversation.isSpeaking(2, now + (word - now) / 2))
        }
        #expect(conversation.nextWord(of: 2, from: start + .seconds(600)) == nil)
        #expect(conversation.nextWord(of: 9, from: start) == nil)
        #expect(Conversation().nextWord(of: 9, from: start) == start)
    }
}
