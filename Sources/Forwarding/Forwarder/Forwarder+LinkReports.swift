import FixedCollections
import Wire

extension Forwarder {
    /// Takes in what a viewer says its link carries: transport-cc feedback or REMB.
    mutating func receiveLinkReport(
        _ kind: RTCPMessageKind, _ bytes: Span<UInt8>, from peer: PeerID, at now: Instant
    ) throws(RTCPError) {
        guard let link = link(of: peer) else { return }
        if kind == .transportFeedback {
            let feedback = try TransportFeedback.parse(bytes)
            links[link].receive(feedback, in: bytes, at: now)
        } else {
            let estimate = try ReceiverEstimate.parse(bytes)
            links[link].receive(estimate, in: bytes, at: now)
        }
        counters.linkReports &+= 1
        // A datagram may have several: what they say is acted on when it has been read.
        linkTimers.hasten(Int(peer.index), to: now)
    }

    /// Takes in what a receiver report says of a seat.
    mutating func noteReport(_ block: ReportBlock, of seat: SeatID, at now: Instant) {
        seats[Int(seat.index)].sent.fractionLost = block.fractionLost
        let packets = measureDown(block, on: seat)
        guard let link = link(of: seats[Int(seat.index)].peer) else { return }
        links[link].receive(block, packets: packets, at: now)
        linkTimers.hasten(Int(seats[Int(seat.index)].peer.index), to: now)
    }

    mutating func noteRoundTrip(_ newest: Duration?, of peer: PeerID, at now: Instant) {
        guard let link = link(of: peer) else { return }
        links[link].estimator.setRoundTrip(peers[Int(peer.index)].roundTrip, newest: newest, at: now)
    }

    /// Whether the packet may be sent again, as far as the viewer's share for that goes.
    mutating func affordsRepair(_ slot: PacketSlot, to peer: PeerID, at now: Instant) -> Bool {
        guard let link = link(of: peer) else { return true }
        let bytes = Int(store[slot].payloadLength) + Self.usualHeader + Self.linkOverhead
        guard links[link].repairs.take(bytes: bytes, at: now) else {
            counters.repairsRefused &+= 1
            return false
        }
        return true
    }
}
