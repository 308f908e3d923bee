import FixedCollections
import Wire

/// How well peers are connected.
extension Forwarder {
    /// 0 (nothing is heard of it) to 5, as it was told last; `nil`: it hasn't been measured.
    public func connectionQuality(of peer: PeerID) -> Int? { peers[Int(peer.index)].meter.score }

    /// What the server received from a peer, as it reports it.
    mutating func measureUp(_ encoding: EncodingID, _ interval: ReceiveStatistics.Interval) {
        let index = Int(encoding.index)
        let peer = Int(encodings[index].peer.index)
        peers[peer].meter.up.add(packets: interval.expected, loss: interval.loss)
        guard !encodings[index].isVideo, interval.expected > 0 else { return }
        let milliseconds =
            Double(encodings[index].statistics.jitter) * 1_000 / Double(encodings[index].clockRate)
        peers[peer].meter.up.add(jitter: milliseconds)
    }

    /// What a peer says that it received on a seat.
    ///
    /// - Returns: how many packets were sent to the seat since it said so last.
    mutating func measureDown(_ block: ReportBlock, on seat: SeatID) -> Int {
        let index = Int(seat.index)
        let peer = Int(seats[index].peer.index)
        let packets = seats[index].sent.takePackets()
        peers[peer].meter.down.add(packets: Int(packets), loss: Double(block.fractionLost) / 256)
        guard !seats[index].isVideo, packets > 0 else { return Int(packets) }
        peers[peer].meter.down.add(jitter: Double(block.jitter) * 1_000 / Double(seats[index].clockRate))
        return Int(packets)
    }

    /// Once a second: looks how well the peer is connected, if that is due.
    mutating func reviewQuality(of peer: PeerID, at now: Instant) {
        let index = Int(peer.index)
        guard peers[index].isReady, now >= peers[index].meter.reviewAt else { return }
        var sent: UInt32 = 0
        for number in 0..<peers[index].seats.count {
            sent &+= seats[Int(peers[index].seats[number].index)].sent.unreported
        }
        peers[index].meter.sent = sent
        let shortfall = shortfall(of: peer)
        let isNews = peers[index].meter.review(
            roundTrip: peers[index].roundTrip, shortfall: shortfall, at: now)
        if isNews, !ratedPeers.contains(peer) { ratedPeers.append(peer) }
    }

    /// What share of the pictures that the peer wants its link has no room for: all of one that is paused, half of one that
    /// is smaller than wanted.
    private func shortfall(of peer: PeerID) -> Double {
        guard let link = link(of: peer), links[link].mode != .silent, !links[link].isStarting,
            peers[Int(peer.index)].viewing.maxBitrate == nil
        else { return 0 }
        var wanted = 0.0
        var missing = 0.0
        for number in 0..<peers[Int(peer.index)].videoSeats.count {
            let seat = Int(peers[Int(peer.index)].videoSeats[number].index)
            let occupant = seats[seat].occupant
            guard occupant != .none, seats[seat].allottedTo == occupant, !seats[seat].isPaused,
                publications[Int(occupant.index)].isLive
            else { continue }
            wanted += 1
            guard seats[seat].allotted.reason == .bandwidth else { continue }
            missing += seats[seat].allotted.isPaused ? 1 : 0.5
        }
        return wanted > 0 ? missing / wanted : 0
    }

    /// A peer that is connected better or worse than was told; `nil` when there is none.
    mutating func pollQuality() -> PeerID? {
        guard ratedPeers.count > 0 else { return nil }
        let peer = ratedPeers[ratedPeers.count - 1]
        ratedPeers.swapRemove(at: ratedPeers.count - 1)
        return peer
    }
}
