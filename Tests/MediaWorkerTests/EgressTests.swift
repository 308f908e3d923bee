import MediaWorker
import Testing

extension MediaWorkerTests {
    @Suite struct EgressTests {
        @Test func `packets of nearly equal length leave together, padded, and arrive as they were`()
            async throws
        {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                let seats = try await meeting.seated(alice, at: bob)
                var sealed: [[UInt8]] = []
                for number in 0..<600 {
                    let length = 1_000 + number * 7 % 13
                    let payload = TestPayload.video(number, length: length, startsFrame: number % 12 == 0)
                    sealed.append(try alice.packet(.camera, payload, marker: number % 12 == 11))
                }
                for packet in sealed { alice.socket.send(packet) }
                let isThere = try await eventually([alice, bob]) { bob.packets(seats.video).count >= 600 }
                #expect(isThere)
                let packets = bob.packets(seats.video)
                #expect(bob.numbers(seats.video) == Array(0..<600))
                #expect(packets.map(\.payload.count) == (0..<600).map { 1_000 + $0 * 7 % 13 })
                #expect(packets.contains { $0.padding > 0 })
                #expect(packets.allSatisfy { $0.padding <= 16 })
                let statistics = await meeting.pool.statistics().counters
                let (segments, messages) = (
                    statistics["send_segments_total"] ?? 0, statistics["send_messages_total"] ?? 0
                )
                #expect(segments > messages + 100, "\(segments) packets in \(messages) messages")
            }
        }

        @Test func `a burst to two hundred viewers that no turn can hold arrives whole`() async throws {
            try await withMeeting { meeting in
                let alice = try await meeting.join(seats: 0)
                var viewers: [TestClient] = []
                // Every other one in a suite whose packets wait to be encrypted together.
                for number in 0..<200 {
                    let profile = number % 2 == 0 ? "SRTP_AEAD_AES_128_GCM" : "SRTP_AES128_CM_SHA1_80"
                    viewers.append(try await meeting.join(sends: false, seats: 1, profiles: profile))
                }
                var seats: [String] = []
                for viewer in viewers {
                    seats.append(try await meeting.seat(of: viewer, with: alice, .camera))
                }
                let sealed = try (0..<400).map {
                    try alice.packet(.camera, TestPayload.video($0, length: 300 + $0 % 5))
                }
                for packet in sealed { alice.socket.send(packet) }
                var counters: [String: UInt64] = [:]
                let isDone = try await eventually(viewers) {
                    counters = await meeting.pool.statistics().counters
                    return received(viewers, seats) + dropped(counters) >= 200 * 400
                }
                #expect(isDone, "\(received(viewers, seats)) arrived, \(dropped(counters)) dropped")
                #expect(received(viewers, seats) + dropped(counters) == 200 * 400)
                for (viewer, seat) in zip(viewers, seats) {
                    let numbers = viewer.numbers(seat)
                    #expect(!numbers.contains(-1) && viewer.media.unreadable == 0)
                    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
                }
            }
        }

        private func received(_ viewers: [TestClient], _ seats: [String]) -> Int {
            zip(viewers, seats).reduce(0) { $0 + $1.0.packets($1.1).count }
        }

        /// Packets that were queued for a viewer or should have been, and didn't leave. A packet that was dropped unopened,
        /// since the machine has no time for the worker, is missing at all of the two hundred.
        private func dropped(_ counters: [String: UInt64]) -> Int {
            200 * Int(counters["packets_late_total"] ?? 0)
                + [
                    "packets_turn_full_total", "packets_unsealed_total", "datagrams_send_dropped_total",
                    "datagrams_send_errors_total",
                ].reduce(0) { $0 + Int(counters[$1] ?? 0) }
        }
    }
}
