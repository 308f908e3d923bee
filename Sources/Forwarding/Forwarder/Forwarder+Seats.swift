import FixedCollections
public import Wire

extension Forwarder {
    mutating func addSeat(_ setup: SeatSetup, of peer: PeerID) {
        var number = 0
        for index in 0..<peers[Int(peer.index)].seats.count {
            let seat = Int(peers[Int(peer.index)].seats[index].index)
            if seats[seat].mid == setup.mid {
                setActive(setup.isActive, peers[Int(peer.index)].seats[index])
                return
            }
            if seats[seat].isVideo == setup.isVideo { number = max(number, seats[seat].number + 1) }
        }
        guard let index = seats.insert(Seat(setup, peer: peer, number: number)) else { return }
        peers[Int(peer.index)].seats.append(SeatID(index))
        markChanged(peer)
    }

    /// Says what the caller calls the stream of one of a viewer's SSRCs. It stands with each composed packet, so that
    /// nothing has to be looked up for it; `nil`: there is none.
    public mutating func setStream(_ stream: UInt16?, of ssrc: SSRC, for peer: PeerID) {
        for number in 0..<peers[Int(peer.index)].seats.count {
            let seat = Int(peers[Int(peer.index)].seats[number].index)
            if seats[seat].ssrc == ssrc { seats[seat].stream = stream }
            if seats[seat].rtxSSRC == ssrc { seats[seat].rtxStream = stream }
        }
    }

    private mutating func setActive(_ isActive: Bool, _ seat: SeatID) {
        guard seats[Int(seat.index)].isActive != isActive else { return }
        if !isActive { vacate(seat) }
        seats[Int(seat.index)].isActive = isActive
        markChanged(seats[Int(seat.index)].peer)
    }

    mutating func removeSeats(of peer: PeerID, notIn kept: [SeatSetup]) {
        var index = 0
        while index < peers[Int(peer.index)].seats.count {
            let seat = peers[Int(peer.index)].seats[index]
            let mid = seats[Int(seat.index)].mid
            if kept.contains(where: { $0.mid == mid }) {
                index += 1
                continue
            }
            peers[Int(peer.index)].seats.swapRemove(at: index)
            vacate(seat)
            dropQueued(seat, of: peer)
            seats.remove(at: Int(seat.index))
        }
    }

    /// Gives the seat to a publication: the previous picture stays until the new one's key frame, 1 s at the most.
    mutating func give(_ seat: SeatID, to publication: PublicationID, at now: Instant) {
        let index = Int(seat.index)
        let previous = seats[index].occupant
        if previous != .none {
            takeOff(seat, of: previous)
            if publications[Int(previous.index)].isLive { seats[index].reassignedAt = now }
        }
        seats[index].occupant = publication
        // What somebody else's source was paused for doesn't hold for this one.
        if seats[index].allotted.isPaused { seats[index].allotted = SeatAllotment() }
        seats[index].place = publications[Int(publication.index)].seats.count
        publications[Int(publication.index)].seats.append(seat)
        noteSeats(of: publication)
        markChanged(seats[index].peer)
        if publications[Int(publication.index)].isLive { aim(seat, at: now) } else { rest(seat) }
    }

    /// Frees the seat; nothing more leaves through it.
    mutating func vacate(_ seat: SeatID) {
        let index = Int(seat.index)
        rest(seat)
        let previous = seats[index].occupant
        guard previous != .none else { return }
        takeOff(seat, of: previous)
        seats[index].occupant = .none
        markChanged(seats[index].peer)
    }

    /// Takes the seat off its occupant's list; O(1), however many watch.
    private mutating func takeOff(_ seat: SeatID, of publication: PublicationID) {
        let index = Int(publication.index)
        let place = seats[Int(seat.index)].place
        publications[index].seats.swapRemove(at: place)
        if place < publications[index].seats.count {
            seats[Int(publications[index].seats[place].index)].place = place
        }
        noteSeats(of: publication)
    }

    /// Stops what leaves through the seat, and what was to come.
    mutating func rest(_ seat: SeatID) {
        let index = Int(seat.index)
        unwatch(seats[index].current, seat)
        unwatch(seats[index].target, seat)
        seats[index].current = .none
        seats[index].target = .none
        seats[index].switchDeadline = .distantFuture
    }

    private mutating func unwatch(_ encoding: EncodingID, _ seat: SeatID) {
        guard encoding != .none else { return }
        encodings[Int(encoding.index)].watchers.remove(seat)
    }

    /// Chooses what the seat shall show of its occupant, and begins as soon as it can be decoded.
    mutating func aim(_ seat: SeatID, at now: Instant) {
        let index = Int(seat.index)
        let occupant = seats[index].occupant
        guard peers[Int(seats[index].peer.index)].isReady, occupant != .none, !seats[index].isPaused,
            publications[Int(occupant.index)].isLive, isAllowed(seat)
        else { return }
        guard !seats[index].allotted.isPaused else {
            rest(seat)
            return
        }
        guard let encoding = preferredEncoding(of: occupant, for: seats[index].allotted, at: now) else {
            return
        }
        defer { limitLayers(of: seat) }
        guard encoding != seats[index].target else { return }
        if encoding == seats[index].current {
            unwatch(seats[index].target, seat)
            seats[index].target = .none
            seats[index].switchDeadline = .distantFuture
            return
        }
        unwatch(seats[index].target, seat)
        seats[index].target = encoding
        encodings[Int(encoding.index)].watchers.append(seat)
        seats[index].switchDeadline = now + .seconds(1)
        guard seats[index].isVideo else { return }
        if isContinued(by: encoding, in: seat, at: now) || !beginFromCache(seat, at: now) {
            wantKeyFrame(of: encoding)
        }
    }

    mutating func wantKeyFrame(of encoding: EncodingID) {
        encodings[Int(encoding.index)].keyframes.want()
        hasten(encodings[Int(encoding.index)].peer, to: encodings[Int(encoding.index)].keyframes.deadline)
    }

    /// Looks again which encoding the publication's seats show; for simulcast, as streams come, go and grow.
    mutating func aimSeats(of publication: PublicationID, at now: Instant) {
        guard publications[Int(publication.index)].encodings.count > 1 else { return }
        for number in 0..<publications[Int(publication.index)].seats.count {
            aim(publications[Int(publication.index)].seats[number], at: now)
        }
    }

    /// Shows the newest cached key frame and what follows it, if that isn't long ago.
    private mutating func beginFromCache(_ seat: SeatID, at now: Instant) -> Bool {
        let encoding = Int(seats[Int(seat.index)].target.index)
        guard let keyFrame = encodings[encoding].keyFrame, now - keyFrame.at <= .seconds(1),
            encodings[encoding].extender.highest - keyFrame.extended < 150,
            let slot = encodings[encoding].cache[keyFrame.extended]
        else { return false }
        begin(seat, with: slot, at: now)
        return true
    }

    /// Switches the seat to its target at this packet, and sends on what came after it.
    mutating func begin(_ seat: SeatID, with slot: PacketSlot, at now: Instant) {
        let index = Int(seat.index)
        unwatch(seats[index].current, seat)
        seats[index].current = seats[index].target
        seats[index].target = .none
        seats[index].switchDeadline = .distantFuture
        let first = store[slot]
        seats[index].rewriter.begin(
            with: first, clockOffset: clockOffset(from: first.encoding, to: seats[index].rewriter.encoding))
        if seats[index].isVideo {
            seats[index].selector.begin()
            limitLayers(of: seat)
        }
        enqueue(slot, first, to: seat)
        let encoding = Int(first.encoding.index)
        var number = first.extendedSequence + 1
        while number <= encodings[encoding].extender.highest {
            if let later = encodings[encoding].cache[number] { enqueue(later, store[later], to: seat) }
            number += 1
        }
        // Reports for the new source are due at once, for lip sync.
        let peer = Int(seats[index].peer.index)
        if peers[peer].reportCursor < 0, now < peers[peer].reportDeadline {
            peers[peer].reportDeadline = min(peers[peer].reportDeadline, now + .milliseconds(50))
            hasten(seats[index].peer, to: peers[peer].reportDeadline)
        }
    }

    // MARK: Reporting

    mutating func markChanged(_ peer: PeerID) {
        wantAllocation(of: peer)
        guard !peers[Int(peer.index)].seatsChanged else { return }
        peers[Int(peer.index)].seatsChanged = true
        changedPeers.append(peer)
    }
}
