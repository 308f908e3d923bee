import FixedCollections
import Testing
import Wire

@testable import Forwarding

/// A link without delay that carries so much, asked by a probe controller.
private struct ProbeBench {
    var probes = ProbeController()
    var now = Instant.zero
    var rates: [Double] = []
    /// The highest result.
    var found = 300_000.0

    /// Answers all probes that are sent within a time, each 50 ms after its end.
    mutating func run(_ duration: Duration, link: Double, answers: Bool = true) {
        let end = now + duration
        while now < end {
            if now >= probes.deadline { probes.update(target: found, isSteady: true, at: now) }
            if let cluster = probes.poll(at: now) {
                rates.append(Double(cluster.bitrate.bitsPerSecond))
                send(cluster, over: link, answers: answers)
            }
            now += .milliseconds(10)
        }
    }

    private mutating func send(_ cluster: ProbeCluster, over link: Double, answers: Bool) {
        let packets = max(cluster.packets, (cluster.bytes + 999) / 1_000)
        let rate = Double(cluster.bitrate.bitsPerSecond)
        for packet in 0..<packets {
            let id = probes.sent(bytes: 1_000)
            #expect(id == cluster.id)
            guard answers else { continue }
            probes.received(
                cluster: id, bytes: 1_000, sent: now + .nanoseconds(Int64(Double(packet) * 8e12 / rate)),
                arrival: now + .nanoseconds(Int64(Double(packet) * 8e12 / min(rate, link))))
        }
        now += .milliseconds(50)
        if let result = probes.finish(at: now) { found = max(found, result) }
    }
}

@Suite struct ProbeTests {
    @Test func `nothing is probed while nothing is wanted`() {
        var bench = ProbeBench()
        bench.run(.seconds(10), link: 5e6)
        #expect(bench.rates.isEmpty)
        #expect(bench.probes.deadline == .distantFuture)
    }

    @Test func `a link is found by doubling, within two seconds`() {
        var bench = ProbeBench()
        bench.probes.setDemand(20e6, target: 300_000, at: bench.now)
        bench.run(.seconds(2), link: 8e6)
        #expect(bench.rates.prefix(2) == [900_000, 1_800_000])
        #expect(abs(bench.found / (0.95 * 8e6) - 1) < 0.05)
        #expect(bench.probes.phase == .watching)
    }

    @Test func `no more is probed for than a quarter above what is wanted`() {
        var bench = ProbeBench()
        bench.probes.setDemand(1.2e6, target: 300_000, at: bench.now)
        bench.run(.seconds(30), link: 50e6)
        #expect(bench.rates.allSatisfy { $0 <= 1.5e6 })
        #expect(bench.found >= 1.2e6)
    }

    @Test func `a link is looked at again every five seconds while more is wanted, not otherwise`() {
        var bench = ProbeBench()
        bench.probes.setDemand(4e6, target: 300_000, at: bench.now)
        bench.run(.seconds(3), link: 1e6)
        let begun = bench.rates.count
        bench.run(.seconds(30), link: 1e6)
        #expect((5...7).contains(bench.rates.count - begun))
        bench.run(.seconds(8), link: 4e6)
        #expect(bench.found > 3.5e6)
        bench.probes.setDemand(2e6, target: bench.found, at: bench.now)
        let satisfied = bench.rates.count
        bench.run(.seconds(30), link: 4e6)
        #expect(bench.rates.count == satisfied)
    }

    @Test func `who begins to want more needn't wait`() {
        var bench = ProbeBench()
        bench.probes.setDemand(300_000, target: 300_000, at: bench.now)
        bench.run(.seconds(20), link: 3e6)
        bench.probes.setDemand(3e6, target: bench.found, at: bench.now)
        bench.run(.seconds(1), link: 3e6)
        #expect(bench.found > 2.5e6)
    }

    @Test func `a check is sent although nothing more is wanted, and once`() {
        var bench = ProbeBench()
        bench.probes.check(800_000)
        #expect(bench.probes.deadline == .zero)
        bench.run(.seconds(5), link: 3e6)
        #expect(bench.rates == [800_000])
        #expect(bench.found == 800_000)
        bench.probes.check(900_000)
        bench.run(.seconds(5), link: 3e6, answers: false)
        #expect(bench.rates == [800_000, 900_000])
    }

    @Test func `a probe without an answer is repeated three times`() {
        var bench = ProbeBench()
        bench.probes.setDemand(3e6, target: 300_000, at: bench.now)
        bench.run(.milliseconds(4_500), link: 3e6, answers: false)
        #expect((4...6).contains(bench.rates.count))
        #expect(bench.probes.phase == .watching)
    }

    @Test func `a burst's rate is that of its packets between the first and the last`() {
        let cluster = ProbeCluster(
            id: 1, bitrate: Bitrate(bitsPerSecond: 2_000_000), bytes: 5_000, packets: 5)
        func measure(_ spacing: (Int) -> Double, packets: Int = 5) -> Double? {
            var measurement = ProbeMeasurement(cluster)
            for packet in 0..<packets {
                measurement.add(
                    bytes: 1_000, sent: Instant(nanoseconds: Int64(packet) * 4_000_000),
                    arrival: Instant(nanoseconds: Int64(spacing(packet) * 1e6)))
            }
            return measurement.result
        }
        #expect(measure { Double($0) * 4 } == 2e6)
        // Stretched to twice the time: 1 Mbit/s, less what lets the queue drain.
        #expect(measure { Double($0) * 8 } == 0.95e6)
        #expect(measure({ Double($0) * 4 }, packets: 3) == nil)
        // Held up, and let go at once.
        #expect(measure { 50 + Double($0) * 0.1 } == nil)
    }
}
