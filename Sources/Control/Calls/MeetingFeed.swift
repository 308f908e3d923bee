import Meeting

/// What happens in sessions, for those who keep records of it. Whoever tells it doesn't wait for them.
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

    /// In the order in which each session told it. For one reader.
    let news: AsyncStream<News>
    private let continuation: AsyncStream<News>.Continuation

    init() {
        (news, continuation) = AsyncStream.makeStream(of: News.self)
    }

    func tell(_ news: News) {
        continuation.yield(news)
    }

    /// What was told before is still read.
    func finish() {
        continuation.finish()
    }
}
