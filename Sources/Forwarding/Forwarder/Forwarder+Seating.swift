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
    public mutating func pollSeatChange() -> PeerID? {
        guard changedPeers.count > 0 else { return nil }
        let peer = changedPeers[changedPeers.count - 1]
        changedPeers.swapRemove(at: changedPeers.count - 1)
        peers[Int(peer.index)].seatsChanged = false
        return peer
    }

    public func participant(of peer: PeerID) -> UInt64 { peers[Int(peer.index)].participant }

    /// All seats of a peer, audio and video each in their order.
    public func seatOccupancy(of peer: PeerID) -> [SeatOccupancy] {
        (seatList(of: peer, isVideo: false) + seatList(of: peer, isVideo: true)).map { seat in
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

    func seatList(of peer: PeerID, isVideo: Bool) -> [SeatID] {
        var list: [SeatID] = []
        for number in 0..<peers[Int(peer.index)].seats.count {
            let seat = peers[Int(peer.index)].seats[number]
            if seats[Int(seat.index)].isActive, seats[Int(seat.index)].isVideo == isVideo {
                list.append(seat)
            }
        }
        return list.sorted { seats[Int($0.index)].number < seats[Int($1.index)].number }
    }

    // MARK: Assignment

    /// Seats everybody who is wanted, moving as few as possible: whoever is visible and still wanted stays where they
    /// are.
    mutating func assignSeats(in router: RouterID, at now: Instant) {
        let candidates = candidates(in: router)
        for peer in routers[Int(router.index)].peers where peers[Int(peer.index)].seats.count > 0 {
            let video = seatList(of: peer, isVideo: true)
            let audio = seatList(of: peer, isVideo: false)
            assignVideo(video, of: peer, candidates, at: now)
            assignAudio(audio, pairedWith: video, of: peer, candidates, at: now)
        }
    }

    private struct Candidates {
        /// In the order of their claim to a video seat.
        var video: [PublicationID] = []
        /// In the order of their claim to an audio-only seat.
        var audio: [PublicationID] = []
    }

    /// Screens first, in the order in which sharing began; then cameras by join order, those that are off last.
    private func candidates(in router: RouterID) -> Candidates {
        var screens: [PublicationID] = []
        var cameras: (on: [PublicationID], off: [PublicationID]) = ([], [])
        var microphones: (on: [PublicationID], off: [PublicationID]) = ([], [])
        for peer in routers[Int(router.index)].peers {
            for number in 0..<peers[Int(peer.index)].publications.count {
                let publication = peers[Int(peer.index)].publications[number]
                let isLive = publications[Int(publication.index)].isLive
                switch publications[Int(publication.index)].source {
                case .screen: if isLive { screens.append(publication) }
                case .camera:
                    if isLive { cameras.on.append(publication) } else { cameras.off.append(publication) }
                case .microphone:
                    if isLive {
                        microphones.on.append(publication)
                    } else {
                        microphones.off.append(publication)
                    }
                case .screenAudio: break
                }
            }
        }
        screens.sort { publications[Int($0.index)].order < publications[Int($1.index)].order }
        return Candidates(video: screens + cameras.on + cameras.off, audio: microphones.on + microphones.off)
    }

    private mutating func assignVideo(
        _ seatIDs: [SeatID], of viewer: PeerID, _ candidates: Candidates, at now: Instant
    ) {
        var wanted: [PublicationID] = []
        for publication in candidates.video where wanted.count < seatIDs.count {
            if publications[Int(publication.index)].peer != viewer { wanted.append(publication) }
        }
        place(wanted, in: seatIDs, at: now)
    }

    /// Audio seat k hears who is seen on video seat k; the others' voices take the seats that are left.
    private mutating func assignAudio(
        _ seatIDs: [SeatID], pairedWith video: [SeatID], of viewer: PeerID, _ candidates: Candidates,
        at now: Instant
    ) {
        var paired: Set<PublicationID> = []
        var unpaired: [SeatID] = []
        for (number, seat) in seatIDs.enumerated() {
            guard number < video.count, let voice = voice(for: video[number]) else {
                unpaired.append(seat)
                continue
            }
            paired.insert(voice)
            if seats[Int(seat.index)].occupant != voice { give(seat, to: voice, at: now) }
        }
        var wanted: [PublicationID] = []
        for publication in candidates.audio
        where wanted.count < unpaired.count && !paired.contains(publication) {
            if publications[Int(publication.index)].peer != viewer { wanted.append(publication) }
        }
        // Seats beyond the video ones first: those with a picture's place may get their pair back any time.
        place(wanted, in: unpaired.reversed(), at: now)
    }

    /// What is heard with the picture on a video seat; `nil` if the seat is free or its occupant has no such source.
    private func voice(for seat: SeatID) -> PublicationID? {
        let occupant = seats[Int(seat.index)].occupant
        guard occupant != .none else { return nil }
        let index = Int(occupant.index)
        let source: Source = publications[index].source == .screen ? .screenAudio : .microphone
        let peer = Int(publications[index].peer.index)
        for number in 0..<peers[peer].publications.count {
            let publication = peers[peer].publications[number]
            if publications[Int(publication.index)].source == source { return publication }
        }
        return nil
    }

    private mutating func place(_ wanted: [PublicationID], in seatIDs: [SeatID], at now: Instant) {
        var missing = wanted
        var free: [SeatID] = []
        for seat in seatIDs {
            let occupant = seats[Int(seat.index)].occupant
            if occupant != .none, let index = missing.firstIndex(of: occupant) {
                missing.remove(at: index)
            } else {
                free.append(seat)
            }
        }
        for (seat, publication) in zip(free, missing) { give(seat, to: publication, at: now) }
        for seat in free.dropFirst(missing.count) { vacate(seat) }
    }
}
