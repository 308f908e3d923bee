import FixedCollections
import Testing
import Wire

@testable import Forwarding

@Suite struct ReceiverEstimatesTests {
    private static func after(_ milliseconds: Int) -> Instant {
        Instant(nanoseconds: Int64(milliseconds) * 1_000_000)
    }

    private static func add(
        _ rate: Int, by sender: UInt32, of streams: [UInt32], to estimates: inout ReceiverEstimates,
        at time: Int
    ) throws {
        var buffer = [UInt8](repeating: 0, count: 256)
        let ssrcs = streams.map { SSRC($0) }
        var span = buffer.mutableSpan
        let length = try ReceiverEstimate.write(
            sender: SSRC(sender), bitrate: Bitrate(bitsPerSecond: rate), ssrcs.span, into: &span, at: 0)
        let packet = Array(buffer[0..<length])
        estimates.add(try ReceiverEstimate.parse(packet.span), in: packet.span, at: after(time))
    }

    @Test func `estimates of streams on their own are summed up, until they aren't repeated`() throws {
        var estimates = ReceiverEstimates()
        #expect(estimates.sum(at: Self.after(0)) == nil)
        try Self.add(100_000, by: 1, of: [10, 11], to: &estimates, at: 0)
        try Self.add(200_000, by: 2, of: [20, 21], to: &estimates, at: 500)
        try Self.add(90_000, by: 1, of: [10, 11], to: &estimates, at: 600)
        #expect(estimates.sum(at: Self.after(700)) == 290_000)
        #expect(estimates.sum(at: Self.after(3_550)) == 90_000)
        #expect(estimates.sum(at: Self.after(4_000)) == nil)
    }

    @Test func `an estimate takes the place of what was said of its streams`() throws {
        var estimates = ReceiverEstimates()
        try Self.add(100_000, by: 1, of: [10], to: &estimates, at: 0)
        try Self.add(200_000, by: 2, of: [20], to: &estimates, at: 0)
        try Self.add(500_000, by: 3, of: [5, 20, 10], to: &estimates, at: 100)
        #expect(estimates.sum(at: Self.after(100)) == 500_000)
        // Without a list it is about all.
        try Self.add(300_000, by: 4, of: [], to: &estimates, at: 200)
        #expect(estimates.sum(at: Self.after(200)) == 300_000)
    }

    @Test func `more estimates than are kept bound nothing`() throws {
        var estimates = ReceiverEstimates()
        for sender in 0..<40 {
            try Self.add(.max, by: UInt32(sender), of: [UInt32(sender)], to: &estimates, at: 0)
        }
        #expect(estimates.sum(at: Self.after(0)) == nil)
        try Self.add(70_000, by: 1, of: [1], to: &estimates, at: 5_000)
        #expect(estimates.sum(at: Self.after(5_000)) == 70_000)
    }
}
