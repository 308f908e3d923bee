import FixedCollections
import TestSupport
import Testing
import Wire

@testable import Forwarding

/// Sound and picture of whoever sits in a pair of seats, as the viewer puts them together by sender reports.
struct LipSyncTests {
    /// Two participants, each with a camera in two sizes and a microphone, all on clocks of their own; a viewer with one
    /// pair of seats, who pins one or the other.
    private final class Meeting {
        let network: Network
        let publishers: [SimulatedPeer]
        let viewer: SimulatedPeer
        /// Reports that each seat had when somebody else was seated, or another size was to come.
        private var reportsBefore = [0, 0]

        init(seed: UInt64) throws {
            let network = try Network(seed: seed)
            self.network = network
            publishers = try (1...2).map { number in
                let link = Link(delay: .milliseconds(15 * number), jitter: .milliseconds(12))
                return try network.join(
                    UInt64(number), senders: Self.senders(number, seed: seed), seats: 0, link: link)
            }
            viewer = try network.join(3, sources: [], seats: 1, link: Link(jitter: .milliseconds(12)))
        }

        private static func senders(_ number: Int, seed: UInt64) -> [SimulatedSender] {
            var generator = SeededGenerator(seed: seed &* 10 &+ UInt64(number))
            let camera = ["h", "f"].enumerated().map { index, rid in
                let sender = SimulatedSender(
                    .camera, mid: shortID("0"), rid: shortID(rid), ssrc: UInt32(number * 100 + index * 2),
                    timestamp: UInt32(truncatingIfNeeded: generator.next()))
                sender.packetsAFrame = 1 + index
                return sender
            }
            let microphone = SimulatedSender(
                .microphone, mid: shortID("1"), ssrc: UInt32(number * 100 + 50),
                timestamp: UInt32(truncatingIfNeeded: generator.next()))
            // A second in an hour, one fast and one slow; and a sound card that is a quarter of a second off by the end.
            microphone.skew = number == 1 ? -0.000_4 : 0.000_4
            for sender in camera + [microphone] { sender.drift = number == 1 ? 0.000_3 : -0.000_3 }
            return camera + [microphone]
        }

        /// Both seats, audio first.
        var seats: [SeatReceiver] { [viewer.audioReceivers[0], viewer.videoReceivers[0]] }

        func seat(_ participant: UInt64) {
            var viewing = ViewerPreferences()
            _ = viewing.pin(.init(participant: participant, source: .camera))
            network.bench.forwarder.setViewing(viewing, of: viewer.id, at: network.now)
            note()
        }

        func switchSize(of publisher: SimulatedPeer) {
            publisher.senders[1].isRunning.toggle()
            note()
        }

        private func note() { reportsBefore = seats.map(\.reports) }

        /// Whether both seats have been reported on since something was switched.
        var isReported: Bool { zip(seats, reportsBefore).allSatisfy { $0.reports >= $1 + 2 } }

        /// By how much the viewer shows the picture later than the sound of the same moment; `nil` while the latest of
        /// both isn't of one participant.
        func lag() throws -> Duration? {
            var off: [(publisher: Int, error: Duration)] = []
            for receiver in seats {
                guard let frame = receiver.wholeAt.last?.frame else { return nil }
                for (number, publisher) in publishers.enumerated() {
                    for sender in publisher.senders {
                        guard let taken = sender.takenAt[frame] else { continue }
                        let timestamp = try #require(receiver.frames[frame]?.timestamp)
                        guard let mapped = receiver.time(of: timestamp) else { return nil }
                        off.append((number, mapped - sender.clock(at: taken)))
                    }
                }
            }
            guard off.count == 2, off[0].publisher == off[1].publisher else { return nil }
            return off[1].error - off[0].error
        }
    }

    @Test func `sound and picture stay together for 10 minutes as people and sizes are switched`() throws {
        let meeting = try Meeting(seed: 1)
        var generator = SeededGenerator(seed: 1)
        var (worst, worstSwitching) = (Duration.zero, Duration.zero)
        var (measured, people, sizes) = (0, 0, 0)
        try meeting.network.run(for: .seconds(3))
        // 10 minutes, in steps of a quarter of a second; something is switched every 3 s or so.
        for _ in 0..<2_400 {
            if generator.happens(1.0 / 12) {
                if generator.happens(0.5) {
                    people += 1
                    meeting.seat(UInt64(1 + people % 2))
                } else {
                    sizes += 1
                    meeting.switchSize(of: meeting.publishers[generator.below(2)])
                }
            }
            try meeting.network.run(for: .milliseconds(250))
            guard let lag = try meeting.lag() else { continue }
            measured += 1
            let apart = max(lag, .zero - lag)
            if meeting.isReported {
                worst = max(worst, apart)
            } else {
                worstSwitching = max(worstSwitching, apart)
            }
        }
        print(
            "sound and picture apart: \(worst) at the most, \(worstSwitching) within two reports of a switch")
        #expect(worst < .milliseconds(40))
        #expect(worstSwitching < .milliseconds(40))
        #expect(measured > 2_000 && people > 60 && sizes > 60)
        // A report a second of each seat, whoever sits there.
        for seat in meeting.seats { #expect(seat.reports > 580) }
        #expect(meeting.network.egress.repeatedNumbers == 0)
    }
}
