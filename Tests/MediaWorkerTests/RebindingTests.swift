import EventLoop
import FixedCollections
import MediaWorker
import Testing

extension MediaWorkerTests {
    /// A NAT changes an address, and the client doesn't notice: it makes no check of its own.
    @Suite struct RebindingTests {
        @Test func `media goes on both ways within a second of each change of the address`() async throws {
            try await withMeeting(workers: 2) { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                try await meeting.expectMedia(from: alice, to: bob)
                try await meeting.expectMedia(from: bob, to: alice)
                let checks = bob.answeredChecks
                // The kernel chooses the worker by the address: some changes come to the wrong one.
                for change in 1...8 {
                    #expect(try await move(bob, talkingTo: alice, in: meeting) < .seconds(1))
                    #expect(bob.proofs >= change)
                }
                #expect(bob.answeredChecks == checks)
                #expect(await meeting.statistic("stun_proofs_total") >= 8)
                #expect(meeting.events.connections(of: bob.id) == 1)
                #expect(meeting.events.disconnections(of: bob.id) == 0)
            }
        }

        @Test func `junk from everywhere doesn't keep a changed address from being found`() async throws {
            try await withMeeting(workers: 2) { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                let mallory = try await meeting.join()
                try await meeting.expectMedia(from: alice, to: bob)
                try await meeting.expectMedia(from: bob, to: alice)
                try await meeting.expectMedia(from: mallory, to: alice)
                let junk = try Junk(like: mallory, to: meeting)
                let isLimited = try await eventually([alice, bob]) {
                    junk.send()
                    return await meeting.statistic("packets_unproven_limited_total") > 0
                }
                #expect(isLimited)
                for _ in 1...4 {
                    #expect(try await move(bob, talkingTo: alice, in: meeting) { junk.send() } < .seconds(1))
                }
                #expect(meeting.events.disconnections(of: bob.id) == 0)
            }
        }

        @Test func `forged and repeated packets move nobody`() async throws {
            try await withMeeting { meeting in
                let (alice, bob) = (try await meeting.join(), try await meeting.join())
                try await meeting.expectMedia(from: alice, to: bob)
                try await meeting.expectMedia(from: bob, to: alice)
                let stranger = try ClientSocket(to: meeting.pool.localAddress)
                let genuine = try bob.packet(.microphone, TestPayload.audio(1))
                var forged = try bob.packet(.microphone, TestPayload.audio(2))
                forged[forged.count - 1] ^= 1
                bob.socket.send(genuine)
                for packet in [genuine, forged] { stranger.send(packet) }
                let areRefused = try await eventually([alice, bob]) {
                    await meeting.statistic("packets_unproven_failed_total") == 2
                }
                #expect(areRefused)
                try await meeting.expectMedia(from: alice, to: bob)
                #expect(stranger.receive().isEmpty)
                #expect(bob.proofs == 0)
            }
        }

        /// Gives a client another address while both send; how long until both have heard the other again.
        private func move(
            _ client: TestClient, talkingTo other: TestClient, in meeting: TestMeeting,
            meanwhile: () -> Void = {}
        ) async throws -> Duration {
            let seat = try await meeting.seated(other, at: client).audio
            let otherSeat = try await meeting.seated(client, at: other).audio
            try other.pump()
            client.socket = try ClientSocket(to: meeting.pool.localAddress)
            let (before, otherBefore) = (client.packets(seat).count, other.packets(otherSeat).count)
            let begun = MonotonicClock.now()
            var number = 0
            let isBack = try await eventually([client, other]) {
                meanwhile()
                try client.send(.microphone, number: number)
                try other.send(.microphone, number: number)
                number += 1
                return client.packets(seat).count > before && other.packets(otherSeat).count > otherBefore
            }
            try #require(isBack)
            return MonotonicClock.now() - begun
        }
    }
}

/// Packets that aren't authentic, from addresses that nobody has: half of them under the SSRC of a participant.
private final class Junk {
    private let sockets: [ClientSocket]
    private let packet: [UInt8]
    private var otherSSRC: UInt32 = 1

    init(like client: TestClient, to meeting: TestMeeting) throws {
        sockets = try (0..<4).map { _ in try ClientSocket(to: meeting.pool.localAddress) }
        var packet = try client.packet(.microphone, TestPayload.audio(0))
        packet[packet.count - 1] ^= 1
        self.packet = packet
    }

    func send() {
        for round in 0..<10 {
            for socket in sockets {
                var bytes = packet
                if round % 2 == 0 {
                    otherSSRC &*= 0x9e37_79b1
                    for offset in 0..<4 {
                        bytes[8 + offset] = UInt8(truncatingIfNeeded: otherSSRC >> (8 * offset))
                    }
                }
                socket.send(bytes)
            }
        }
    }
}
