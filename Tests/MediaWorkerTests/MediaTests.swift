import MediaWorker
import Testing
import TransportTestSupport

/// One at a time: they share two cores with everything else.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MediaWorkerTests {}

extension MediaWorkerTests {
    @Suite struct MediaTests {
        @Test func `what one publishes arrives at the other, each byte and each number`() async throws {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                let seats = try await meeting.seated(alice, at: bob)
                for number in 0..<300 {
                    try alice.send(.microphone, number: number)
                    try alice.send(.camera, number: number)
                    try bob.pump()
                }
                let all = Array(0..<300)
                _ = try await eventually([alice, bob]) {
                    bob.packets(seats.audio).count >= 300 && bob.packets(seats.video).count >= 300
                }
                #expect(bob.numbers(seats.audio) == all)
                #expect(bob.numbers(seats.video) == all)
                #expect(bob.isContinuous(seats.audio) && bob.isContinuous(seats.video))
                #expect(bob.media.unreadable == 0)
                #expect(meeting.events.connections(of: alice.id) == 1)
                #expect(meeting.events.connections(of: bob.id) == 1)
            }
        }

        @Test func `who leaves frees their seats`() async throws {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                _ = try await meeting.seated(alice, at: bob)
                await meeting.pool.leave(alice.id)
                let isFree = try await eventually([bob]) {
                    meeting.events.seats(of: bob.id).allSatisfy { $0.occupant == nil }
                }
                #expect(isFree)
                let isTold = try await eventually([alice]) { alice.dtls.isClosed }
                #expect(isTold)
                #expect(meeting.events.disconnections(of: alice.id) == 0)
            }
        }

        @Test func `a goodbye of the client's is told once and frees everything`() async throws {
            try await withMeeting { meeting in
                let alice = try await meeting.join()
                alice.sayGoodbye()
                let isTold = try await eventually([alice]) {
                    meeting.events.disconnections(of: alice.id) == 1
                }
                #expect(isTold)
                alice.sayGoodbye()
                #expect(await meeting.statistic("transports") == 0)
                await meeting.pool.leave(alice.id)
                #expect(meeting.events.disconnections(of: alice.id) == 1)
            }
        }

        @Test(arguments: ["SRTP_AEAD_AES_128_GCM", "SRTP_AEAD_AES_256_GCM", "SRTP_AES128_CM_SHA1_80"])
        func `each suite carries media`(profile: String) async throws {
            try await withMeeting { meeting in
                let (alice, bob) = (
                    try await meeting.join(profiles: profile), try await meeting.join(profiles: profile)
                )
                try await meeting.expectMedia(from: alice, to: bob)
            }
        }

        @Test func `peers on TCP and UDP hear each other`() async throws {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(overTCP: true), try await meeting.join())
                try await meeting.expectMedia(from: alice, to: bob)
                try await meeting.expectMedia(from: bob, to: alice)
                #expect(await meeting.statistic("tcp_connections") == 1)
                await meeting.pool.leave(alice.id)
                #expect(await meeting.statistic("tcp_connections") == 0)
            }
        }

        @Test func `TCP connections that reach the wrong worker are handed over`() async throws {
            try await withMeeting(workers: 2) { meeting in
                let alice = try await meeting.join(seats: 20)
                // The kernel spreads connections over the listeners: half of them land wrong.
                var viewers: [TestClient] = []
                for count in 1...16 {
                    let viewer = try await meeting.join(overTCP: true)
                    viewers.append(viewer)
                    // Pictures: of so many voices not all are forwarded.
                    try await meeting.expectMedia(from: alice, to: viewer, count: 10, sources: [.camera])
                    try await meeting.expectMedia(from: viewer, to: alice, count: 10, sources: [.camera])
                    #expect(await meeting.statistic("tcp_connections") == count)
                }
                await meeting.pool.closeSession(meeting.session)
                #expect(await meeting.statistic("tcp_connections") == 0)
                let isTold = try await eventually(viewers) { viewers.allSatisfy { $0.dtls.isClosed } }
                #expect(isTold)
                #expect(await meeting.statistic("datagrams_handed_over_total") > 0)
            }
        }

        @Test func `datagrams that reach the wrong worker are handed over`() async throws {
            try await withMeeting(workers: 2) { meeting in
                let alice = try await meeting.join(seats: 24)
                var viewers: [TestClient] = []
                // The kernel spreads ports over the sockets: half of them land wrong.
                while viewers.count < 24, await meeting.statistic("foreign_addresses") < 2 {
                    viewers.append(try await meeting.join())
                }
                #expect(await meeting.statistic("foreign_addresses") >= 2)
                for viewer in viewers {
                    try await meeting.expectMedia(from: alice, to: viewer, count: 20, sources: [.camera])
                    try await meeting.expectMedia(from: viewer, to: alice, count: 20, sources: [.camera])
                }
                #expect(await meeting.statistic("datagrams_handed_over_total") > 20)
                #expect(await meeting.statistic("handover_dropped_total") == 0)
                for client in viewers + [alice] { await meeting.pool.leave(client.id) }
                let isEmpty = try await eventually([]) { await meeting.statistic("foreign_addresses") == 0 }
                #expect(isEmpty)
            }
        }
    }
}

extension TestMeeting {
    /// Waits until the viewer has a source of the publisher's on one of its seats.
    func seat(
        of viewer: TestClient, with publisher: TestClient, _ source: MediaSource
    ) async throws -> String {
        var mid: String?
        _ = try await eventually([publisher, viewer]) {
            mid = events.seat(of: viewer.id, with: publisher.id, source)
            return mid != nil
        }
        return try #require(mid, "the publisher sits in a seat of the viewer's")
    }

    /// Waits until the viewer has the publisher's voice and picture on its seats.
    func seated(
        _ publisher: TestClient, at viewer: TestClient
    ) async throws -> (audio: String, video: String) {
        (
            try await seat(of: viewer, with: publisher, .microphone),
            try await seat(of: viewer, with: publisher, .camera)
        )
    }

    /// Sends numbered packets of each source and expects all of them, in order.
    func expectMedia(
        from publisher: TestClient, to viewer: TestClient, count: Int = 50,
        sources: [MediaSource] = [.microphone, .camera]
    ) async throws {
        for source in sources {
            let seat = try await seat(of: viewer, with: publisher, source)
            let before = viewer.packets(seat).count
            for number in 0..<count { try publisher.send(source, number: number) }
            // Before them may come a picture that was there when the viewer took the seat.
            let wanted = Array(0..<count)
            _ = try await eventually([publisher, viewer]) {
                viewer.packets(seat).count >= before + count
                    && viewer.numbers(seat).suffix(count) == wanted[...]
            }
            #expect(Array(viewer.numbers(seat).suffix(count)) == wanted)
            #expect(viewer.isContinuous(seat))
        }
    }
}
