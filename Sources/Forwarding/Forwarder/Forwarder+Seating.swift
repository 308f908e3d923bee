import FixedCollections
public import Wire

/// Who sits in a seat.
public struct SeatOccupancy: Sendable, Equatable {
    public var mid: ShortID
    public var isVideo: Bool
    /// The occupant's name as its `PeerSetup` gave it; `nil`: the seat is free.
    public var participant: UInt64?
    public var source: Source?
    /// The occupant's source is off.
    public var isMuted: Bool
}

extension Forwarder {
    /// A peer whose seats have changed since it was last handed out; `nil` when there is none.
    mutating func pollSeatChange() -> PeerID? {
        guard changedPeers.count > 0 else { return nil }
        let peer = changedPeers[changedPeers.count - 1]
        changedPeers.swapRemove(at: changedPeers.count - 1)
        peers[Int(peer.index)].seatsChanged = false
        return peer
    }

    public func participant(of peer: PeerID) -> UInt64 { peers[Int(peer.index)].participant }

    /// All seats of a peer, audio and video each in their order.
    public func seatOccupancy(of peer: PeerID) -> [SeatOccupancy] {
        var all: [SeatOccupancy] = []
        all.reserveCapacity(peers[Int(peer.index)].seats.count)
        for number in 0..<peers[Int(peer.index)].audioSeats.count {
            all.append(occupancy(of: peers[Int(peer.index)].audioSeats[number]))
        }
        for number in 0..<peers[Int(peer.index)].videoSeats.count {
            all.append(occupancy(of: peers[Int(peer.index)].videoSeats[number]))
        }
        return all
    }

    private func occupancy(of seat: SeatID) -> SeatOccupancy {
        let index = Int(seat.index)
        let occupant = seats[index].occupant
        guard occupant != .none else {
            return SeatOccupancy(
                mid: seats[index].mid, isVideo: seats[index].isVideo, participant: nil, source: nil,
                isMuted: false)
        }
        let publication = Int(occupant.index)
        return SeatOccupancy(
            mid: seats[index].mid, isVideo: seats[index].isVideo,
            participant: peers[Int(publications[publication].peer.index)].participant,
            source: publications[publication].source, isMuted: !publications[publication].isLive)
    }
}
