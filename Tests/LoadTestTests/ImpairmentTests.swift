import FixedCollections
import Testing

@testable import LoadTest

struct ImpairmentTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    @Test func `so many are lost as are to be, and each seed loses its own`() {
        var plan = NetworkPlan()
        plan.lossPercent = 10
        var (first, second, again) = (
            Impairment(plan, seed: 1), Impairment(plan, seed: 2), Impairment(plan, seed: 1)
        )
        var outcomes: [[Bool]] = [[], [], []]
        for _ in 0..<20_000 {
            outcomes[0].append(first.arrival(ofBytes: 100, now: start) == nil)
            outcomes[1].append(second.arrival(ofBytes: 100, now: start) == nil)
            outcomes[2].append(again.arrival(ofBytes: 100, now: start) == nil)
        }
        let lost = outcomes[0].count { $0 }
        // Five standard deviations.
        #expect(abs(lost - 2_000) < 212)
        #expect(outcomes[0] == outcomes[2])
        #expect(outcomes[0] != outcomes[1])
    }

    @Test func `delay and jitter are in their bounds, and nothing overtakes`() {
        var plan = NetworkPlan()
        plan.delayMs = 40
        plan.jitterMs = 10
        var network = Impairment(plan, seed: 3)
        var last = start
        var shortest = Duration.seconds(1)
        var longest = Duration.zero
        for step in 0..<2_000 {
            let now = start + .milliseconds(step * 20)
            guard let arrival = network.arrival(ofBytes: 100, now: now) else { continue }
            #expect(arrival >= last)
            last = arrival
            shortest = min(shortest, arrival - now)
            longest = max(longest, arrival - now)
        }
        #expect(shortest >= .milliseconds(40) && shortest < .milliseconds(41))
        #expect(longest <= .milliseconds(50) && longest > .milliseconds(49))
    }

    @Test func `a slow link passes its rate, and drops what would wait for too long`() {
        var plan = NetworkPlan()
        plan.rateBps = 1_000_000
        var network = Impairment(plan, seed: 3)
        var arrived = 0
        // 2 Mbit/s for ten seconds.
        for step in 0..<2_500 {
            let now = start + .milliseconds(step * 4)
            if network.arrival(ofBytes: 1_000, now: now) != nil { arrived += 1 }
        }
        // 1 Mbit/s for ten seconds, and half a second of queue.
        #expect((1_250...1_325).contains(arrived))
        #expect(network.dropped == UInt64(2_500 - arrived))
    }

    @Test func `a perfect network is none`() {
        #expect(NetworkPlan().isPerfect)
    }
}
