import FixedCollections
import Testing

@testable import Forwarding

private func milliseconds(_ count: Int64) -> Instant { Instant(nanoseconds: count * 1_000_000) }

@Suite struct KeyframeArbiterTests {
    private var arbiter = KeyframeArbiter()

    private mutating func asks(_ now: Int64) -> Bool { arbiter.takeRequest(at: milliseconds(now)) }

    @Test mutating func `nobody asks when nobody wants`() {
        #expect(arbiter.deadline == .distantFuture)
        #expect(asks(5) == false)
    }

    @Test mutating func `the first request goes out at once, the next after a second`() {
        arbiter.want()
        #expect(asks(5) == true)
        arbiter.want()
        #expect(asks(1_004) == false)
        #expect(arbiter.deadline == milliseconds(1_005))
        #expect(asks(1_005) == true)
    }

    @Test mutating func `a key frame satisfies everybody, and the spacing holds on`() {
        arbiter.want()
        _ = arbiter.takeRequest(at: milliseconds(0))
        arbiter.keyFrameArrived()
        #expect(arbiter.deadline == .distantFuture)
        arbiter.want()
        #expect(arbiter.deadline == milliseconds(1_000))
    }

    @Test mutating func `a thousand who want within ten seconds are ten requests`() {
        var requests = 0
        for now in Int64(0)..<10_000 {
            if now % 10 == 0 { arbiter.want() }
            if arbiter.takeRequest(at: milliseconds(now)) { requests += 1 }
            if now % 100 == 50 { arbiter.keyFrameArrived() }
        }
        #expect(requests == 10)
    }
}
