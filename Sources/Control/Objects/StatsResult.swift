import MediaWorker
import Meeting

/// The answer to `getStats`: what the server sends to whoever asks, and why not more.
struct StatsResult: Encodable, Sendable {
    struct Link: Encodable, Sendable {
        let basis: String
        let estimateBps: Int?
        let budgetBps: Int?
        let audioBps: Int
        let videoBps: Int
        let demandBps: Int
        let roundTripMs: Double
        let queueingMs: Double?
        let loss: Double?
    }

    struct Layer: Encodable, Sendable {
        let rid: String?
        let spatial: Int
        let temporal: Int
        let height: Int?
    }

    struct SeatStats: Encodable, Sendable {
        let mid: String
        let kind: String
        let participantId: String?
        let source: String?
        let muted: Bool
        let layer: Layer?
        let bitrateBps: Int
        let loss: Double
        let reason: String?
        let neededBps: Int?
    }

    let link: Link
    let seats: [SeatStats]

    /// - Parameter seats: those of the statistics, as the session names who sits there.
    init(_ statistics: ViewerStatistics, seats: [Seat]) {
        link = Link(
            basis: statistics.basis, estimateBps: statistics.estimate, budgetBps: statistics.budget,
            audioBps: statistics.audio, videoBps: statistics.video, demandBps: statistics.demand,
            roundTripMs: statistics.roundTrip, queueingMs: statistics.queueing, loss: statistics.loss)
        self.seats = zip(statistics.seats, seats).map { SeatStats($0, $1) }
    }
}

extension StatsResult.SeatStats {
    init(_ statistics: ViewerStatistics.Seat, _ seat: Seat) {
        let object = SeatObject(seat)
        mid = object.mid
        kind = object.kind
        participantId = object.participantId
        source = object.source
        muted = object.muted
        layer =
            statistics.isSent
            ? StatsResult.Layer(
                rid: statistics.rid, spatial: statistics.spatial, temporal: statistics.temporal,
                height: statistics.height) : nil
        bitrateBps = statistics.bitrate
        loss = statistics.loss
        reason = seat.occupant == nil ? nil : statistics.reason
        neededBps = seat.occupant == nil ? nil : statistics.needed
    }
}
