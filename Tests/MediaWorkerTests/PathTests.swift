import EventLoop
import FixedCollections
import MediaWorker
import Testing
import TransportTestSupport
import Transport

extension MediaWorkerTests {
    @Suite struct PathTests {
        @Test func `media goes on within a second of the first check from a changed address`() async throws {
            try await withMeeting(workers: 2) { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                try await meeting.expectMedia(from: alice, to: bob)
                try await meeting.expectMedia(from: bob, to: alice)
                bob.socket = try ClientSocket(to: meeting.pool.localAddress)
                alice.socket = try ClientSocket(to: meeting.pool.localAddress)
                let seat = try await meeting.seated(alice, at: bob).audio
                let begun = MonotonicClock.now()
                try bob.sendCheck()
                try alice.sendCheck()
                let before = bob.packets(seat).count
                var number = 0
                let goesOn = try await eventually([alice, bob]) {
                    try alice.send(.microphone, number: number)
                    number += 1
                    return bob.packets(seat).count > before
                }
                #expect(goesOn)
                #expect(MonotonicClock.now() - begun < .seconds(1))
                #expect(meeting.events.connections(of: bob.id) == 1)
                #expect(meeting.events.disconnections(of: bob.id) == 0)
            }
        }

        @Test func `media goes on over a restart of ICE, from another address`() async throws {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                try await meeting.expectMedia(from: alice, to: bob)
                let old = try #require(bob.server)
                bob.offer.ufrag = "anew"
                try await bob.negotiate()
                #expect(bob.server?.ufrag != old.ufrag)
                #expect(await meeting.statistic("ice_ufrags") == 3)
                // The old credentials, and the old path, are good until the new ones are used.
                try await meeting.expectMedia(from: alice, to: bob)
                bob.socket = try ClientSocket(to: meeting.pool.localAddress)
                let checks = bob.answeredChecks
                try bob.sendCheck()
                let isAnswered = try await eventually([bob]) { bob.answeredChecks > checks }
                #expect(isAnswered)
                #expect(await meeting.statistic("ice_ufrags") == 2)
                try await meeting.expectMedia(from: alice, to: bob)
                #expect(meeting.events.connections(of: bob.id) == 1)
            }
        }

        @Test func `an address that another participant takes over comes back to whoever checks from it`()
            async throws
        {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                try await meeting.expectMedia(from: alice, to: bob)
                // As with a forged source address: a check with Bob's credentials from Alice's address.
                let own = bob.socket
                bob.socket = alice.socket
                try bob.sendCheck(nominates: false)
                let isTaken = try await eventually([bob]) { bob.answeredChecks > 1 }
                #expect(isTaken)
                bob.socket = own
                try bob.sendCheck()
                let checks = alice.answeredChecks
                try alice.sendCheck()
                let isBack = try await eventually([alice]) { alice.answeredChecks > checks }
                #expect(isBack)
                try await meeting.expectMedia(from: alice, to: bob)
            }
        }

        @Test func `copies of a participant's checks from another address get none of its media`()
            async throws
        {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                try await meeting.expectMedia(from: alice, to: bob)
                let elsewhere = try ClientSocket(to: meeting.pool.localAddress)
                let check = try TestCheck(credentials: try #require(bob.server)).bytes()
                let checks = await meeting.statistic("stun_checks_total")
                for _ in 0..<20 { elsewhere.send(check) }
                let areTaken = try await eventually([alice, bob]) {
                    await meeting.statistic("stun_checks_total") >= checks + 20
                }
                #expect(areTaken)
                try await meeting.expectMedia(from: alice, to: bob)
                // Answers to the checks, and a few checks in return.
                let received = elsewhere.receive()
                #expect(received.allSatisfy { $0[0] < 4 })
                #expect((21...26).contains(received.count))
                #expect(bob.proofs == 0)
            }
        }

        @Test func `a participant keeps four TCP connections, and the one in use`() async throws {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join(overTCP: true))
                try await meeting.expectMedia(from: alice, to: bob)
                let server = try #require(bob.server)
                var others: [ClientSocket] = []
                let checks = await meeting.statistic("stun_checks_total")
                for number in 1...12 {
                    let socket = try ClientSocket(to: meeting.pool.localAddress, overTCP: true)
                    others.append(socket)
                    socket.send(
                        try TestCheck(
                            credentials: server, nominates: false, transaction: UInt64(100 + number)
                        ).bytes())
                    let isTaken = try await eventually([alice, bob]) {
                        await meeting.statistic("stun_checks_total") >= checks + number
                    }
                    #expect(isTaken)
                    #expect(await meeting.statistic("tcp_connections") <= 4)
                }
                #expect(await meeting.statistic("tcp_connections") == 4)
                try await meeting.expectMedia(from: alice, to: bob)
            }
        }

        @Test func `a TCP connection that ends leaves the participant to its other path`() async throws {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join(overTCP: true))
                try await meeting.expectMedia(from: alice, to: bob)
                bob.socket = try ClientSocket(to: meeting.pool.localAddress)
                let isClosed = try await eventually([]) {
                    await meeting.statistic("tcp_connections") == 0
                }
                #expect(isClosed)
                try bob.sendCheck()
                let isAnswered = try await eventually([bob]) { bob.answeredChecks > 1 }
                #expect(isAnswered)
                try await meeting.expectMedia(from: alice, to: bob)
            }
        }
    }
}
