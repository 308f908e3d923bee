import FixedCollections
import TestSupport
import Testing

@testable import Forwarding

/// A sender of packets of 1,000 bytes, with a message of feedback each 50 ms.
private struct LossBench {
    var losses = LossBound()
    var generator = SeededGenerator(seed: 8)
    private var time: Int64 = 0

    /// - Parameter loss: the share that is lost at a rate.
    mutating func run(seconds: Int, rate: Double, loss: (Double) -> Double) {
        for _ in 0..<(seconds * 20) {
            let sending = min(rate, losses.bound ?? rate)
            let packets = max(Int(sending / 8_000 / 20), 1)
            for packet in 0..<packets {
                let sent = Instant(nanoseconds: time + Int64(packet) * 50_000_000 / Int64(packets))
                losses.add(sent: sent, bytes: 1_000, isLost: generator.happens(loss(sending)))
            }
            time += 50_000_000
            losses.finish(rate: rate)
        }
    }
}

@Suite struct LossBoundTests {
    @Test func `loss that doesn't depend on the rate sets no bound`() {
        var bench = LossBench()
        bench.run(seconds: 5, rate: 1e6) { _ in 0.1 }
        bench.run(seconds: 20, rate: 4e6) { _ in 0.1 }
        #expect(bench.losses.bound == nil)
        #expect(abs(bench.losses.inherent - 0.1) < 0.03)
        #expect(!bench.losses.hasSurplus)
    }

    @Test func `a policer's rate is found, and kept to within a tenth`() throws {
        var bench = LossBench()
        bench.run(seconds: 5, rate: 1.5e6) { _ in 0 }
        bench.run(seconds: 20, rate: 4e6) { max(0, ($0 - 2e6) / $0) }
        let bound = try #require(bench.losses.bound)
        #expect(bound > 1.7e6)
        #expect(bound < 2.3e6)
        #expect(bench.losses.inherent < 0.03)
    }

    @Test func `both kinds of loss are told apart`() throws {
        var bench = LossBench()
        bench.run(seconds: 5, rate: 1.5e6) { _ in 0.05 }
        bench.run(seconds: 20, rate: 4e6) { 0.05 + 0.95 * max(0, ($0 - 2e6) / $0) }
        let bound = try #require(bench.losses.bound)
        #expect(bound > 1.6e6)
        #expect(bound < 2.4e6)
    }

    @Test func `a bound is lifted when loss ends`() {
        var bench = LossBench()
        bench.run(seconds: 3, rate: 2e6) { _ in 0 }
        bench.run(seconds: 3, rate: 2e6) { _ in 0.5 }
        #expect(bench.losses.bound ?? 2e6 < 1.2e6)
        bench.run(seconds: 30, rate: 2e6) { _ in 0 }
        #expect(bench.losses.bound == nil)
    }

    @Test func `a rare burst is no reason to stop`() {
        var bench = LossBench()
        bench.run(seconds: 10, rate: 3e6) { _ in 0 }
        var left = 8
        bench.run(seconds: 1, rate: 3e6) { _ in
            left -= 1
            return left >= 0 ? 1 : 0
        }
        #expect(bench.losses.bound == nil)
    }

    @Test func `a packet that was late isn't lost`() {
        var losses = LossBound()
        for packet in 0..<100 {
            losses.add(
                sent: Instant(nanoseconds: Int64(packet) * 3_000_000), bytes: 1_000, isLost: packet % 4 == 0)
        }
        for _ in 0..<25 { losses.recover() }
        losses.finish(rate: 1e6)
        #expect(losses.recentLoss == 0)
    }
}
