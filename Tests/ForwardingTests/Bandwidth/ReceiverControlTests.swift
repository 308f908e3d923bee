import FixedCollections
import Testing
import Wire

@testable import Forwarding

@Suite struct ReceiverControlTests {
    private static func after(_ milliseconds: Int) -> Instant {
        Instant(nanoseconds: Int64(milliseconds) * 1_000_000)
    }

    /// A viewer without transport-cc, and what it is sent: so many bits a second of video.
    private struct Flow: ~Copyable {
        var estimator: BandwidthEstimator
        var milliseconds = 0

        init(isFinding: Bool = false, start: Int = 1_000_000) {
            var settings = BandwidthSettings()
            settings.start = Bitrate(bitsPerSecond: start)
            estimator = BandwidthEstimator(settings, usesTransportCC: false, isFinding: isFinding)
        }

        var target: Int { estimator.target.bitsPerSecond }

        /// Lets seconds pass, at the end of each of which it is reported.
        mutating func run(
            _ seconds: Int, sent: Int, remb: Int? = nil, loss: UInt8 = 0, roundTrip: Int = 40
        ) {
            for _ in 0..<seconds {
                for packet in 0..<100 {
                    let now = ReceiverControlTests.after(milliseconds)
                    estimator.packetSent(SequenceNumber(0), bytes: sent / 800, kind: .video, at: now)
                    milliseconds += 10
                    guard packet == 50 else { continue }
                    estimator.receive(receiverEstimate: remb.map { Bitrate(bitsPerSecond: $0) }, at: now)
                }
                let now = ReceiverControlTests.after(milliseconds)
                let trip = Duration.milliseconds(roundTrip)
                estimator.setRoundTrip(trip, newest: trip, at: now)
                estimator.receive(ReportBlock(ssrc: SSRC(1), fractionLost: loss), packets: 100, at: now)
            }
        }
    }

    private static func near(_ one: Int, _ other: Int) -> Bool { abs(one - other) < other / 20 }

    @Test func `a receiver's estimate below what is sent is no bound unless the link shows that it is full`()
    {
        var flow = Flow()
        flow.run(2, sent: 900_000, remb: 700_000)
        let free = flow.target
        #expect(free >= 1_000_000)
        flow.run(1, sent: 900_000, remb: 705_000, roundTrip: 300)
        let paused = flow.target
        #expect(paused >= 1_000_000)
        flow.run(1, sent: 900_000, remb: 710_000, roundTrip: 300)
        let waiting = flow.target
        #expect(Self.near(waiting, 710_000))
        var losing = Flow()
        losing.run(2, sent: 900_000, remb: 700_000)
        losing.run(1, sent: 900_000, remb: 720_000, loss: 13)
        let lossy = losing.target
        #expect(Self.near(lossy, 720_000))
        let deadline = flow.estimator.nextDeadline
        #expect(deadline == .distantFuture)
    }

    @Test func `an estimate that stays the same whatever is sent is meant as a limit`() {
        var flow = Flow()
        flow.run(6, sent: 900_000, remb: 600_000)
        let limited = flow.target
        #expect(Self.near(limited, 600_000))
        flow.run(60, sent: 400_000, remb: 600_000)
        let later = flow.target
        #expect(Self.near(later, 600_000))
        flow.run(30, sent: 400_000, remb: 3_000_000)
        let released = flow.target
        #expect(released > 1_200_000)
    }

    @Test func `after a sign the receiver's estimate bounds the rate, longer each time`() {
        var flow = Flow()
        var seconds: [Int] = []
        flow.run(2, sent: 900_000, remb: 950_000)
        for _ in 0..<4 {
            flow.run(2, sent: 900_000, remb: 600_000, roundTrip: 300)
            var count = 0
            while flow.target <= 650_000, count < 200 {
                // It wavers, so that it isn't taken for a limit.
                flow.run(1, sent: 500_000, remb: count % 2 == 0 ? 580_000 : 610_000)
                count += 1
            }
            seconds.append(count)
        }
        print("held for \(seconds) s")
        for (first, second) in zip(seconds, seconds.dropFirst()) { #expect(second > first * 3 / 2) }
        #expect(seconds[0] >= 9)
    }

    @Test func `a link is found by doubling until it is full`() {
        var flow = Flow(isFinding: true, start: 300_000)
        flow.run(3, sent: 300_000)
        let (found, isStarting) = (flow.target, flow.estimator.isStarting)
        #expect(found > 2_000_000)
        #expect(isStarting)
        flow.run(2, sent: 2_000_000, remb: 1_000_000, roundTrip: 400)
        let (full, isOver) = (flow.target, !flow.estimator.isStarting)
        #expect(Self.near(full, 1_000_000))
        #expect(isOver)
        var wide = Flow(isFinding: true, start: 300_000)
        wide.run(10, sent: 300_000)
        let isFound = !wide.estimator.isStarting
        #expect(isFound)
    }

    @Test func `heavy loss takes half of the loss off what is sent, with or without an estimate`() {
        for remb in [nil, 2_000_000] {
            var flow = Flow()
            flow.run(1, sent: 900_000, remb: remb)
            flow.run(1, sent: 900_000, remb: remb, loss: 128)
            let cut = flow.target
            #expect(Self.near(cut, 675_000))
            flow.run(1, sent: 600_000, remb: remb, loss: 15)
            let held = flow.target
            #expect(held == cut)
        }
    }
}
