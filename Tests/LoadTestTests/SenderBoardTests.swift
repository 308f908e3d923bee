import FixedCollections
import Testing

@testable import LoadTest

struct SenderBoardTests {
    private let start = Instant(nanoseconds: 1_000_000_000)
    private let board = SenderBoard()

    @Test func `a first picture is waited for from the join on, or from when somebody else's camera is on`() {
        #expect(board.firstPicture(for: 1, in: "a", from: start) == nil)
        board.begin(1, in: "a", audio: true, video: true, at: start)
        board.begin(2, in: "a", audio: true, video: false, at: start)
        board.begin(3, in: "b", audio: false, video: true, at: start)
        #expect(board.firstPicture(for: 1, in: "a", from: start) == nil)
        #expect(board.firstPicture(for: 2, in: "a", from: start + .seconds(2)) == start + .seconds(2))
        board.begin(4, in: "a", audio: false, video: true, at: start + .seconds(5))
        #expect(board.firstPicture(for: 1, in: "a", from: start) == start + .seconds(5))
        board.end(4, in: "a")
        #expect(board.firstPicture(for: 1, in: "a", from: start) == nil)
    }

    @Test func `a first sound is waited for from when somebody else who is in talks`() throws {
        let conversation = Conversation(
            groups: [[0, 1]], atOnce: 1, from: start + .seconds(10), to: start + .seconds(60), seed: 7)
        let first = try #require(
            [0, 1].min {
                conversation.nextWord(of: $0, from: start)! < conversation.nextWord(of: $1, from: start)!
            })
        func word(to now: Instant) -> Instant? {
            board.firstWord(for: 9, in: "a", from: start, to: now, conversation)
        }
        #expect(word(to: start + .seconds(60)) == nil)
        board.begin(first, in: "a", audio: true, video: false, at: start + .seconds(1))
        #expect(word(to: start + .seconds(60)) == start + .seconds(10))
        // What comes before anybody talks is silence that is sent all the same.
        #expect(word(to: start + .seconds(3)) == start + .seconds(1))
        // Who talks isn't heard before it is in.
        board.begin(first, in: "a", audio: true, video: false, at: start + .milliseconds(10_500))
        #expect(word(to: start + .seconds(60)) == start + .milliseconds(10_500))
        #expect(
            board.firstWord(for: first, in: "a", from: start, to: start + .seconds(60), conversation) == nil)
    }
}
