import Testing
import Transport
import TransportTestSupport
import Wire

@testable import MediaWorker

extension MediaWorkerTests {
    @Suite struct NegotiationTests {
        @Test func `a screen share and a seat come by renegotiation, and nothing else moves`() async throws {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join(seats: 1))
                try await meeting.expectMedia(from: alice, to: bob)
                let held = bob.seatSSRCs
                alice.offer.add(.source(.screen, ssrc: 0x5000))
                try await alice.negotiate()
                #expect(alice.answer?.published["6"] == .screen)
                bob.offer.add(.seat(.video))
                try await bob.negotiate()
                for (mid, ssrc) in held { #expect(bob.seatSSRCs[mid] == ssrc) }
                let isShown = try await eventually([alice, bob]) {
                    meeting.events.seat(of: bob.id, with: alice.id, .screen) != nil
                        && meeting.events.seat(of: bob.id, with: alice.id, .camera) != nil
                }
                #expect(isShown)
                let mid = try #require(meeting.events.seat(of: bob.id, with: alice.id, .screen))
                for number in 0..<20 { try alice.send(.screen, number: number) }
                let isSeen = try await eventually([alice, bob]) { bob.packets(mid).count >= 20 }
                #expect(isSeen)
                #expect(bob.isContinuous(mid))
                try await meeting.expectMedia(from: alice, to: bob, count: 20)
            }
        }

        @Test func `an m-line that carried a microphone carries nothing else on this connection`()
            async throws
        {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                let mid = try #require(alice.answer?.published.first { $0.value == .microphone }?.key)
                alice.offer.version += 1
                let answer = try await meeting.pool.negotiate(
                    alice.id, offer: alice.offer.sdp, sources: [mid: .screenAudio])
                #expect(answer.published[mid] == .microphone)
                await meeting.pool.setSource(.microphone, of: alice.id, to: .off)
                let seats = try await meeting.seated(alice, at: bob)
                for number in 0..<20 { try alice.send(.microphone, number: number) }
                for number in 0..<20 { try alice.send(.camera, number: number) }
                let isSeen = try await eventually([alice, bob]) { bob.packets(seats.video).count >= 20 }
                #expect(isSeen && bob.packets(seats.audio).isEmpty)
                // Another connection has m-lines of its own.
                try alice.startOver()
                let other = try await meeting.pool.negotiate(
                    alice.id, offer: alice.offer.sdp, sources: [mid: .screenAudio])
                #expect(other.published[mid] == .screenAudio)
            }
        }

        @Test func `whose seats don't fit is refused, and nobody else notices`() async throws {
            try await withMeeting({ $0.maxSeats = 10 }) { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                await #expect(throws: MediaError.serverFull) { _ = try await meeting.join() }
                #expect(await meeting.statistic("transports") == 2)
                try await meeting.expectMedia(from: alice, to: bob, count: 20)
                _ = try await meeting.join(seats: 1)
            }
        }

        @Test func `an answer says who sits where`() async throws {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                _ = try await meeting.seated(alice, at: bob)
                bob.offer.add(.seat(.video))
                try await bob.negotiate()
                let seats = try #require(bob.answer?.seats)
                #expect(seats.map(\.mid) == ["2", "3", "4", "5", "6"])
                #expect(seats.contains { $0.occupant == alice.id && $0.source == .camera })
            }
        }

        @Test func `an SSRC that a removed m-line had can come again`() async throws {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                try await meeting.expectMedia(from: alice, to: bob)
                let microphone = alice.offer.sections[0].content
                for _ in 0..<3 {
                    alice.offer.sections[0].content = .removed(.audio)
                    try await alice.negotiate()
                    let isGone = try await eventually([alice, bob]) {
                        meeting.events.seat(of: bob.id, with: alice.id, .microphone) == nil
                    }
                    #expect(isGone)
                    alice.offer.sections[0].content = microphone
                    try await alice.negotiate()
                    // A sender that starts over uses its numbers again.
                    try alice.startAgain(.microphone)
                    try await meeting.expectMedia(from: alice, to: bob, count: 30)
                }
            }
        }

        @Test func `another peer connection of the same participant takes the place of the one before`()
            async throws
        {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                try await meeting.expectMedia(from: alice, to: bob)
                let before = alice.dtls
                let socket = alice.socket
                try alice.startOver()
                try await alice.negotiate()
                try await meeting.connect(alice)
                for bytes in socket.receive() where (20...63).contains(bytes[0]) {
                    _ = before.receive(bytes, at: nil)
                }
                #expect(before.isClosed)
                try await meeting.expectMedia(from: alice, to: bob)
                try await meeting.expectMedia(from: bob, to: alice)
                #expect(await meeting.statistic("transports") == 2)
                #expect(meeting.events.disconnections(of: alice.id) == 0)
            }
        }

        @Test func `a bad offer of another peer connection leaves the one before alone`() async throws {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                try await meeting.expectMedia(from: alice, to: bob)
                var bad = alice.offer
                bad.origin += 1
                let sdp = bad.sdp.replacing("a=setup:actpass", with: "a=setup:passive")
                await #expect(throws: MediaError.self) {
                    try await meeting.pool.negotiate(alice.id, offer: sdp, sources: [:])
                }
                try await meeting.expectMedia(from: alice, to: bob)
            }
        }

        @Test func `another certificate in a further offer is refused, and the connection goes on`()
            async throws
        {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                try await meeting.expectMedia(from: alice, to: bob)
                let kept = alice.offer
                for ufrag in [kept.ufrag, "anew"] {
                    alice.offer.fingerprint = try DTLSTestClient().certificate.fingerprint
                    alice.offer.ufrag = ufrag
                    let error = await #expect(throws: MediaError.self) { try await alice.negotiate() }
                    guard case .invalidOffer(.some, let reason) = error else {
                        Issue.record("\(String(describing: error))")
                        continue
                    }
                    #expect(reason.contains("fingerprint"))
                }
                #expect(await meeting.statistic("ice_ufrags") == 2)
                alice.offer = kept
                try await meeting.expectMedia(from: alice, to: bob)
                try await alice.negotiate()
                try await meeting.expectMedia(from: bob, to: alice)
            }
        }

        @Test func `renegotiating a connection that has ended is refused`() async throws {
            try await withMeeting { meeting in
                let alice = try await meeting.join()
                alice.sayGoodbye()
                _ = try await eventually([alice]) { meeting.events.disconnections(of: alice.id) == 1 }
                await #expect(throws: MediaError.self) { try await alice.negotiate() }
                try alice.startOver()
                try await alice.negotiate()
                try await meeting.connect(alice)
            }
        }

        @Test func `leaving ends the negotiations that wait`() async throws {
            try await withMeeting { meeting in
                let alice = try await meeting.join()
                let (pool, id, sdp) = (meeting.pool, alice.id, alice.offer.sdp)
                let results = await withTaskGroup(of: Bool.self) { group in
                    for number in 0..<200 {
                        group.addTask {
                            if number == 100 { await pool.leave(id) }
                            return (try? await pool.negotiate(id, offer: sdp, sources: [:])) != nil
                        }
                    }
                    var results: [Bool] = []
                    for await result in group { results.append(result) }
                    return results
                }
                #expect(results.count == 200)
                #expect(results.contains(false))
                #expect(await meeting.statistic("transports") == 0)
            }
        }
    }
}
