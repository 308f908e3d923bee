import EventLoop
import FixedCollections
import MediaWorker
import Testing
import TransportTestSupport

extension MediaWorkerTests {
    /// What workers tell of publishers and viewers, over real sockets.
    @Suite struct ViewerEventTests {
        /// What a publisher was asked to send, in order: whether its camera is.
        private func hints(_ meeting: TestMeeting, _ publisher: TestClient) -> [Bool] {
            meeting.events.all.compactMap { event in
                guard case .publishHint(publisher.id, let hints) = event else { return nil }
                return hints.first?.isActive
            }
        }

        @Test(arguments: [1, 2])
        func `a camera that nobody is shown is asked off within five seconds, and back at once`(
            workers: Int
        ) async throws {
            try await withMeeting(workers: workers, { if workers > 1 { $0.spreadAbove = 0 } }) { meeting in
                let (alice, bob) = (try await meeting.join(seats: 0), try await meeting.join(sends: false))
                _ = try await meeting.seated(alice, at: bob)
                var number = 0
                func send() throws {
                    try alice.send(.camera, number: number)
                    number += 1
                }
                for _ in 0..<50 { try send() }
                try await meeting.pool.setViewing(of: bob.id, .limits(ReceiveLimits(isVideoPaused: true)))
                let paused = MonotonicClock.now()
                let isOff = try await eventually([alice, bob]) {
                    try send()
                    return hints(meeting, alice) == [false]
                }
                #expect(isOff)
                #expect(MonotonicClock.now() - paused < .seconds(6))
                try await meeting.pool.setViewing(of: bob.id, .limits(ReceiveLimits()))
                let isOn = try await eventually([alice, bob]) { hints(meeting, alice) == [false, true] }
                #expect(isOn)
                // Another connection is asked for all, whatever the one before was.
                try alice.startOver()
                try await alice.negotiate()
                let isTold = try await eventually([alice, bob]) {
                    hints(meeting, alice) == [false, true, true]
                }
                #expect(isTold)
            }
        }

        @Test func `a limit of what one sends reaches the publisher`() async throws {
            try await withMeeting { meeting in
                let alice = try await meeting.join()
                await meeting.pool.setSendLimit(of: alice.id, to: 700_000)
                let isTold = try await eventually([alice]) {
                    meeting.events.all.contains { event in
                        guard case .publishHint(alice.id, let hints) = event else { return false }
                        return hints.map(\.maxBitrate) == [700_000]
                    }
                }
                #expect(isTold)
            }
        }

        @Test func `who speaks is told with a level, and how well somebody is connected`() async throws {
            try await withMeeting { meeting in
                let clients = [try await meeting.join(), try await meeting.join()]
                let speaker = clients[0]
                let start = MonotonicClock.now()
                var number = 0
                func speak() throws {
                    guard MonotonicClock.now() >= start + .milliseconds(20 * number) else { return }
                    // Syllables, and a breath after each few.
                    let isSyllable = number % 12 < 9 && number % 50 < 40
                    speaker.media.level = isSyllable ? UInt8(22 + number % 5) : number % 50 < 40 ? 60 : 107
                    try speaker.send(.microphone, number: number)
                    if number % 25 == 0 { try speaker.askForKeyFrame(speaker.seats(.video)[0]) }
                    number += 1
                }
                func levels() -> [[SpeakerLevel]] {
                    meeting.events.all.compactMap { event in
                        guard case .activeSpeakersChanged(meeting.session, let speakers) = event else {
                            return nil
                        }
                        return speakers
                    }
                }
                func score() -> Int? {
                    for case .connectionQuality(speaker.id, let score) in meeting.events.all.reversed() {
                        return score
                    }
                    return nil
                }
                let isTold = try await eventually(clients) {
                    try speak()
                    return levels().first?.map(\.participant) == [speaker.id] && score() != nil
                }
                #expect(isTold)
                #expect(levels().first?.allSatisfy { (80...127).contains($0.level) } == true)
                #expect(score() == 5)
            }
        }
    }
}
