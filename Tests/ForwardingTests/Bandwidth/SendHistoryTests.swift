import FixedCollections
import Testing
import Wire

@testable import Forwarding

@Suite struct SendHistoryTests {
    private static func sent(_ count: Int, from first: UInt16 = 0, capacity: Int = 64) -> SendHistory {
        var history = SendHistory(capacity: capacity, keep: .seconds(5))
        for number in 0..<count {
            history.append(
                SequenceNumber(first &+ UInt16(number)), bytes: 100, kind: .video, cluster: 0,
                at: Instant(nanoseconds: Int64(number) * 1_000_000))
        }
        return history
    }

    @Test func `a packet is found under its number until it is pushed out`() {
        let history = Self.sent(100)
        let now = Instant(nanoseconds: 100_000_000)
        let old = history.index(of: SequenceNumber(35), at: now)
        let kept = history.index(of: SequenceNumber(36), at: now)
        let unsent = history.index(of: SequenceNumber(100), at: now)
        let bytes = history.pendingBytes
        #expect(old == nil)
        #expect(kept != nil)
        #expect(unsent == nil)
        #expect(bytes == 6_400)
    }

    @Test func `a packet is forgotten after its time`() {
        let history = Self.sent(1)
        let young = history.index(of: SequenceNumber(0), at: Instant(nanoseconds: 5_000_000_000))
        let old = history.index(of: SequenceNumber(0), at: Instant(nanoseconds: 5_000_000_001))
        #expect(young != nil)
        #expect(old == nil)
    }

    @Test func `numbers wrap`() {
        var history = Self.sent(40, from: 65_520)
        let now = Instant(nanoseconds: 40_000_000)
        let before = history.index(of: SequenceNumber(65_535), at: now)
        let after = history.index(of: SequenceNumber(0), at: now)
        #expect(before != nil)
        #expect(after != nil)
        history.settle(through: SequenceNumber(3))
        let bytes = history.pendingBytes
        #expect(bytes == 2_000)
        history.settle(through: SequenceNumber(23))
        let rest = history.pendingBytes
        #expect(rest == 0)
    }

    @Test func `numbers that were left out are nobody's, and a jump begins anew`() {
        var history = Self.sent(2)
        let now = Instant(nanoseconds: 9_000_000)
        history.append(SequenceNumber(5), bytes: 100, kind: .audio, cluster: 0, at: now)
        let skipped = history.index(of: SequenceNumber(3), at: now)
        let bytes = history.pendingBytes
        #expect(skipped == nil)
        #expect(bytes == 300)
        history.append(SequenceNumber(5_000), bytes: 70, kind: .audio, cluster: 0, at: now)
        let restarted = history.pendingBytes
        #expect(restarted == 70)
        history.settle(through: SequenceNumber(5_000))
        let settled = history.pendingBytes
        #expect(settled == 0)
    }

    @Test func `what wasn't reported is told when later packets are`() {
        var history = Self.sent(10)
        history.settle(through: SequenceNumber(2))
        var count = 0
        history.forEachUnreported(before: SequenceNumber(6)) { _ in count += 1 }
        #expect(count == 3)
        history.forEachUnreported(before: SequenceNumber(60)) { _ in count += 100 }
        #expect(count == 3)
    }

    @Test func `what is too old is given up`() {
        var history = Self.sent(10)
        let before = history.oldestPending
        #expect(before == .zero)
        history.expire(at: Instant(nanoseconds: 5_004_500_000))
        let bytes = history.pendingBytes
        let oldest = history.oldestPending
        #expect(bytes == 500)
        #expect(oldest == Instant(nanoseconds: 5_000_000))
    }
}
