import FixedCollections
import Testing
import Wire

@testable import Forwarding

@Suite struct PacerTests {
    private static func after(_ milliseconds: Int) -> Instant {
        Instant(nanoseconds: Int64(milliseconds) * 1_000_000)
    }

    private static func mega(_ rate: Double) -> Bitrate { Bitrate(bitsPerSecond: Int(rate * 1e6)) }

    /// Bytes that leave in a second of turns of a millisecond, when packets always wait.
    private static func sent(
        _ pacer: inout Pacer, rate: Bitrate, queued: Int = 10_000, size: Int = 1_200
    ) -> [Int] {
        (1...1_000).map { millisecond in
            pacer.update(rate: rate, queued: queued, at: after(millisecond))
            var bytes = 0
            while pacer.allows(.video) {
                pacer.sent(bytes: size)
                bytes += size
            }
            return bytes
        }
    }

    @Test func `packets leave at the rate, spread over time`() {
        var pacer = Pacer(rate: Self.mega(2), at: .zero)
        let turns = Self.sent(&pacer, rate: Self.mega(2))
        #expect(abs(Double(turns.reduce(0, +)) * 8 / 2e6 - 1) < 0.01)
        // No more than a turn's burst and the packet that overdraws it.
        #expect(turns.allSatisfy { $0 <= 2_450 })
    }

    @Test func `audio never waits, and is charged`() {
        var pacer = Pacer(rate: Self.mega(0.1), at: .zero)
        pacer.update(rate: Self.mega(0.1), queued: 0, at: Self.after(10))
        #expect(pacer.allows(.video))
        pacer.sent(bytes: 1_200)
        #expect(!pacer.allows(.video))
        #expect(!pacer.allows(.retransmission))
        #expect(pacer.allows(.audio))
        let before = pacer.nextSend
        pacer.sent(bytes: 120)
        #expect(pacer.nextSend > before)
    }

    @Test func `the budget is above nothing at the time that it tells`() {
        var pacer = Pacer(rate: Self.mega(1), at: .zero)
        pacer.update(rate: Self.mega(1), queued: 0, at: Self.after(1))
        pacer.sent(bytes: 5_000)
        let next = pacer.nextSend
        pacer.update(rate: Self.mega(1), queued: 0, at: next - .microseconds(10))
        #expect(!pacer.allows(.video))
        pacer.update(rate: Self.mega(1), queued: 0, at: next)
        #expect(pacer.allows(.video))
    }

    @Test func `a long queue is sent within a second, whatever the rate`() {
        var pacer = Pacer(rate: Self.mega(0.1), at: .zero)
        let turns = Self.sent(&pacer, rate: Self.mega(0.1), queued: 125_000)
        #expect(abs(Double(turns.reduce(0, +)) / 125_000 - 1) < 0.02)
    }

    @Test func `a probe goes out at its own rate, with padding where nothing waits`() {
        var pacer = Pacer(rate: Self.mega(1), at: .zero)
        #expect(pacer.paddingWanted == 0)
        pacer.begin(ProbeCluster(id: 1, bitrate: Self.mega(8), bytes: 20_000, packets: 5))
        var bytes = 0
        var turns = 0
        for millisecond in 1...60 {
            pacer.update(rate: Self.mega(1), queued: 0, at: Self.after(millisecond))
            var isUsed = false
            while pacer.allows(.padding) {
                pacer.sent(bytes: 1_000)
                bytes += 1_000
                isUsed = true
            }
            if isUsed { turns += 1 }
        }
        #expect(bytes == 20_000)
        #expect((18...22).contains(turns))
        #expect(!pacer.allows(.padding))
    }

    @Test func `retransmissions have 15 % of the rate, and half a second's at once`() {
        var budget = RetransmissionBudget(target: Self.mega(1), at: .zero)
        func taken(_ now: Instant) -> Int {
            var count = 0
            while budget.take(bytes: 500, at: now) { count += 500 }
            return count
        }
        // 15 % of 1 Mbit/s for half a second: 9,375 bytes.
        #expect(taken(.zero) == 9_000)
        #expect(taken(Self.after(100)) == 2_000)
        var sum = 0
        for millisecond in 101...1_100 { sum += taken(Self.after(millisecond)) }
        #expect(abs(Double(sum) / 18_750 - 1) < 0.05)
        #expect(taken(Self.after(60_000)) <= 9_375)
        budget.setTarget(Self.mega(0.1), at: Self.after(120_000))
        #expect(taken(Self.after(120_000)) <= 1_000)
    }
}
