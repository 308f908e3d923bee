import MediaWorker
import Testing
import TransportTestSupport
import Wire

@testable import Transport

extension MediaWorkerTests {
    /// What strangers and bad participants send, while a meeting goes on that must lose nothing.
    @Suite struct HostileTests {
        @Test func `a flood of checks for unknown ufrags`() async throws {
            try await withMeeting(workers: 2) { meeting in
                let stranger = try ClientSocket(to: meeting.pool.localAddress)
                var check = try TestCheck(credentials: .random(lane: 1)).bytes()
                try await underAttack(meeting, rounds: 250) { round in
                    for number in 0..<200 {
                        // The two characters ahead of these name a worker: both take turns.
                        check[25] = number % 2 == 0 ? UInt8(ascii: "A") : UInt8(ascii: "B")
                        check[30] = UInt8(ascii: "A") + UInt8(number % 26)
                        check[31] = UInt8(ascii: "A") + UInt8(round % 26)
                        stranger.send(check)
                    }
                }
                #expect(stranger.receive().isEmpty)
                #expect(await meeting.statistic("stun_unknown_ufrag_total") >= 49_000)
            }
        }

        @Test func `idle TCP connections from an address that participants have too`() async throws {
            try await withMeeting { meeting in
                let carol = try await meeting.join(overTCP: true)
                var idle: [ClientSocket] = []
                try await underAttack(meeting, rounds: 60) { _ in
                    for _ in 0..<20 {
                        idle.append(try ClientSocket(to: meeting.pool.localAddress, overTCP: true))
                    }
                    // More than the server has places, and fewer descriptors than a process may have.
                    if idle.count > 100 { idle.removeFirst(20) }
                }
                let dave = try await meeting.join(overTCP: true)
                try await meeting.expectMedia(from: carol, to: dave)
                #expect(meeting.events.disconnections(of: carol.id) == 0)
                #expect(await meeting.statistic("tcp_connections") <= 16 + 2)
                #expect(await meeting.statistic("tcp_closed_for_share_total") > 0)
                #expect(await meeting.statistic("tcp_refused_total") == 0)
            }
        }

        @Test func `garbage of every first byte, from a stranger and from a participant`() async throws {
            try await withMeeting { meeting in
                let stranger = try ClientSocket(to: meeting.pool.localAddress)
                let mallory = try await meeting.join(seats: 0)
                _ = mallory.socket.receive()
                try await underAttack(meeting, rounds: 256) { first in
                    for number in 0..<30 {
                        let length = 1 + (number &* 131 &+ first) % 1_400
                        var garbage = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ number) }
                        garbage[0] = UInt8(first)
                        stranger.send(garbage)
                        mallory.socket.send(garbage)
                    }
                }
                #expect(stranger.receive().isEmpty)
                _ = mallory.socket.receive()
                #expect(mallory.socket.bytesReceived < mallory.socket.bytesSent)
            }
        }

        @Test func `a ClientHello from an address without a check gets no reply`() async throws {
            try await withMeeting { meeting in
                let stranger = try ClientSocket(to: meeting.pool.localAddress)
                let hello = try DTLSTestClient(helloSize: 1_400).start(at: nil)
                try await underAttack(meeting, rounds: 100) { _ in
                    for _ in 0..<20 { for datagram in hello { stranger.send(datagram) } }
                }
                #expect(stranger.receive().isEmpty)
                #expect(await meeting.statistic("transports") == 2)
            }
        }

        @Test func `100,000 SSRCs from one participant`() async throws {
            try await withMeeting { meeting in
                let mallory = try await meeting.join(seats: 0)
                var forged = [UInt8](repeating: 0x55, count: 100)
                (forged[0], forged[1]) = (0x80, TestOffer.videoType)
                try await underAttack(meeting, rounds: 200) { round in
                    for number in 0..<500 {
                        let ssrc = 0x4000_0000 + round * 500 + number
                        for index in 0..<4 {
                            forged[8 + index] = UInt8(truncatingIfNeeded: ssrc >> (24 - 8 * index))
                        }
                        mallory.socket.send(forged)
                    }
                }
                #expect(await meeting.statistic("packets_unknown_stream_total") >= 100_000)
            }
        }

        @Test func `SSRC after SSRC under good keys and a mid of one's own`() async throws {
            try await withMeeting { meeting in
                let mallory = try await meeting.join(seats: 0)
                var ssrc: UInt32 = 0x4000_0000
                try await underAttack(meeting, rounds: 20) { _ in
                    // As many as the sealer of the test has places for, with keys set up anew for each round.
                    for number in 0..<200 {
                        ssrc += 1
                        let packet = try mallory.packet(
                            .microphone, TestPayload.audio(number), ssrc: ssrc)
                        mallory.socket.send(packet)
                    }
                    try mallory.startAgain(.microphone)
                }
                #expect(await meeting.statistic("packets_held") < 10_000)
            }
        }

        @Test func `packets that are repeated, changed or cut`() async throws {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                let seats = try await meeting.seated(alice, at: bob)
                var control: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 0]
                control[7] = 1
                for number in 0..<200 {
                    let packet = try alice.packet(.camera, TestPayload.video(number, length: 200))
                    let report = try alice.keys?.sealControl(control) ?? []
                    for original in [packet, report] {
                        alice.socket.send(Array(original.prefix(number % original.count)))
                        var changed = original
                        changed[12 + number % (changed.count - 12)] ^= 0x10
                        alice.socket.send(changed)
                        for _ in 0..<3 { alice.socket.send(original) }
                    }
                }
                let isThere = try await eventually([alice, bob]) { bob.packets(seats.video).count >= 200 }
                #expect(isThere)
                try await meeting.expectMedia(from: alice, to: bob, sources: [.microphone])
                #expect(bob.numbers(seats.video) == Array(0..<200))
                #expect(bob.isContinuous(seats.video))
                #expect(await meeting.statistic("srtp_failures_total") >= 400)
                #expect(await meeting.statistic("srtcp_failures_total") >= 400)
            }
        }

        @Test func `no answer to a check is longer than the check`() async throws {
            try await withMeeting { meeting in
                let mallory = try await meeting.join(connects: false)
                let credentials = try #require(mallory.server)
                let stranger = try ClientSocket(to: meeting.pool.localAddress)
                let wrong = ICECredentials(ufrag: credentials.ufrag, password: "wrongwrongwrongwrongwrong")
                for extra in [[], [STUNAttributeType(rawValue: 0x7000)]] {
                    for role in [STUNBindingRequest.Role.controlling, .controlled, nil] {
                        stranger.send(try TestCheck(credentials: wrong, role: role, extra: extra).bytes())
                        mallory.socket.send(
                            try TestCheck(credentials: credentials, role: role, extra: extra).bytes())
                        let sent = mallory.socket.bytesSent
                        var answers: [[UInt8]] = []
                        _ = try await eventually([]) {
                            answers += mallory.socket.receive()
                            return !answers.isEmpty
                        }
                        #expect(answers.count == 1)
                        #expect(mallory.socket.bytesReceived <= sent)
                    }
                }
                #expect(stranger.receive().isEmpty)
            }
        }

        /// Runs an attack round by round; in each round the meeting sends on, and must lose nothing.
        private func underAttack(
            _ meeting: TestMeeting, rounds: Int, _ attack: (Int) throws -> Void
        ) async throws {
            let (alice, bob) = (try await meeting.join(), try await meeting.join(seats: 4))
            let seats = try await meeting.seated(alice, at: bob)
            try await meeting.expectMedia(from: alice, to: bob, count: 10)
            let isBounded = try await staysWithin(20 << 20) {
                bob.media.received = [:]
                for round in 0..<rounds {
                    try attack(round)
                    try alice.send(.microphone, number: round)
                    try alice.send(.camera, number: round)
                    let isThere = try await eventually([alice, bob]) {
                        bob.packets(seats.audio).count > round && bob.packets(seats.video).count > round
                    }
                    try #require(isThere, "round \(round)")
                }
                #expect(bob.numbers(seats.audio) == Array(0..<rounds))
                #expect(bob.numbers(seats.video) == Array(0..<rounds))
                #expect(bob.isContinuous(seats.audio) && bob.isContinuous(seats.video))
            }
            #expect(isBounded)
            #expect(await meeting.statistic("datagrams_dropped_by_kernel_total") == 0)
            #expect(meeting.events.disconnections(of: bob.id) == 0)
        }
    }
}
