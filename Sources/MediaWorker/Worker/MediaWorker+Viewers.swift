import FixedCollections
import Forwarding
import Wire

extension MediaWorker {
    /// What a participant's link carries and its seats get; `nil` without a connection.
    func viewerStatistics(of participant: MediaParticipantID) -> ViewerStatistics? {
        guard let index = participants[participant] else { return nil }
        let peer = PeerID(index)
        let link = forwarder.linkStatistics(of: peer)
        var statistics = ViewerStatistics()
        statistics.basis = link.basis.rawValue
        if link.basis != .unknown {
            statistics.estimate = link.numbers.estimate.bitsPerSecond
            statistics.budget = link.numbers.budget.bitsPerSecond
        }
        statistics.audio = link.numbers.audio.bitsPerSecond
        statistics.video = link.numbers.video.bitsPerSecond
        statistics.demand = link.numbers.demand.bitsPerSecond
        statistics.roundTrip = Double(link.roundTrip.wholeNanoseconds) / 1e6
        statistics.queueing = link.queueing.map { Double($0.wholeNanoseconds) / 1e6 }
        statistics.loss = link.loss
        statistics.seats = zip(forwarder.seatOccupancy(of: peer), link.seats).map {
            ViewerStatistics.Seat($0, $1)
        }
        return statistics
    }

    /// Bounds what is sent to a participant.
    mutating func setReceiveLimit(_ limit: Bitrate?, of participant: MediaParticipantID) {
        guard let index = participants[participant] else { return }
        forwarder.setReceiveLimit(limit, of: PeerID(index))
    }
}

extension ViewerStatistics.Seat {
    init(_ occupancy: SeatOccupancy, _ seat: SeatStatistics) {
        self.init(state: SeatState(occupancy))
        isSent = seat.isSent
        rid = seat.rid?.description
        spatial = seat.spatial
        temporal = seat.temporal
        height = seat.height
        bitrate = seat.bitrate.bitsPerSecond
        loss = seat.loss
        reason = seat.reason?.name
        needed = seat.needed?.bitsPerSecond
    }
}

extension LayerReason {
    var name: String {
        switch self {
        case .bandwidth: "bandwidth"
        case .viewport: "viewport"
        case .lastN: "lastN"
        case .paused: "paused"
        case .sourceOff: "sourceOff"
        case .serverLimit: "serverLimit"
        }
    }
}
