import EventLoop
import FixedCollections
import MediaWorker
import Testing
import TransportTestSupport
import Wire

extension MediaWorkerTests {
    /// A session on two workers: participants are placed on them in turn.
    @Suite struct SpreadingTests {
        private func withSpread(
            workers: Int = 2, _ change: (inout MediaSettings) -> Void = { _ in },
            _ body: (TestMeeting) async throws -> Void
        ) async throws {
            let spread: (inout MediaSettings) -> Void = { settings in
                settings.spreadAbove = 0
                change(&settings)
            }
            try await withMeeting(workers: workers, spread, body)
        }

        @Test func `what each of four sends reaches the others once and in order`() async throws {
            try await withSpread { meeting in
                var clients: [TestClient] = []
                for _ in 0..<4 { clients.append(try await meeting.join(seats: 3)) }
                #expect(await meeting.pool.statistics().workers.map(\.participants) == [2, 2])
                #expect(await meeting.statistic("mirrors") == 4)
                var seats: [(from: TestClient, to: TestClient, audio: String, video: String)] = []
                for publisher in clients {
                    for viewer in clients where viewer !== publisher {
                        let seat = try await meeting.seated(publisher, at: viewer)
                        seats.append((publisher, viewer, seat.audio, seat.video))
                    }
                }
                for number in 0..<200 {
                    for client in clients {
                        try client.send(.microphone, number: number)
                        try client.send(.camera, number: number)
                        try client.pump()
                    }
                }
                let all = Array(0..<200)
                _ = try await eventually(clients) {
                    seats.allSatisfy {
                        $0.to.packets($0.audio).count >= 200 && $0.to.packets($0.video).count >= 200
                    }
                }
                for seat in seats {
                    #expect(seat.to.numbers(seat.audio) == all)
                    #expect(seat.to.numbers(seat.video) == all)
                    #expect(seat.to.isContinuous(seat.audio) && seat.to.isContinuous(seat.video))
                    #expect(seat.to.media.unreadable == 0)
                }
                #expect(await meeting.statistic("packets_relayed_total") == 4 * 2 * 200)
                #expect(await meeting.statistic("relay_dropped_total") == 0)
            }
        }

        @Test func `not one packet leaves any worker after a source was switched off`() async throws {
            try await withSpread { meeting in
                let alice = try await meeting.join()
                let viewers = [try await meeting.join(), try await meeting.join()]
                var seats: [String] = []
                for viewer in viewers { seats.append(try await meeting.seated(alice, at: viewer).audio) }
                let packets = try (0..<100_000).map {
                    try alice.packet(.microphone, TestPayload.audio($0, length: 30))
                }
                let flood = Flood(packets, through: alice.socket.descriptor)
                let thread = try flood.start(every: 50)
                var late = [0, 0]
                for round in 0..<100 {
                    // The one on the other worker twice as often as the one beside her.
                    let place = round % 3 == 0 ? 1 : 0
                    let (viewer, seat) = (viewers[place], seats[place])
                    let before = viewer.packets(seat).count
                    let isLive = try await eventually(viewers) { viewer.packets(seat).count > before + 3 }
                    try #require(isLive, "it is forwarded again")
                    await meeting.pool.setSource(.microphone, of: alice.id, to: .off)
                    late[place] += try await meeting.latePackets(after: flood.sent, seat, at: viewer, flood)
                    await meeting.pool.setSource(.microphone, of: alice.id, to: .live)
                }
                flood.stop()
                thread.join()
                #expect(late == [0, 0])
                #expect(await meeting.statistic("packets_relayed_total") > 300)
            }
        }

        @Test func `nothing from before a mute comes after it`() async throws {
            try await withSpread { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                let seat = try await meeting.seated(alice, at: bob).audio
                let packets = try (0..<100_000).map {
                    try alice.packet(.microphone, TestPayload.audio($0, length: 30))
                }
                let flood = Flood(packets, through: alice.socket.descriptor)
                let thread = try flood.start(every: 20)
                var early = 0
                for _ in 0..<100 {
                    let isLive = try await eventually([bob]) { bob.packets(seat).count > 3 }
                    try #require(isLive, "it is forwarded again")
                    let before = flood.sent
                    await meeting.pool.setSource(.microphone, of: alice.id, to: .off)
                    // The answer to a check comes behind everything that left before.
                    let checks = bob.answeredChecks
                    try bob.sendCheck()
                    _ = try await eventually([bob]) { bob.answeredChecks > checks }
                    bob.media.received = [:]
                    await meeting.pool.setSource(.microphone, of: alice.id, to: .live)
                    let isBack = try await eventually([bob]) { bob.packets(seat).count > 3 }
                    try #require(isBack, "it is forwarded again")
                    let numbers = bob.numbers(seat)
                    early += numbers.count { $0 < before }
                    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
                }
                flood.stop()
                thread.join()
                #expect(early == 0)
            }
        }

        @Test func `who goes and comes again is heard and seen on the other worker`() async throws {
            try await withSpread { meeting in
                let alice = try await meeting.join()
                for round in 0..<6 {
                    let bob = try await meeting.join()
                    try await meeting.expectMedia(from: alice, to: bob, count: 20)
                    try await meeting.expectMedia(from: bob, to: alice, count: 20)
                    if round % 2 == 0 { bob.sayGoodbye() } else { await meeting.pool.leave(bob.id) }
                    let isFree = try await eventually([alice, bob]) {
                        meeting.events.seats(of: alice.id).allSatisfy { $0.occupant == nil }
                    }
                    #expect(isFree)
                    await meeting.pool.leave(bob.id)
                    // Nobody is left there: the other worker knows nothing of the session any more.
                    #expect(await meeting.statistic("media_sessions") == 1)
                    #expect(await meeting.statistic("mirrors") == 0)
                }
            }
        }

        @Test func `a new peer connection takes the place of the old one on both workers`() async throws {
            try await withSpread { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                try await meeting.expectMedia(from: alice, to: bob, count: 20)
                await meeting.pool.setSource(.microphone, of: alice.id, to: .off)
                for _ in 0..<3 {
                    try alice.startOver()
                    try await alice.negotiate()
                    try await meeting.connect(alice)
                    try await meeting.expectMedia(from: bob, to: alice, count: 20)
                }
                #expect(await meeting.statistic("mirrors") == 2)
                await meeting.pool.setSource(.microphone, of: alice.id, to: .live)
            }
        }

        @Test func `a key frame that a viewer wants is asked of the publisher on the other worker`()
            async throws
        {
            try await withSpread { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                let seat = try await meeting.seated(alice, at: bob).video
                try await meeting.expectMedia(from: alice, to: bob, count: 5, sources: [.camera])
                for number in [77, 78] {
                    // Each packet is a key frame: one that is still on its way would be the answer to what is asked.
                    try alice.send(.camera, number: number)
                    let isThere = try await eventually([alice, bob]) { bob.numbers(seat).contains(number) }
                    #expect(isThere)
                    // What is asked for within a second of the last time waits for the next one.
                    let before = alice.media.refreshes
                    try bob.askForKeyFrame(seat)
                    let isAsked = try await eventually([alice, bob]) { alice.media.refreshes > before }
                    #expect(isAsked)
                }
            }
        }

        @Test func `a lost packet is repeated by the viewer's own worker`() async throws {
            try await withSpread { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                let seat = try await meeting.seated(alice, at: bob).video
                try await meeting.expectMedia(from: alice, to: bob, count: 30, sources: [.camera])
                let lost = bob.packets(seat)[10]
                try bob.askAgain(for: lost.sequence, on: seat)
                let isRepeated = try await eventually([alice, bob]) { !bob.repeated.isEmpty }
                #expect(isRepeated)
                let number = [UInt8(lost.sequence >> 8), UInt8(truncatingIfNeeded: lost.sequence)]
                #expect(bob.repeated.first?.payload == number + lost.payload)
                #expect(await meeting.statistic("packets_retransmitted_total") == 1)
                #expect(alice.media.unreadable == 0)
            }
        }

        @Test(arguments: [0, 1])
        func `who speaks is told once, wherever the speaker is`(place: Int) async throws {
            try await withSpread { meeting in
                let clients = [try await meeting.join(), try await meeting.join()]
                let speaker = clients[place]
                let start = MonotonicClock.now()
                for number in 0..<100 {
                    // Syllables, and a breath after each few.
                    let isSyllable = number % 12 < 9 && number % 50 < 40
                    speaker.media.level = isSyllable ? UInt8(22 + number % 5) : number % 50 < 40 ? 60 : 107
                    try speaker.send(.microphone, number: number)
                    let next = start + .milliseconds(20 * (number + 1))
                    _ = try await eventually(clients) { MonotonicClock.now() >= next }
                }
                var changes: [MediaParticipantID?] = []
                for event in meeting.events.all {
                    if case .dominantSpeakerChanged(meeting.session, let id) = event { changes.append(id) }
                }
                #expect(changes == [speaker.id])
            }
        }

        @Test func `two hundred joins and leaves leave no mirror behind`() async throws {
            try await withSpread(workers: 3) { meeting in
                let staying = try await meeting.join()
                for number in 0..<200 {
                    let client = try await meeting.join(seats: 1)
                    try client.send(.camera, number: number)
                    if number % 4 == 0 { await meeting.pool.setSource(.camera, of: client.id, to: .off) }
                    if number % 3 == 0 { client.sayGoodbye() }
                    await meeting.pool.leave(client.id)
                    try staying.pump()
                }
                let names = ["mirrors", "participants_with_sources_off"]
                for name in names { #expect(await meeting.statistic(name) == 0, "\(name)") }
                #expect(await meeting.statistic("media_participants") == 1)
                #expect(await meeting.statistic("media_sessions") == 1)
                await meeting.pool.closeSession(meeting.session)
                #expect(await meeting.statistic("media_sessions") == 0)
                #expect(await meeting.statistic("packets_held") == 0)
            }
        }

        @Test func `closing a session drops it on all workers`() async throws {
            try await withSpread(workers: 3) { meeting in
                var clients: [TestClient] = []
                for _ in 0..<6 { clients.append(try await meeting.join()) }
                #expect(await meeting.statistic("mirrors") == 12)
                await meeting.pool.closeSession(meeting.session)
                let isTold = try await eventually(clients) { clients.allSatisfy { $0.dtls.isClosed } }
                #expect(isTold)
                for name in ["mirrors", "media_sessions", "transports"] {
                    #expect(await meeting.statistic(name) == 0, "\(name)")
                }
            }
        }

        @Test func `whoever finds no room leaves no trace on the other workers`() async throws {
            try await withSpread({ $0.maxTransports = 2 }) { meeting in
                var clients: [TestClient] = []
                for _ in 0..<4 { clients.append(try await meeting.join(seats: 3)) }
                await #expect(throws: MediaError.serverFull) { _ = try await meeting.join() }
                #expect(await meeting.statistic("mirrors") == 4)
                #expect(await meeting.statistic("transports") == 4)
                try await meeting.expectMedia(from: clients[0], to: clients[1], count: 20)
                try await meeting.expectMedia(from: clients[3], to: clients[0], count: 20)
            }
        }

        @Test func `loads are told worker by worker`() async throws {
            try await withSpread { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                let isMeasured = try await eventually([alice, bob]) {
                    try alice.send(.microphone, TestPayload.audio(1))
                    let workers = await meeting.pool.statistics().workers
                    return workers.count == 2
                        && workers.allSatisfy { $0.load > 0 && $0.load <= 1 && $0.packetsPerSecond > 0 }
                }
                #expect(isMeasured)
            }
        }
    }
}
