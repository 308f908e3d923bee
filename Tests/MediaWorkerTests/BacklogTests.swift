import FixedCollections
import Testing

@testable import MediaWorker

struct BacklogTests {
    private let start = Instant(nanoseconds: 5_000_000_000)

    @Test(arguments: [
        (Duration.milliseconds(101), 0.95, true), (.milliseconds(99), 0.95, false), (.seconds(3), 0.5, false),
        (.seconds(3), 1.0, true),
    ])
    func `media is late when it has waited long and the worker can do no more`(
        waited: Duration, load: Double, isLate: Bool
    ) {
        var backlog = Backlog()
        backlog.note(waited: waited, load: load, at: start)
        #expect(backlog.isLate == isLate)
        backlog.end()
        #expect(!backlog.isLate)
    }

    @Test func `the longest wait is remembered for a second or two`() {
        var backlog = Backlog()
        backlog.note(waited: .milliseconds(40), load: 0.1, at: start)
        backlog.note(waited: .milliseconds(3), load: 0.1, at: start + .milliseconds(900))
        #expect(backlog.longest(at: start + .milliseconds(950)) == .milliseconds(40))
        backlog.note(waited: .milliseconds(2), load: 0.1, at: start + .milliseconds(1_100))
        #expect(backlog.longest(at: start + .milliseconds(1_900)) == .milliseconds(40))
        backlog.note(waited: .milliseconds(1), load: 0.1, at: start + .milliseconds(2_200))
        #expect(backlog.longest(at: start + .milliseconds(2_200)) == .milliseconds(2))
        #expect(backlog.longest(at: start + .seconds(5)) == .zero)
    }
}
