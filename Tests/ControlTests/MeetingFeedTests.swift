import Meeting
import Synchronization
import Testing

@testable import Control

extension ControlTests {
    @Suite struct MeetingFeedTests {
        private final class Counter: Sendable {
            let count = Atomic<Int>(0)
        }

        @Test func `who tells waits while too much is unread, and nothing is lost or out of order`() async {
            let feed = MeetingFeed(mostUnread: 10)
            let told = Counter()
            let telling = Task { [feed] in
                for number in 0..<100 {
                    await feed.room()
                    feed.tell(Self.news(number))
                    told.count.add(1, ordering: .relaxed)
                }
                feed.finish()
            }
            // Nobody reads yet: it comes to ten, and no further.
            while told.count.load(ordering: .relaxed) < 10 { await Task.yield() }
            for _ in 0..<1_000 { await Task.yield() }
            #expect(told.count.load(ordering: .relaxed) == 10)
            var read: [String] = []
            await feed.read { read.append($0.sessionID) }
            await telling.value
            #expect(read == (0..<100).map(String.init))
        }

        private static func news(_ number: Int) -> MeetingFeed.News {
            let stay = CallParticipant(id: "p", uid: "u", name: "U", state: .ongoing)
            return MeetingFeed.News(sessionID: String(number), meetingID: "m", change: .joined(stay))
        }
    }
}
