import FixedCollections
import Testing
import Wire

@testable import Forwarding

@Suite struct ReceiverControlTests {
    private static func after(_ milliseconds: Int) -> Instant {
        Instant(nanoseconds: Int64(milliseconds) * 1_000_000)
    }

    /// A viewer without transport-cc that is sent 1 Mbit/s.
    private static func estimator() -> BandwidthEstimator {
        BandwidthEstimator(usesTransportCC: false)
    }

    private static func remb(_ rate: Int) throws -> ReceiverEstimate {
        var buffer = [UInt8](repeating: 0, count: 64)
        let ssrcs = [SSRC(1)]
        var span = buffer.mutableSpan
        let length = try ReceiverEstimate.write(
            sender: SSRC(2), bitrate: Bitrate(bitsPerSecond: rate), ssrcs.span, into: &span, at: 0)
        return try ReceiverEstimate.parse(buffer.span.extracting(0..<length))
    }

    @Test func `what the receiver estimates is followed, up and down`() throws {
        var estimator = Self.estimator()
        estimator.receive(try Self.remb(2_000_000), at: Self.after(0))
        let high = estimator.target.bitsPerSecond
        #expect(abs(high - 2_000_000) < 20)
        estimator.receive(try Self.remb(700_000), at: Self.after(1_000))
        let low = estimator.target.bitsPerSecond
        #expect(abs(low - 700_000) < 20)
        let deadline = estimator.nextDeadline
        let isStarting = estimator.isStarting
        #expect(deadline == .distantFuture)
        #expect(!isStarting)
    }

    @Test func `heavy loss cuts it by half of the loss, once for all streams of a report`() throws {
        var estimator = Self.estimator()
        estimator.receive(try Self.remb(2_000_000), at: Self.after(0))
        for stream in 0..<5 {
            estimator.receive(
                ReportBlock(ssrc: SSRC(UInt32(stream)), fractionLost: 128), at: Self.after(1_000))
        }
        let cut = estimator.target.bitsPerSecond
        #expect(abs(cut - 1_500_000) < 20_000)
        estimator.receive(ReportBlock(ssrc: SSRC(1), fractionLost: 15), at: Self.after(2_000))
        let held = estimator.target.bitsPerSecond
        #expect(held == cut)
    }

    @Test func `reports without loss let it grow, no further than half above what is sent`() {
        var estimator = Self.estimator()
        for second in 0..<60 {
            for packet in 0..<100 {
                estimator.packetSent(
                    SequenceNumber(0), bytes: 1_250, kind: .video,
                    at: Self.after(second * 1_000 + packet * 10))
            }
            estimator.receive(ReportBlock(ssrc: SSRC(1)), at: Self.after(second * 1_000 + 995))
        }
        let target = Double(estimator.target.bitsPerSecond)
        #expect(target > 1.4e6)
        #expect(target < 1.6e6)
    }

    @Test func `an estimate that isn't repeated is forgotten`() throws {
        var estimator = Self.estimator()
        estimator.receive(try Self.remb(200_000), at: Self.after(0))
        estimator.receive(ReportBlock(ssrc: SSRC(1)), at: Self.after(9_000))
        let early = estimator.target.bitsPerSecond
        estimator.receive(ReportBlock(ssrc: SSRC(1)), at: Self.after(11_000))
        let late = estimator.target.bitsPerSecond
        #expect(early <= 200_000)
        #expect(late >= 300_000)
    }
}
