import FixedCollections
import TestSupport
import Testing

@testable import Forwarding

/// Grouping, trend and detector, fed as feedback feeds them.
private struct DelayChain {
    var groups = ArrivalGroups()
    var trend = Trendline()
    var detector = OveruseDetector()
    var signals: [DelaySignal] = []
    private var time = 0

    /// Groups of two packets every 10 ms, whose delay is what `delay` says of the time, in milliseconds.
    mutating func run(milliseconds: Int, _ delay: (Double) -> Double) {
        let begun = time
        while time < begun + milliseconds {
            for packet in 0..<2 {
                let sent = Int64(time * 1_000_000 + packet * 500_000)
                let arrival = sent + Int64(delay(Double(time - begun)) * 1e6) + 1_000_000_000
                guard
                    let delta = groups.add(
                        sent: Instant(nanoseconds: sent), arrival: Instant(nanoseconds: arrival))
                else { continue }
                trend.add(delta)
                detector.update(trend, after: delta)
                signals.append(detector.signal)
            }
            time += 10
        }
    }
}

@Suite struct DelaySignalTests {
    @Test func `a steady delay is normal`() {
        var chain = DelayChain()
        chain.run(milliseconds: 5_000) { _ in 40 }
        #expect(Set(chain.signals) == [.normal])
        #expect(abs(chain.trend.slope) < 1e-9)
    }

    @Test func `a queue that grows is overuse, and one that drains underuse`() throws {
        var chain = DelayChain()
        chain.run(milliseconds: 1_000) { _ in 40 }
        // 10 ms a 100 ms: a tenth more than the link carries.
        chain.run(milliseconds: 500) { 40 + $0 / 10 }
        #expect(chain.signals.suffix(50).contains(.overuse))
        #expect(abs(chain.trend.slope - 0.1) < 0.02)
        chain.run(milliseconds: 450) { 90 - $0 / 10 }
        #expect(chain.signals.last == .underuse)
    }

    @Test func `the threshold gets used to jitter`() {
        var chain = DelayChain()
        var generator = SeededGenerator(seed: 3)
        chain.run(milliseconds: 20_000) { _ in 40 + Double(generator.below(30)) }
        let late = chain.signals.suffix(1_000)
        #expect(late.count { $0 == .overuse } < late.count / 10)
    }

    @Test func `the threshold stays within its bounds`() {
        var chain = DelayChain()
        chain.run(milliseconds: 20_000) { _ in 40 }
        #expect(chain.detector.threshold == 6)
        for _ in 0..<50 { chain.run(milliseconds: 400) { ($0 / 40).truncatingRemainder(dividingBy: 3) * 40 } }
        #expect(chain.detector.threshold >= 6)
        #expect(chain.detector.threshold <= 600)
    }

    @Test func `packets of five milliseconds are one group`() {
        var groups = ArrivalGroups()
        var deltas: [GroupDelta] = []
        for millisecond in 0..<60 {
            let sent = Instant(nanoseconds: Int64(millisecond) * 1_000_000)
            if let delta = groups.add(sent: sent, arrival: sent + .milliseconds(30)) { deltas.append(delta) }
        }
        #expect(deltas.count == 8)
        #expect(deltas.allSatisfy { $0.sent == 6 && $0.arrived == 6 })
    }

    @Test func `a burst that was held up counts as one`() {
        var groups = ArrivalGroups()
        var deltas = 0
        // Ten packets of 100 ms come within 5 ms.
        for number in 0..<10 {
            let sent = Instant(nanoseconds: Int64(number) * 10_000_000)
            let arrival = Instant(nanoseconds: 200_000_000 + Int64(number) * 500_000)
            if groups.add(sent: sent, arrival: arrival) != nil { deltas += 1 }
        }
        #expect(deltas == 0)
    }

    @Test func `a receiver's clock that is set back is followed`() {
        var groups = ArrivalGroups()
        var late: [Double] = []
        for number in 0..<40 {
            let sent = Instant(nanoseconds: Int64(number) * 20_000_000)
            let shift: Int64 = number < 20 ? 10_000_000_000 : 0
            let arrival = Instant(nanoseconds: sent.nanoseconds + shift)
            if let delta = groups.add(sent: sent, arrival: arrival), number > 26 { late.append(delta.delay) }
        }
        #expect(late.count > 8)
        #expect(late.allSatisfy { $0 == 0 })
    }

    @Test func `the receiver's clock is unwrapped both ways`() {
        var clock = ArrivalClock()
        let first = clock.reference(8_388_606)
        let second = clock.reference(-8_388_607)
        let third = clock.reference(8_388_607)
        #expect(second - first == .milliseconds(64 * 3))
        #expect(third - first == .milliseconds(64))
    }

    @Test func `a queue is told from the way's own length, and a longer way is got used to`() {
        var queueing = QueueingDelay()
        func message(_ second: Int, delay: Int64) {
            let sent = Instant(nanoseconds: Int64(second) * 1_000_000_000)
            queueing.add(sent: sent, arrival: sent + .milliseconds(delay + 7))
            queueing.add(sent: sent, arrival: sent + .milliseconds(delay))
            queueing.finish(isLosing: false, at: sent)
        }
        message(0, delay: 50)
        #expect(queueing.milliseconds == 0)
        message(1, delay: 130)
        #expect(queueing.milliseconds == 80)
        for second in 2..<40 { message(second, delay: 130) }
        #expect(queueing.milliseconds == 0)
    }

    /// A message each 100 ms; the first tells of a way of 50 ms.
    private func queueing(after seconds: Int, isLosing: Bool = false, delay: (Int) -> Double) -> Double {
        var queueing = QueueingDelay()
        for number in 0...(seconds * 10) {
            let sent = Instant(nanoseconds: Int64(number) * 100_000_000)
            let way = number == 0 ? 50 : delay(number)
            queueing.add(sent: sent, arrival: sent + .nanoseconds(Int64(way * 1e6)))
            queueing.finish(isLosing: isLosing && number > 0, at: sent)
        }
        return queueing.milliseconds
    }

    @Test func `a delay that stays the same for two seconds is the route's, one that wavers is a queue's`() {
        #expect(queueing(after: 1) { _ in 100 } == 50)
        #expect(queueing(after: 3) { 100 + Double($0 % 3) } < 5)
        #expect(queueing(after: 5) { 100 + Double($0 % 5) * 5 } >= 50)
        #expect(queueing(after: 5, isLosing: true) { _ in 100 } == 50)
    }

    @Test func `a delay rises if it does so twice in a row, and once when the route gets longer`() {
        var queueing = QueueingDelay()
        var rising: [Bool] = []
        for (number, delay) in [50, 50, 100, 100, 100, 104, 108, 112, 112].enumerated() {
            let sent = Instant(nanoseconds: Int64(number) * 100_000_000)
            queueing.add(sent: sent, arrival: sent + .milliseconds(delay))
            queueing.finish(isLosing: false, at: sent)
            rising.append(queueing.isRising)
        }
        #expect(rising == [false, false, false, false, false, false, true, true, false])
    }
}
