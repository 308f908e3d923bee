import FixedCollections
import TestSupport
import Testing

@testable import Forwarding

/// A sender of packets of 1,000 bytes, with a message of feedback each 50 ms.
private struct LossBench {
    var losses = LossBound()
    var generator = SeededGenerator(seed: 8)
    /// Bits a second that get through of a probe for the link; `nil`: nothing can be probed.
    var capacity: Double?
    private(set) var checks: [Double] = []
    private var time: Int64 = 0

    init(capacity: Double? = nil) {
        self.capacity = capacity
        losses.mayCheck = capacity != nil
    }

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
            guard let capacity, let check = losses.takeCheck() else { continue }
            checks.append(check)
            losses.probed(min(check, capacity) * (1 - loss(0)))
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

    @Test(arguments: [0.05, 0.15, 0.3]) func `loss that begins while a probe comes through sets no bound`(
        share: Double
    ) {
        var bench = LossBench(capacity: 10e6)
        bench.run(seconds: 20, rate: 1.5e6) { _ in 0 }
        #expect(bench.checks.isEmpty)
        for _ in 0..<20 {
            bench.run(seconds: 1, rate: 1.5e6) { _ in share }
            #expect(bench.losses.bound == nil)
        }
        #expect((1...10).contains(bench.checks.count))
        #expect(bench.checks.allSatisfy { $0 > 2.5e6 && $0 < 3.5e6 })
        #expect(abs(bench.losses.inherent - share) < 0.04)
    }

    @Test func `loss that begins is got used to without probes too, after a cut`() {
        var bench = LossBench()
        bench.run(seconds: 20, rate: 1.5e6) { _ in 0 }
        bench.run(seconds: 20, rate: 1.5e6) { _ in 0.15 }
        #expect(bench.losses.bound ?? 1.5e6 > 1.2e6)
        #expect(abs(bench.losses.inherent - 0.15) < 0.04)
    }

    @Test func `a link that is full is found out by the probe, and the rate is cut`() throws {
        var bench = LossBench(capacity: 2e6)
        bench.run(seconds: 5, rate: 1.5e6) { _ in 0 }
        bench.run(seconds: 20, rate: 4e6) { max(0, ($0 - 2e6) / max($0, 1)) }
        #expect(!bench.checks.isEmpty)
        let bound = try #require(bench.losses.bound)
        #expect(bound > 1.7e6)
        #expect(bound < 2.4e6)
    }

    @Test func `what a failed probe brought through is what is kept`() throws {
        var losses = LossBound()
        var sent: Int64 = 0
        func observe(lost: Int) {
            for packet in 0..<100 {
                losses.add(sent: Instant(nanoseconds: sent), bytes: 1_000, isLost: packet % 10 < lost)
                sent += 2_600_000
            }
            losses.finish(rate: 10e6)
        }
        for _ in 0..<20 { observe(lost: 0) }
        while losses.checkWanted == nil, sent < 60_000_000_000 { observe(lost: 5) }
        #expect(losses.takeCheck() != nil)
        losses.probed(2.6e6)
        observe(lost: 5)
        #expect(try #require(losses.bound) >= 2.6e6)
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
