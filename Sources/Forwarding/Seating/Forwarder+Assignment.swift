public import FixedCollections
import Wire

/// Who sits where. Screens first, then whom the viewer pinned, the dominant speaker and those who were before it, then who
/// is seen already, then the others in join order; cameras that are off come last.
///
/// Whoever is visible and still wanted stays where they are. A newcomer gets the seat of whoever spoke the longest ago, and
/// never one that was taken from somebody less than 2 s ago: that one's turn comes when the time is up.
extension Forwarder {
    /// How long a seat that was taken from somebody is left alone, unless its occupant leaves.
    static var seatHold: Duration { .seconds(2) }

    /// Sets a session's limits, and seats everybody by them.
    public mutating func setLimits(_ limits: RouterLimits, of router: RouterID, at now: Instant) {
        guard routers[Int(router.index)].limits != limits else { return }
        routers[Int(router.index)].limits = limits
        limitVoices(of: router)
        assignSeats(in: router, at: now)
    }

    /// Seats everybody who is wanted. O(viewers × seats) beside O(participants).
    mutating func assignSeats(in router: RouterID, at now: Instant) {
        orderSources(of: router)
        routers[Int(router.index)].reseatAt = .distantFuture
        for number in 0..<routers[Int(router.index)].peers.count {
            seatViewer(routers[Int(router.index)].peers[number], at: now)
        }
        scheduleDecision(of: router)
    }

    /// Seats everybody whom one viewer wants.
    mutating func assignSeats(of viewer: PeerID, at now: Instant) {
        let router = peers[Int(viewer.index)].router
        orderSources(of: router)
        seatViewer(viewer, at: now)
        scheduleDecision(of: router)
    }

    private mutating func seatViewer(_ viewer: PeerID, at now: Instant) {
        guard peers[Int(viewer.index)].seats.count > 0 else { return }
        seatVideo(of: viewer, at: now)
        seatAudio(of: viewer, at: now)
    }

    // MARK: Order

    private mutating func orderSources(of router: RouterID) {
        seating.removeAll()
        for number in 0..<routers[Int(router.index)].peers.count {
            let peer = Int(routers[Int(router.index)].peers[number].index)
            for position in 0..<peers[peer].publications.count {
                order(peers[peer].publications[position], lastTurn: peers[peer].lastTurn)
            }
        }
    }

    private mutating func order(_ publication: PublicationID, lastTurn: UInt64) {
        let isLive = publications[Int(publication.index)].isLive
        switch publications[Int(publication.index)].source {
        case .screen:
            guard isLive else { return }
            seating.screens.append(publication)
            var place = seating.screens.count - 1
            while place > 0, began(publication, before: seating.screens[place - 1]) {
                seating.screens[place] = seating.screens[place - 1]
                place -= 1
            }
            seating.screens[place] = publication
        case .camera:
            if !isLive {
                seating.camerasOff.append(publication)
            } else if lastTurn > 0 {
                orderSpeaker(publication, lastTurn)
            } else {
                seating.cameras.append(publication)
            }
        case .screenAudio: if isLive { seating.sounds.append(publication) }
        case .microphone:
            if isLive { seating.voices.append(publication) } else { seating.voicesOff.append(publication) }
        }
    }

    private func began(_ publication: PublicationID, before other: PublicationID) -> Bool {
        publications[Int(publication.index)].order < publications[Int(other.index)].order
    }

    /// The latest first; who spoke before all of those that are kept waits among those who didn't.
    private mutating func orderSpeaker(_ camera: PublicationID, _ lastTurn: UInt64) {
        if seating.speakers.count == SeatingOrder.speakerLimit {
            let last = seating.speakers[seating.speakers.count - 1]
            guard turn(of: last) < lastTurn else { return seating.cameras.append(camera) }
            seating.cameras.append(last)
        } else {
            seating.speakers.append(camera)
        }
        var place = seating.speakers.count - 1
        while place > 0, turn(of: seating.speakers[place - 1]) < lastTurn {
            seating.speakers[place] = seating.speakers[place - 1]
            place -= 1
        }
        seating.speakers[place] = camera
    }

    private func turn(of camera: PublicationID) -> UInt64 {
        peers[Int(publications[Int(camera.index)].peer.index)].lastTurn
    }

    /// Somebody became the dominant speaker: it comes first from now on.
    mutating func noteTurn(of participant: UInt64, in router: RouterID) {
        let index = Int(router.index)
        routers[index].turns += 1
        for number in 0..<routers[index].peers.count {
            let peer = Int(routers[index].peers[number].index)
            guard peers[peer].participant == participant else { continue }
            peers[peer].lastTurn = routers[index].turns
        }
    }

    // MARK: Video

    private mutating func seatVideo(of viewer: PeerID, at now: Instant) {
        let count = peers[Int(viewer.index)].videoSeats.count
        guard count > 0 else { return }
        seating.beginSeats(limit: videoLimit(of: viewer))
        let heldUntil = wantHeld(of: viewer, at: now)
        for number in 0..<seating.screens.count { want(seating.screens[number], viewer) }
        wantPinned(by: viewer)
        for number in 0..<seating.speakers.count where !seating.isTurnedAway {
            want(seating.speakers[number], viewer)
        }
        if seating.isTurnedAway {
            let router = Int(peers[Int(viewer.index)].router.index)
            routers[router].reseatAt = min(routers[router].reseatAt, heldUntil)
        }
        wantOccupants(of: viewer, areLive: true)
        for number in 0..<seating.cameras.count where !seating.isFull {
            want(seating.cameras[number], viewer)
        }
        wantOccupants(of: viewer, areLive: false)
        for number in 0..<seating.camerasOff.count where !seating.isFull {
            want(seating.camerasOff[number], viewer)
        }
        placeOnVideo(viewer, at: now)
    }

    /// Video seats of the viewer that may be filled.
    private func videoLimit(of viewer: PeerID) -> Int {
        let peer = Int(viewer.index)
        var usable = 0
        for number in 0..<peers[peer].videoSeats.count where isUsable(peers[peer].videoSeats[number]) {
            usable += 1
        }
        let lastN = peers[peer].viewing.lastN ?? usable
        return min(usable, lastN, routers[Int(peers[peer].router.index)].limits.maxVideoSeats)
    }

    private func isUsable(_ seat: SeatID) -> Bool {
        let index = Int(seat.index)
        return !seats[index].isHidden || peers[Int(seats[index].peer.index)].viewing.layout != .spotlight
    }

    mutating func want(_ publication: PublicationID, _ viewer: PeerID) {
        let index = Int(publication.index)
        guard publications[index].mark < seating.stamp, publications[index].peer != viewer else { return }
        guard !seating.isFull else {
            seating.isTurnedAway = true
            return
        }
        publications[index].mark = seating.stamp
        seating.wanted.append(publication)
    }

    /// Occupants of seats that were taken from somebody a moment ago.
    ///
    /// - Returns: when the first of them may be followed by somebody else.
    private mutating func wantHeld(of viewer: PeerID, at now: Instant) -> Instant {
        var until = Instant.distantFuture
        for number in 0..<peers[Int(viewer.index)].videoSeats.count {
            let seat = peers[Int(viewer.index)].videoSeats[number]
            let occupant = seats[Int(seat.index)].occupant
            let end = seats[Int(seat.index)].reassignedAt + Self.seatHold
            guard occupant != .none, now < end, isUsable(seat), publications[Int(occupant.index)].isLive
            else {
                continue
            }
            until = min(until, end)
            want(occupant, viewer)
        }
        seating.isTurnedAway = false
        return until
    }

    private mutating func wantPinned(by viewer: PeerID) {
        let pinned = peers[Int(viewer.index)].viewing.pinned
        guard !pinned.isEmpty else { return }
        indexParticipants(of: peers[Int(viewer.index)].router)
        for pin in pinned {
            guard let peer = seating.participants[pin.participant].map({ Int($0.index) }) else { continue }
            for number in 0..<peers[peer].publications.count {
                let publication = peers[peer].publications[number]
                let index = Int(publication.index)
                if publications[index].source == pin.source, publications[index].isLive {
                    want(publication, viewer)
                }
            }
        }
    }

    /// Once for all viewers, and only if one of them has pinned somebody.
    private mutating func indexParticipants(of router: RouterID) {
        guard seating.participants.isEmpty else { return }
        for peer in routers[Int(router.index)].peers {
            seating.participants[peers[Int(peer.index)].participant] = peer
        }
    }

    /// Who is seen already, those who joined first before the others.
    private mutating func wantOccupants(of viewer: PeerID, areLive: Bool) {
        let first = seating.wanted.count
        for number in 0..<peers[Int(viewer.index)].videoSeats.count {
            let seat = peers[Int(viewer.index)].videoSeats[number]
            let occupant = seats[Int(seat.index)].occupant
            guard occupant != .none, isUsable(seat), publications[Int(occupant.index)].isLive == areLive,
                publications[Int(occupant.index)].source == .camera,
                publications[Int(occupant.index)].mark < seating.stamp
            else { continue }
            publications[Int(occupant.index)].mark = seating.stamp
            seating.wanted.append(occupant)
            var place = seating.wanted.count - 1
            while place > first, joined(occupant, before: seating.wanted[place - 1]) {
                seating.wanted[place] = seating.wanted[place - 1]
                place -= 1
            }
            seating.wanted[place] = occupant
        }
        while seating.wanted.count > max(seating.limit, first) {
            let last = seating.wanted[seating.wanted.count - 1]
            publications[Int(last.index)].mark = 0
            seating.wanted.swapRemove(at: seating.wanted.count - 1)
        }
    }

    private func joined(_ publication: PublicationID, before other: PublicationID) -> Bool {
        let peer = Int(publications[Int(publication.index)].peer.index)
        let otherPeer = Int(publications[Int(other.index)].peer.index)
        return peers[peer].connection < peers[otherPeer].connection
    }

    private mutating func placeOnVideo(_ viewer: PeerID, at now: Instant) {
        for number in 0..<peers[Int(viewer.index)].videoSeats.count {
            let seat = peers[Int(viewer.index)].videoSeats[number]
            if !isUsable(seat) { vacate(seat) } else if !keeps(seat) { seating.free.append(seat) }
        }
        // Seats that are shown first, and of those the empty ones.
        var next = 0
        for rank in 0..<4 {
            for number in 0..<seating.free.count {
                let seat = Int(seating.free[number].index)
                let isTaken = seats[seat].occupant != .none
                guard seats[seat].filledBy < seating.stamp,
                    (seats[seat].isHidden ? 2 : 0) + (isTaken ? 1 : 0) == rank
                else { continue }
                seats[seat].filledBy = seating.stamp
                fill(seating.free[number], &next, at: now)
            }
        }
    }

    // MARK: Placing

    /// Whether the seat's occupant is wanted, and stays.
    mutating func keeps(_ seat: SeatID) -> Bool {
        let occupant = seats[Int(seat.index)].occupant
        guard occupant != .none, publications[Int(occupant.index)].mark == seating.stamp else { return false }
        publications[Int(occupant.index)].mark = seating.seatedStamp
        return true
    }

    /// Gives the seat to the next who is wanted and has none; frees it if there is nobody.
    mutating func fill(_ seat: SeatID, _ next: inout Int, at now: Instant) {
        while next < seating.wanted.count {
            let publication = seating.wanted[next]
            next += 1
            guard publications[Int(publication.index)].mark == seating.stamp else { continue }
            publications[Int(publication.index)].mark = seating.seatedStamp
            return give(seat, to: publication, at: now)
        }
        vacate(seat)
    }
}
