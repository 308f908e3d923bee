import FixedCollections
import Glibc
import Testing
import Wire

@testable import Forwarding

struct SeatingCostTests {
    /// A session of viewers who publish and have nine pairs of seats and three for voices alone.
    private final class Crowd {
        var forwarder: Forwarder
        let router: RouterID

        init(_ participants: Int) throws {
            let limits = ForwarderLimits(
                routers: 1, peers: participants, seats: participants * 24, packets: 64, packetsATurn: 64)
            forwarder = Forwarder(limits: limits, seed: 1, clockOffset: .zero, now: .zero)
            guard let router = forwarder.addRouter() else { throw BenchError.full }
            self.router = router
            for participant in 1...participants { try add(UInt64(participant)) }
            forwarder.assignSeats(in: router, at: .zero)
        }

        private func add(_ participant: UInt64) throws {
            let senders = [
                SimulatedSender(.microphone, mid: shortID("m"), ssrc: UInt32(participant) * 1_000),
                SimulatedSender(.camera, mid: shortID("c"), ssrc: UInt32(participant) * 1_000 + 100),
            ]
            var setup = SimulatedPeer(
                participant: participant, router: router, senders: senders, seats: 9, audioSeats: 12
            ).setup
            // Seated all together at the end.
            let seats = setup.seats
            setup.seats = []
            guard let peer = forwarder.addPeer(setup, at: .zero) else { throw BenchError.full }
            for seat in seats { forwarder.addSeat(seat, of: peer) }
            forwarder.listSeats(of: peer)
        }

        func hand(_ turn: UInt64, at now: Instant) {
            forwarder.noteTurn(of: turn, in: router)
            forwarder.assignSeats(in: router, at: now)
        }

        func shows(_ participant: UInt64) -> Bool {
            forwarder.seatOccupancy(of: PeerID(0)).contains { $0.participant == participant }
        }
    }

    @Test func `a new speaker costs each of a thousand viewers what it costs each of a hundred`() throws {
        let few = try Self.costAViewer(100)
        let many = try Self.costAViewer(1_000)
        print("a change of speaker: \(few) ns a viewer with 100, \(many) ns with 1,000")
        // Quadratic would be ten times as much. It is more than once as much: a thousand don't fit into the caches.
        #expect(many < few * 8)
    }

    /// What this thread has had of a processor, in nanoseconds: other work on the machine doesn't count.
    private static func processorTime() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    @_optimize(none)
    private static func costAViewer(_ participants: Int) throws -> Int64 {
        let crowd = try Crowd(participants)
        var best = Int64.max
        for turn in 1...6 {
            let now = Instant.zero + .seconds(3 * turn)
            let speaker = UInt64(participants - turn)
            let begun = Self.processorTime()
            crowd.hand(speaker, at: now)
            best = min(best, (Self.processorTime() - begun) / Int64(participants))
            #expect(crowd.shows(speaker))
        }
        return best
    }
}
