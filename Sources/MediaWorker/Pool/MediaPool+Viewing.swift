import Forwarding
import Wire

/// What viewers show and want. It is kept for as long as the participant is in, whatever becomes of its connection.
extension MediaPool {
    public func setViewing(
        of participant: MediaParticipantID, _ change: ViewingChange
    ) async throws(MediaError) {
        guard var viewing = members[participant]?.viewing else { return }
        viewing.unpinAll { members[MediaParticipantID(rawValue: $0)] != nil }
        switch change {
        case .layout(let layout, let wishes):
            viewing.layout = layout.layout
            if let wishes { viewing.seats = try seats(wishes, of: participant) }
        case .pin(let somebody, let source):
            guard viewing.pin(.init(participant: somebody.rawValue, source: source.source)) else {
                throw .tooManyPins(limit: ViewerPreferences.pinLimit)
            }
        case .unpin(let somebody, let source):
            viewing.unpin(.init(participant: somebody.rawValue, source: source.source))
        case .limits(let limits):
            viewing.maxBitrate = limits.maxBitrate.map { Bitrate(bitsPerSecond: $0) }
            viewing.lastN = limits.lastN
            viewing.isVideoPaused = limits.isVideoPaused
        }
        members[participant]?.viewing = viewing
        guard let member = members[participant] else { return }
        await ask(member.worker) { .setViewing(viewing, participant, $0) }
    }

    /// The wishes, if each is for a video seat that the participant has now.
    private func seats(
        _ wishes: [SeatWish], of participant: MediaParticipantID
    ) throws(MediaError) -> [ViewerPreferences.SeatWish] {
        var seats: [ViewerPreferences.SeatWish] = []
        for wish in wishes {
            let seat = members[participant]?.sections?.seats.first {
                $0.isVideo && $0.isActive && $0.mid.description == wish.mid
            }
            guard let seat, !seats.contains(where: { $0.mid == seat.mid }) else {
                throw .unknownSeat(mid: wish.mid)
            }
            seats.append(.init(mid: seat.mid, maxHeight: wish.maxHeight, isPaused: wish.isPaused))
        }
        return seats
    }
}

extension ViewingLayout {
    fileprivate var layout: ViewerPreferences.Layout {
        switch self {
        case .tile: .tile
        case .spotlight: .spotlight
        case .sidebar: .sidebar
        }
    }
}
