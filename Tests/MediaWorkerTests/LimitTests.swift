import MediaWorker
import Testing
import TransportTestSupport

extension MediaWorkerTests {
    /// A session's limits, on one worker and on two.
    @Suite struct LimitTests {
        /// The participants whose voices reach a viewer while all of them talk, who begin one after the other.
        private func heard(
            by viewer: TestClient, _ talkers: [TestClient], in meeting: TestMeeting
        ) async throws -> Int {
            let all = talkers + [viewer]
            let seats = viewer.seats(.audio)
            let before = seats.map { viewer.packets($0).count }
            for number in 0..<100 {
                for talker in talkers { try talker.send(.microphone, number: number) }
                for client in all { try client.pump() }
                try await Task.sleep(for: .milliseconds(2))
            }
            // What the server sends after this comes behind everything else.
            let checks = viewer.answeredChecks
            try viewer.sendCheck()
            _ = try await eventually(all) { viewer.answeredChecks > checks }
            return zip(seats, before).count { viewer.packets($0).count > $1 + 50 }
        }

        @Test(arguments: [1, 2])
        func `as many voices and pictures as the session's limits say, also when they change`(
            workers: Int
        ) async throws {
            let spread: (inout MediaSettings) -> Void = { if workers > 1 { $0.spreadAbove = 0 } }
            try await withMeeting(workers: workers, spread) { meeting in
                await meeting.pool.setLimits(
                    of: meeting.session, to: MediaLimits(maxVideoSeats: 1, maxAudible: 1))
                // The last ones, on each worker, watch.
                var talkers: [TestClient] = []
                for _ in 0..<3 { talkers.append(try await meeting.join(seats: 0)) }
                var viewers: [TestClient] = []
                for _ in 0..<workers { viewers.append(try await meeting.join(sends: false, seats: 4)) }
                func pictures(_ viewer: TestClient) -> Int {
                    meeting.events.seats(of: viewer.id).count { $0.kind == .video && $0.occupant != nil }
                }
                for viewer in viewers {
                    #expect(try await heard(by: viewer, talkers, in: meeting) == 1)
                }
                meeting.events.removeAll()
                await meeting.pool.setLimits(
                    of: meeting.session, to: MediaLimits(maxVideoSeats: 2, maxAudible: 2))
                for viewer in viewers {
                    let isSeated = try await eventually([viewer]) { pictures(viewer) == 2 }
                    #expect(isSeated)
                    #expect(try await heard(by: viewer, talkers, in: meeting) == 2)
                }
                await meeting.pool.setLimits(
                    of: meeting.session, to: MediaLimits(maxVideoSeats: 0, maxAudible: 0))
                for viewer in viewers {
                    let isEmpty = try await eventually([viewer]) { pictures(viewer) == 0 }
                    #expect(isEmpty)
                    #expect(try await heard(by: viewer, talkers, in: meeting) == 0)
                }
            }
        }
    }
}
