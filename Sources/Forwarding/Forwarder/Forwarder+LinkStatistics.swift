import FixedCollections
public import Wire

/// What a viewer's link carries, as far as the server knows, and what is sent over it.
public struct LinkStatistics: Sendable {
    /// What the estimate is made of.
    public enum Basis: String, Sendable {
        /// Nothing has been heard from the viewer yet.
        case unheard
        case transportCC
        /// The viewer's own estimate (REMB).
        case receiver
        /// The viewer doesn't say what its link carries.
        case unknown
    }

    public var basis = Basis.unknown
    /// What the last allocation was made with. Without a known estimate this is what there is no bound by.
    public var numbers = AllocationNumbers()
    public var roundTrip = Duration.zero
    /// Share of packets lost on the way lately, 0 to 1, and how long they wait on it; `nil` without transport-cc.
    public var loss: Double?
    public var queueing: Duration?
    /// Bytes that wait at the server.
    public var waitingBytes = 0
    /// Audio and video, each in their order.
    public var seats: [SeatStatistics] = []
}

/// What is sent to a seat, and why not more.
public struct SeatStatistics: Sendable {
    public var mid: ShortID
    public var isVideo: Bool
    /// The occupant, as in `SeatOccupancy`.
    public var participant: UInt64?
    public var source: Source?
    /// The simulcast encoding that is sent; `nil`: nothing is, or there is one encoding.
    public var rid: ShortID?
    /// Something is sent.
    public var isSent: Bool
    /// The best layers that are sent, counted from 0; spatial ones over all encodings, the smallest first.
    public var spatial = 0
    public var temporal = 0
    /// Lines of the picture; `nil`: the stream doesn't say, or it is sound.
    public var height: Int?
    public var allotted: SeatAllotment
    /// Of payload, over the last second.
    public var bitrate: Bitrate
    /// As the viewer reported last, 0 to 1.
    public var loss: Double

    /// Why it isn't the best layer; `nil`: it is.
    public var reason: LayerReason? { allotted.reason }
    /// What the next better layer would take, if bitrate is what is missing.
    public var needed: Bitrate? { allotted.needed }
}

extension Forwarder {
    /// Bounds what is sent to the peer in all; `nil`: nothing but its link does. It holds from the end of the turn on.
    public mutating func setReceiveLimit(_ limit: Bitrate?, of peer: PeerID) {
        peers[Int(peer.index)].receiveLimit = limit
        wantAllocation(of: peer)
    }

    /// What a peer's link carries, and what its seats get.
    public func linkStatistics(of peer: PeerID) -> LinkStatistics {
        var statistics = LinkStatistics()
        statistics.roundTrip = peers[Int(peer.index)].roundTrip
        if let link = link(of: peer) {
            statistics.basis = LinkStatistics.Basis(links[link].mode)
            statistics.numbers = links[link].allocator.numbers
            statistics.waitingBytes = links[link].waitingBytes
            if links[link].mode == .transportCC {
                let measured = links[link].estimator.statistics
                statistics.loss = measured.loss
                statistics.queueing = measured.queueing
            }
        }
        for number in 0..<peers[Int(peer.index)].audioSeats.count {
            statistics.seats.append(seatStatistics(of: peers[Int(peer.index)].audioSeats[number]))
        }
        for number in 0..<peers[Int(peer.index)].videoSeats.count {
            statistics.seats.append(seatStatistics(of: peers[Int(peer.index)].videoSeats[number]))
        }
        return statistics
    }

    private func seatStatistics(of seat: SeatID) -> SeatStatistics {
        let index = Int(seat.index)
        let occupant = seats[index].occupant
        let current = seats[index].current
        var statistics = SeatStatistics(
            mid: seats[index].mid, isVideo: seats[index].isVideo,
            participant: occupant == .none ? nil : participant(of: publications[Int(occupant.index)].peer),
            source: occupant == .none ? nil : publications[Int(occupant.index)].source,
            rid: current == .none ? nil : encodings[Int(current.index)].rid, isSent: current != .none,
            allotted: seats[index].allotted, bitrate: seats[index].sent.bitrate,
            loss: Double(seats[index].sent.fractionLost) / 256)
        guard seats[index].isVideo, current != .none else { return statistics }
        let (highest, limit) = (encodings[Int(current.index)].layers.highest, seats[index].selector.limit)
        let spatial = min(limit.spatial, highest.spatial)
        statistics.spatial = Int(firstSpatial(of: current) + spatial)
        statistics.temporal = Int(min(limit.temporal, highest.temporal))
        statistics.height = encodings[Int(current.index)].layers.height(ofSpatial: Int(spatial))
        return statistics
    }
}

extension LinkStatistics.Basis {
    init(_ mode: ViewerLink.Mode) {
        switch mode {
        case .unheard: self = .unheard
        case .transportCC: self = .transportCC
        case .receiver: self = .receiver
        case .silent: self = .unknown
        }
    }
}
