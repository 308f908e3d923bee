import FixedCollections
import Testing
import Wire

@testable import Forwarding

/// Viewers in one meeting, each with a link of its own.
@Suite struct ViewerLinkTests {
    @Test(arguments: 1...3) func `each viewer gets the size that its link carries, within five seconds`(
        seed: UInt64
    ) throws {
        let meeting = try SimulcastMeeting(seed: seed)
        try meeting.network.run(for: .seconds(3))
        let slow = try meeting.view(over: 400_000)
        let middling = try meeting.view(over: 1_500_000)
        let free = try meeting.view(over: nil)
        try meeting.network.run(for: .seconds(5))
        let settled = meeting.network.now
        try meeting.network.run(for: .seconds(20))
        let shown = [slow, middling, free].map { meeting.sizes($0, since: settled) }
        print("frames of each size in 20 s: \(shown)")
        // Of 29 to 30 pictures a second all but what a switch or a loss takes.
        #expect(shown[0][0] > 570 && shown[0][1] + shown[0][2] < 15)
        #expect(shown[1][1] > 570 && shown[1][2] < 15)
        #expect(shown[2][2] > 580)
        for viewer in [slow, middling, free] {
            #expect(meeting.longestFreeze(viewer, since: settled) < 1_000)
            #expect(meeting.heard(viewer, since: settled) > 0.97)
        }
        for viewer in [slow, middling] {
            let wait = try #require(viewer.bottleneck).wait95(since: settled)
            print("95 % wait less than \(wait) ms, dropped \(viewer.bottleneck?.dropped ?? 0)")
            #expect(wait < 100)
        }
        #expect(meeting.network.egress.repeatedNumbers == 0)
        #expect(meeting.network.egress.unreadable == 0)
    }

    @Test(arguments: 1...3) func `a viewer without bounds has the best picture within two seconds`(
        seed: UInt64
    ) throws {
        let meeting = try SimulcastMeeting(seed: seed)
        try meeting.network.run(for: .seconds(3))
        let joined = meeting.network.now
        let viewer = try meeting.view(over: nil)
        try meeting.network.run(for: .seconds(2))
        let first = try #require(viewer.videoReceivers[0].wholeAt.first)
        print("first frame after \((first.at - joined).wholeMilliseconds) ms")
        #expect(first.at - joined < .milliseconds(500))
        let begun = meeting.network.now
        try meeting.network.run(for: .seconds(10))
        #expect(meeting.sizes(viewer, since: begun)[2] > 285)
    }

    @Test(arguments: 1...3) func `a link that falls and rises again is followed both ways`(
        seed: UInt64
    ) throws {
        let meeting = try SimulcastMeeting(seed: seed)
        try meeting.network.run(for: .seconds(2))
        let viewer = try meeting.view(over: 3_000_000)
        let link = try #require(viewer.bottleneck)
        try meeting.network.run(for: .seconds(10))
        let before = meeting.network.now
        try meeting.network.run(for: .seconds(5))
        #expect(meeting.sizes(viewer, since: before)[2] > 140)
        link.rate = 500_000
        let fall = meeting.network.now
        try meeting.network.run(for: .seconds(5))
        let low = meeting.network.now
        try meeting.network.run(for: .seconds(15))
        let lowSizes = meeting.sizes(viewer, since: low)
        print("at 0.5 Mbit/s: \(lowSizes), wait \(link.wait95(since: low)) ms")
        #expect(lowSizes[0] > 400 && lowSizes[2] < 10)
        #expect(link.wait95(since: low) < 100)
        #expect(meeting.longestFreeze(viewer, since: fall) < 2_000)
        #expect(meeting.heard(viewer, since: low) > 0.97)
        link.rate = 3_000_000
        try meeting.network.run(for: .seconds(15))
        let high = meeting.network.now
        try meeting.network.run(for: .seconds(5))
        print("at 3 Mbit/s again: \(meeting.sizes(viewer, since: high))")
        #expect(meeting.sizes(viewer, since: high)[2] > 140)
    }

    @Test func `a video that a link can't carry is paused, and the voice goes on`() throws {
        let meeting = try SimulcastMeeting(seed: 1)
        let viewer = try meeting.view(over: 120_000)
        try meeting.network.run(for: .seconds(10))
        let settled = meeting.network.now
        try meeting.network.run(for: .seconds(20))
        print(
            "frames: \(meeting.sizes(viewer, since: settled)), heard \(meeting.heard(viewer, since: settled))"
        )
        #expect(meeting.heard(viewer, since: settled) > 0.95)
    }

    @Test func `retransmissions stay within their share`() throws {
        let meeting = try SimulcastMeeting(seed: 2)
        let viewer = try meeting.view(over: 1_500_000, link: Link(loss: 0.25))
        try meeting.network.run(for: .seconds(30))
        let counters = meeting.network.bench.counters
        print("\(counters.retransmitted) sent again, \(counters.repairsRefused) refused")
        #expect(counters.retransmitted > 0)
        #expect(counters.repairsRefused > 0)
        let share = 0.15 * (try #require(viewer.bottleneck).rate) / 8 * 30
        #expect(Double(counters.retransmitted) * 1_044 < share)
    }

    @Test func `a viewer that sends REMB alone is held to it`() throws {
        let meeting = try SimulcastMeeting(seed: 3)
        let viewer = try meeting.view(over: nil, by: [.transportCC, .remb], sends: [.remb])
        viewer.voice?.estimate = 400_000
        try meeting.network.run(for: .seconds(5))
        let settled = meeting.network.now
        try meeting.network.run(for: .seconds(10))
        let shown = meeting.sizes(viewer, since: settled)
        #expect(shown[0] > 285 && shown[2] == 0)
        // What the receiver says is believed as far as the rate grows by 8 % a second.
        viewer.voice?.estimate = 5_000_000
        try meeting.network.run(for: .seconds(40))
        let raised = meeting.network.now
        try meeting.network.run(for: .seconds(5))
        #expect(meeting.sizes(viewer, since: raised)[2] > 140)
    }

    @Test func `a viewer that never says what its link carries isn't held back`() throws {
        let meeting = try SimulcastMeeting(seed: 4)
        let viewer = try meeting.view(over: nil, sends: [])
        try meeting.network.run(for: .seconds(4))
        let settled = meeting.network.now
        try meeting.network.run(for: .seconds(10))
        #expect(meeting.sizes(viewer, since: settled)[2] > 285)
    }

    @Test func `packets are numbered for those who report on each`() throws {
        let meeting = try SimulcastMeeting(seed: 5)
        let reports = try meeting.view(over: nil)
        let estimates = try meeting.view(over: nil, by: [.remb])
        try meeting.network.run(for: .seconds(2))
        #expect(reports.numbered > 400)
        #expect(estimates.numbered == 0 && estimates.videoReceivers[0].wholeAt.count > 40)
    }

    @Test func `a limit holds whatever the viewer says, and is named`() throws {
        let meeting = try SimulcastMeeting(seed: 5)
        let silent = try meeting.view(over: nil, by: [])
        let free = try meeting.view(over: nil)
        for viewer in [silent, free] {
            meeting.network.bench.forwarder.setReceiveLimit(Bitrate(bitsPerSecond: 800_000), of: viewer.id)
        }
        try meeting.network.run(for: .seconds(4))
        let settled = meeting.network.now
        try meeting.network.run(for: .seconds(5))
        for viewer in [silent, free] {
            let shown = meeting.sizes(viewer, since: settled)
            #expect(shown[1] > 140 && shown[2] == 0)
            let statistics = meeting.network.bench.forwarder.linkStatistics(of: viewer.id)
            let video = try #require(statistics.seats.first { $0.isVideo })
            #expect(video.reason == .serverLimit)
            #expect(video.rid == shortID("h"))
            #expect(try #require(video.needed).bitsPerSecond > 1_600_000)
            #expect(abs(video.bitrate.bitsPerSecond - 480_000) < 50_000)
            #expect(statistics.numbers.budget.bitsPerSecond <= 800_000)
        }
        meeting.network.bench.forwarder.setReceiveLimit(nil, of: free.id)
        try meeting.network.run(for: .seconds(8))
        let released = meeting.network.now
        try meeting.network.run(for: .seconds(3))
        #expect(meeting.sizes(free, since: released)[2] > 80)
    }
}
