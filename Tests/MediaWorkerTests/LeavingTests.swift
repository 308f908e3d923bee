import MediaWorker
import Testing
import TransportTestSupport

extension MediaWorkerTests {
    @Suite struct LeavingTests {
        /// Gauges of everything that is kept for a participant.
        private static let gauges = [
            "transports", "media_participants", "participants_with_sources_off", "ice_ufrags",
            "udp_addresses",
            "foreign_addresses", "sealed_streams", "tcp_connections", "packets_held",
        ]

        private func left(in meeting: TestMeeting) async -> [String: Double] {
            let gauges = await meeting.pool.statistics().gauges
            return gauges.filter { Self.gauges.contains($0.key) && $0.value != 0 }
        }

        @Test func `closing a session drops everything in it and says goodbye`() async throws {
            try await withMeeting(workers: 2) { meeting in
                var clients: [TestClient] = []
                for number in 0..<6 { clients.append(try await meeting.join(overTCP: number % 3 == 0)) }
                _ = try await meeting.join(connects: false)
                for client in clients {
                    await meeting.pool.setSource(.camera, of: client.id, to: .off)
                }
                await meeting.pool.setSource(.camera, of: clients[0].id, to: .live)
                try await meeting.expectMedia(from: clients[0], to: clients[1], sources: [.microphone])
                await meeting.pool.closeSession(meeting.session)
                let isTold = try await eventually(clients) { clients.allSatisfy { $0.dtls.isClosed } }
                #expect(isTold)
                let isEmpty = try await eventually([]) { await left(in: meeting).isEmpty }
                let rest = await left(in: meeting)
                #expect(isEmpty, "\(rest)")
                #expect(await meeting.statistic("media_sessions") == 0)
            }
        }

        @Test func `a thousand joins and leaves leave nothing behind`() async throws {
            try await withMeeting(workers: 2) { meeting in
                let staying = try await meeting.join()
                try await comeAndGo(100, staying, meeting)
                var rounds = 0
                let isFlat = try await staysWithin(1 << 20) {
                    try await comeAndGo(200, staying, meeting)
                    rounds += 1
                }
                #expect(isFlat)
                try await comeAndGo((5 - rounds) * 200, staying, meeting)
                await meeting.pool.leave(staying.id)
                let isEmpty = try await eventually([]) { await left(in: meeting).isEmpty }
                let rest = await left(in: meeting)
                #expect(isEmpty, "\(rest)")
                #expect(await meeting.statistic("dtls_handshakes_total") == 1_101)
            }
        }

        /// So many participants come, one after the other, say something and go: on their own, or by a goodbye.
        private func comeAndGo(_ count: Int, _ staying: TestClient, _ meeting: TestMeeting) async throws {
            for number in 0..<count {
                let client = try await meeting.join(seats: 1)
                try client.send(.microphone, number: number)
                try client.send(.camera, number: number)
                if number % 4 == 0 { await meeting.pool.setSource(.camera, of: client.id, to: .off) }
                if number % 3 == 0 {
                    client.sayGoodbye()
                    let isTold = try await eventually([]) {
                        meeting.events.disconnections(of: client.id) == 1
                    }
                    #expect(isTold)
                }
                await meeting.pool.leave(client.id)
                try staying.pump()
                staying.media.received = [:]
                meeting.events.removeAll()
            }
        }
    }
}
