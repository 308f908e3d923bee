import FixedCollections
import Testing

@testable import Forwarding

private func milliseconds(_ count: Int64) -> Instant { Instant(nanoseconds: count * 1_000_000) }

@Suite struct RepeatGuardTests {
    private var guarded = RepeatGuard()

    private mutating func allow(_ out: Int64, at now: Int64) -> Bool {
        guarded.allow(out, roundTrip: .milliseconds(50), at: milliseconds(now))
    }

    @Test mutating func `a repeat within a round trip is ignored, a later one isn't`() {
        let outcomes = [
            allow(7, at: 0), allow(7, at: 20), allow(7, at: 51), allow(7, at: 90), allow(7, at: 101),
        ]
        #expect(outcomes == [true, false, true, false, true])
    }

    @Test mutating func `number 0 at time 0 is as good as any`() {
        let outcomes = [allow(0, at: 0), allow(0, at: 0), allow(1, at: 0)]
        #expect(outcomes == [true, false, true])
    }

    @Test mutating func `a burst of sixty-four numbers is remembered`() {
        let first = (Int64(1_000)..<1_064).map { allow($0, at: 10) }
        let second = (Int64(1_000)..<1_064).map { allow($0, at: 30) }
        #expect(first.allSatisfy { $0 })
        #expect(!second.contains(true))
    }

    @Test mutating func `the clock of milliseconds may wrap`() {
        let wrap = Int64(UInt32.max)
        let outcomes = [allow(3, at: wrap), allow(3, at: wrap + 20), allow(3, at: wrap + 60)]
        #expect(outcomes == [true, false, true])
    }
}
