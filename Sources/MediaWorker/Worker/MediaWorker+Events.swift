import FixedCollections
import Forwarding
import Wire

/// What the forwarder has decided, on its way to the control plane.
extension MediaWorker {
    mutating func tellEvents() {
        while let event = forwarder.pollEvent(at: now) { tell(event) }
    }

    private mutating func tell(_ event: ForwarderEvent) {
        switch event {
        case .dominantSpeaker(let router, let participant): tellSpeaker(participant, in: router)
        case .activeSpeakers(let router): tellActiveSpeakers(in: router)
        case .seats(let peer):
            guard outlet.faults?.missesSeats() != true else { return }
            shared.events.yield(.seatsChanged(participant(of: peer), seats(of: peer)))
        case .hints(let peer): tellHints(to: peer)
        case .quality(let peer):
            guard let score = forwarder.connectionQuality(of: peer) else { return }
            shared.events.yield(.connectionQuality(participant(of: peer), score))
        }
    }

    private func participant(of peer: PeerID) -> MediaParticipantID {
        connections[Int(peer.index)].participant
    }

    func tellHints(to peer: PeerID) {
        let hints = forwarder.hints(of: peer).map { hint in
            MediaEncodingHint(
                mid: hint.mid.description, rid: hint.rid?.description, isActive: hint.isActive,
                maxBitrate: hint.maxBitrate?.bitsPerSecond)
        }
        shared.events.yield(.publishHint(participant(of: peer), hints))
    }

    private func tellActiveSpeakers(in router: RouterID) {
        guard let session = routers[router] else { return }
        let speakers = forwarder.activeSpeakers(of: router).map { speaker in
            SpeakerLevel(
                participant: MediaParticipantID(rawValue: speaker.participant), level: Int(speaker.level))
        }
        shared.events.yield(.activeSpeakersChanged(session, speakers))
    }

    func seats(of peer: PeerID) -> [SeatState] {
        forwarder.seatOccupancy(of: peer).map { SeatState($0) }
    }

    private func tellSpeaker(_ participant: UInt64?, in router: RouterID) {
        guard let session = routers[router] else { return }
        let speaker = participant.map { MediaParticipantID(rawValue: $0) }
        shared.events.yield(.dominantSpeakerChanged(session, speaker))
    }
}

extension SeatState {
    init(_ seat: SeatOccupancy) {
        self.init(
            mid: seat.mid.description, kind: seat.isVideo ? .video : .audio,
            occupant: seat.participant.map { MediaParticipantID(rawValue: $0) },
            source: seat.source.map { MediaSource($0) }, muted: seat.isMuted)
    }
}
