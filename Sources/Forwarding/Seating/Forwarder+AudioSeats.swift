import FixedCollections
import Wire

/// Who is heard where: audio seat k has whom video seat k shows, so that lips and voice go together; the other voices take the
/// seats that are left, those who are heard first.
///
/// Where a viewer has fewer audio seats than video ones, to be heard comes before that: the seat of somebody who says nothing
/// goes to whoever speaks.
extension Forwarder {
    mutating func seatAudio(of viewer: PeerID, at now: Instant) {
        let peer = Int(viewer.index)
        guard peers[peer].audioSeats.count > 0 else { return }
        seating.beginSeats(limit: 0)
        for number in 0..<peers[peer].audioSeats.count {
            let seat = peers[peer].audioSeats[number]
            guard let voice = pairedVoice(number, of: viewer), !isHeardInstead(seat, of: voice, viewer) else {
                seating.free.append(seat)
                continue
            }
            publications[Int(voice.index)].mark = seating.seatedStamp
            if seats[Int(seat.index)].occupant != voice { give(seat, to: voice, at: now) }
        }
        seating.limit = seating.free.count
        wantVoices(of: viewer)
        keepVoices()
        // Seats beyond the video ones first: those with a picture's place may get their pair back any time.
        var next = 0
        var number = seating.free.count - 1
        while number >= 0 {
            fill(seating.free[number], &next, at: now)
            number -= 1
        }
        if hasFewVoices(viewer) { seatHeard(of: viewer, at: now) }
    }

    /// There are more pictures than voices, so that the pairs of those who say nothing would keep others from being heard.
    private func hasFewVoices(_ viewer: PeerID) -> Bool {
        peers[Int(viewer.index)].audioSeats.count < peers[Int(viewer.index)].videoSeats.count
    }

    /// Somebody else is being heard on the seat of a picture's voice, for want of others.
    private func isHeardInstead(_ seat: SeatID, of voice: PublicationID, _ viewer: PeerID) -> Bool {
        let occupant = seats[Int(seat.index)].occupant
        guard hasFewVoices(viewer), occupant != .none, occupant != voice else { return false }
        return publications[Int(occupant.index)].voice.isAudible
    }

    /// Gives whoever is heard and has no seat the one of somebody who isn't heard.
    private mutating func seatHeard(of viewer: PeerID, at now: Instant) {
        let router = Int(peers[Int(viewer.index)].router.index)
        for number in 0..<routers[router].audible.count {
            let voice = routers[router].audible[number]
            guard publications[Int(voice.index)].peer != viewer,
                publications[Int(voice.index)].mark != seating.seatedStamp
            else { continue }
            if let seat = seatForVoice(of: viewer) {
                give(seat, to: voice, at: now)
            } else {
                publications[Int(voice.index)].isUnseated = true
            }
        }
    }

    private mutating func wantVoices(of viewer: PeerID) {
        let router = Int(peers[Int(viewer.index)].router.index)
        for number in 0..<routers[router].audible.count { want(routers[router].audible[number], viewer) }
        for number in 0..<seating.sounds.count { want(seating.sounds[number], viewer) }
        for number in 0..<seating.free.count {
            let occupant = seats[Int(seating.free[number].index)].occupant
            guard occupant != .none, publications[Int(occupant.index)].isLive else { continue }
            if publications[Int(occupant.index)].source == .microphone { want(occupant, viewer) }
        }
        for number in 0..<seating.voices.count where !seating.isFull { want(seating.voices[number], viewer) }
        for number in 0..<seating.voicesOff.count where !seating.isFull {
            want(seating.voicesOff[number], viewer)
        }
    }

    /// Takes seats whose occupants stay out of those that are free.
    private mutating func keepVoices() {
        var kept = 0
        for number in 0..<seating.free.count {
            let seat = seating.free[number]
            if keeps(seat) { continue }
            seating.free[kept] = seat
            kept += 1
        }
        while seating.free.count > kept { seating.free.swapRemove(at: seating.free.count - 1) }
    }

    /// What is heard with the picture on the k-th video seat; `nil` if that is free or its occupant has no such source.
    func pairedVoice(_ number: Int, of viewer: PeerID) -> PublicationID? {
        guard number < peers[Int(viewer.index)].videoSeats.count else { return nil }
        let occupant = seats[Int(peers[Int(viewer.index)].videoSeats[number].index)].occupant
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

    // MARK: A voice that begins

    /// Sees to it that everybody can hear a voice that has begun: who hasn't got it on a seat yet gives it the one of
    /// somebody who isn't heard. O(viewers), and O(seats) for each of those.
    mutating func seatVoice(_ voice: PublicationID, at now: Instant) {
        seating.beginSeats(limit: 0)
        for number in 0..<publications[Int(voice.index)].seats.count {
            let seat = Int(publications[Int(voice.index)].seats[number].index)
            peers[Int(seats[seat].peer.index)].mark = seating.stamp
        }
        publications[Int(voice.index)].isUnseated = false
        let router = routerIndex(of: voice)
        for number in 0..<routers[router].peers.count {
            let viewer = routers[router].peers[number]
            guard peers[Int(viewer.index)].mark < seating.stamp,
                peers[Int(viewer.index)].audioSeats.count > 0,
                publications[Int(voice.index)].peer != viewer
            else { continue }
            if let seat = seatForVoice(of: viewer) {
                give(seat, to: voice, at: now)
            } else {
                publications[Int(voice.index)].isUnseated = true
            }
        }
    }

    /// An audio seat whose occupant isn't heard: an empty one, else the one of whoever spoke the longest ago; those that no
    /// video seat belongs to first.
    private func seatForVoice(of viewer: PeerID) -> SeatID? {
        let peer = Int(viewer.index)
        var best: (seat: SeatID, lastSound: Instant)?
        var number = peers[peer].audioSeats.count - 1
        while number >= 0 {
            let seat = peers[peer].audioSeats[number]
            let occupant = seats[Int(seat.index)].occupant
            if occupant == .none {
                if isSpare(number, of: viewer) { return seat }
            } else if publications[Int(occupant.index)].source == .microphone,
                !publications[Int(occupant.index)].voice.isAudible, isSpare(number, of: viewer)
            {
                let lastSound = publications[Int(occupant.index)].voice.lastSound
                if best == nil || best.map({ lastSound < $0.lastSound }) == true { best = (seat, lastSound) }
            }
            number -= 1
        }
        return best?.seat
    }

    /// Whether the k-th audio seat is kept for nobody.
    private func isSpare(_ number: Int, of viewer: PeerID) -> Bool {
        guard let voice = pairedVoice(number, of: viewer) else { return true }
        return hasFewVoices(viewer) && publications[Int(voice.index)].source == .microphone
            && !publications[Int(voice.index)].voice.isAudible
    }
}
