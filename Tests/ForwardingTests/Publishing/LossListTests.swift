import FixedCollections
import Testing

@testable import Forwarding

private func milliseconds(_ count: Int64) -> Instant { Instant(nanoseconds: count * 1_000_000) }

@Suite struct LossListTests {
    private let roundTrip = Duration.milliseconds(50)

    private func due(
        _ list: inout LossList, highest: Int64, at now: Instant, limit: Int = .max
    ) -> (asked: [Int64], gaveUp: Bool) {
        var asked: [Int64] = []
        let gaveUp = list.takeDue(highest: highest, roundTrip: roundTrip, at: now) { number in
            guard asked.count < limit else { return false }
            asked.append(number)
            return true
        }
        return (asked, gaveUp)
    }

    @Test func `a packet is asked for when two newer ones have come`() {
        var list = LossList()
        let fits = list.noteGap(before: 11, missing: 1, at: milliseconds(0))
        #expect(fits)
        // 11 is newer by one only.
        let early = due(&list, highest: 11, at: milliseconds(1))
        #expect(early.asked == [])
        let deadline = list.nextDeadline(highest: 12, roundTrip: roundTrip)
        #expect(deadline == milliseconds(0))
        let then = due(&list, highest: 12, at: milliseconds(1))
        #expect(then.asked == [10])
    }

    @Test func `a packet is asked for after 10 ms without newer ones`() {
        var list = LossList()
        _ = list.noteGap(before: 11, missing: 1, at: milliseconds(0))
        let deadline = list.nextDeadline(highest: 11, roundTrip: roundTrip)
        #expect(deadline == milliseconds(10))
        let before = due(&list, highest: 11, at: milliseconds(9))
        #expect(before.asked == [])
        let after = due(&list, highest: 11, at: milliseconds(10))
        #expect(after.asked == [10])
    }

    @Test
    func `it is asked for again after a round trip and a quarter more each time, ten times`() {
        var list = LossList()
        _ = list.noteGap(before: 6, missing: 1, at: milliseconds(0))
        var times: [Int64] = []
        var gaveUpAt: Int64?
        for now in Int64(0)..<5_000 {
            let outcome = due(&list, highest: 100, at: milliseconds(now))
            if !outcome.asked.isEmpty { times.append(now) }
            if outcome.gaveUp, gaveUpAt == nil { gaveUpAt = now }
        }
        #expect(times == [0, 50, 113, 192, 290, 413, 566, 757, 996, 1_295])
        #expect(gaveUpAt == 1_668)
        let count = list.count
        #expect(count == 0)
        let deadline = list.nextDeadline(highest: 100, roundTrip: roundTrip)
        #expect(deadline == .distantFuture)
    }

    @Test(arguments: [(1, 20), (20, 20), (120, 120), (3_000, 400)])
    func `the spacing is the round trip within 20 to 400 ms`(roundTrip: Int, spacing: Int64) {
        var list = LossList()
        _ = list.noteGap(before: 6, missing: 1, at: milliseconds(0))
        _ = list.takeDue(highest: 10, roundTrip: .milliseconds(roundTrip), at: milliseconds(5)) { _ in true }
        let deadline = list.nextDeadline(highest: 10, roundTrip: .milliseconds(roundTrip))
        #expect(deadline == milliseconds(5 + spacing))
    }

    @Test func `what has come is not asked for`() {
        var list = LossList()
        _ = list.noteGap(before: 15, missing: 5, at: milliseconds(0))
        list.remove(12)
        list.remove(14)
        list.remove(14)
        list.remove(99)
        let outcome = due(&list, highest: 20, at: milliseconds(0))
        #expect(outcome.asked == [10, 11, 13])
    }

    @Test func `a thousand are remembered, more empty the list`() {
        var list = LossList()
        let fits = list.noteGap(before: 1_000, missing: 999, at: milliseconds(0))
        #expect(fits)
        let last = list.noteGap(before: 1_002, missing: 1, at: milliseconds(0))
        #expect(last)
        let count = list.count
        #expect(count == 1_000)
        let over = list.noteGap(before: 1_004, missing: 1, at: milliseconds(0))
        #expect(!over)
        let rest = list.count
        #expect(rest == 0)
    }

    @Test func `who can take no more gets the rest next time`() {
        var list = LossList()
        _ = list.noteGap(before: 11, missing: 10, at: milliseconds(0))
        let first = due(&list, highest: 20, at: milliseconds(0), limit: 4)
        #expect(first.asked == [1, 2, 3, 4])
        let deadline = list.nextDeadline(highest: 20, roundTrip: roundTrip)
        #expect(deadline == milliseconds(0))
        let second = due(&list, highest: 20, at: milliseconds(0))
        #expect(second.asked == [5, 6, 7, 8, 9, 10])
    }
}
