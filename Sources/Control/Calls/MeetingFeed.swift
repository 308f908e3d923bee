import Meeting
import Synchronization

/// What happens in sessions, for those who keep records of it. Whoever tells it goes on, until too much is unread.
final class MeetingFeed: Sendable {
    struct News: Sendable {
        enum Change: Sendable {
            /// The first one whom others may see is in; the entry has the stays so far.
            case began(CallRecord)
            case joined(CallParticipant)
            case left(CallParticipant)
            /// The whole entry.
            case ended(CallRecord)
        }

        let sessionID: String
        let meetingID: String
        let change: Change
    }

    private let news: AsyncStream<News>
    private let continuation: AsyncStream<News>.Continuation
    private let unread = Atomic<Int>(0)
    private let mostUnread: Int

    /// - Parameter mostUnread: how much is kept before sessions wait. None of it can be left out: calls end by it.
    init(mostUnread: Int = 4_096) {
        self.mostUnread = mostUnread
        (news, continuation) = AsyncStream.makeStream(of: News.self)
    }

    /// To be called after `room`, once each time.
    func tell(_ news: News) {
        unread.add(1, ordering: .relaxed)
        continuation.yield(news)
    }

    /// Returns when there is room for more. Of each session there is one at most that waits, or tells: so many more
    /// than `mostUnread` there may be.
    func room() async {
        while unread.load(ordering: .relaxed) >= mostUnread {
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Hands on what is told, in the order in which each session told it, until the feed ends. For one reader.
    func read(_ take: (News) async -> Void) async {
        for await one in news {
            await take(one)
            unread.subtract(1, ordering: .relaxed)
        }
    }

    /// What was told before is still read.
    func finish() {
        continuation.finish()
    }
}
