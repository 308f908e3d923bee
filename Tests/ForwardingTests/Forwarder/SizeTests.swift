import FixedCollections
import Testing
import Wire

@testable import Forwarding

/// What memory things take, as `Config/README.md` tells operators: whoever makes them larger says so there.
struct SizeTests {
    @Test func `things in the tables take no more than is documented`() {
        #expect(MemoryLayout<Peer>.stride <= 1_024)
        #expect(MemoryLayout<Seat>.stride <= 2_560)
        #expect(MemoryLayout<Encoding>.stride <= 3_584)
        #expect(MemoryLayout<Publication>.stride <= 256)
        #expect(MemoryLayout<ViewerLink>.stride <= 4_608)
        #expect(MemoryLayout<PacketInfo>.stride + 1_536 <= 1_664)
    }

    @Test func `what doesn't fit into the tables is known before`() throws {
        var limits = ForwarderLimits(peers: 4, seats: 5)
        limits.estimatesLinks = false
        var forwarder = Forwarder(limits: limits, seed: 1, clockOffset: .zero, now: Instant(nanoseconds: 0))
        let now = Instant(nanoseconds: 0)
        let added = forwarder.addRouter()
        let router = try #require(added)
        let first = setup(1, seats: 2, in: router)
        let entered = forwarder.addPeer(first, at: now)
        let peer = try #require(entered)
        // Two of the five are there already; three are free.
        let grown = setup(1, seats: 5, in: router)
        let fit = [
            forwarder.hasRoom(for: grown, of: peer),
            forwarder.hasRoom(for: setup(1, seats: 6, in: router), of: peer),
            forwarder.hasRoom(for: setup(2, seats: 3, in: router), of: nil),
            forwarder.hasRoom(for: setup(2, seats: 4, in: router), of: nil),
        ]
        #expect(fit == [true, false, true, false])
        forwarder.configure(peer, grown, at: now)
        let fitsWhenFull = forwarder.hasRoom(for: setup(2, seats: 1, in: router), of: nil)
        forwarder.removePeer(peer, at: now)
        let fitsWhenEmpty = forwarder.hasRoom(for: setup(2, seats: 5, in: router), of: nil)
        #expect(!fitsWhenFull && fitsWhenEmpty)
    }

    private func setup(_ participant: UInt64, seats: Int, in router: RouterID) -> PeerSetup {
        let seats = (0..<seats).map { number in
            SeatSetup(
                mid: shortID("v\(number)"), isVideo: true,
                ssrc: SSRC(UInt32(participant) * 100 + UInt32(number)),
                rtxSSRC: nil, firstSequence: 0, firstRTXSequence: 0)
        }
        return PeerSetup(
            router: router, participant: participant, localSSRC: SSRC(UInt32(participant)),
            extensions: Negotiated.extensions, formats: [], publications: [], seats: seats)
    }
}
