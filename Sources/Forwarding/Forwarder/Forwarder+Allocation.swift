import FixedCollections
import Wire

extension Forwarder {
    /// The same of a voice's 50 packets a second, in bits a second.
    private static var voiceOverhead: Int { 29_000 }
    /// What a voice is taken for before it has been measured, in bits a second.
    private static var usualVoice: Int { 32_000 }
    /// What the smallest of several encodings is taken for, and the only one.
    private static var usualSmallest: Int { 150_000 }
    private static var usualOnly: Int { 500_000 }
    /// What the only encoding may turn out to take, and what a link is searched for on such grounds at the most.
    private static var usualMost: Int { 2_500_000 }
    private static var searchedMost: Int { 10_000_000 }
    /// Percent of what the first video takes that an estimate may fall to until it is paused.
    private static var keptRoom: Int { 60 }

    /// Lets the viewer's seats be looked at in this turn.
    mutating func wantAllocation(of peer: PeerID) {
        guard let link = link(of: peer) else { return }
        links[link].allocateAt = .zero
        linkTimers.hasten(Int(peer.index), to: turnTime)
    }

    /// An encoding is sent that wasn't: there is more, or other, to choose from.
    mutating func noteAppearance(of publication: PublicationID, at now: Instant) {
        for number in 0..<publications[Int(publication.index)].seats.count {
            let seat = publications[Int(publication.index)].seats[number]
            if seats[Int(seat.index)].isVideo { wantAllocation(of: seats[Int(seat.index)].peer) }
        }
        aimSeats(of: publication, at: now)
    }

    // MARK: Allocating

    /// Decides what each video seat of a viewer may have, and lets it begin, change or end.
    mutating func allocate(for peer: PeerID, at now: Instant) {
        guard let link = link(of: peer) else { return }
        listWanted(of: peer, at: now)
        let voices = voices(of: peer)
        var limits = limits(of: peer)
        limits.roomForFirst = roomForFirst(of: link)
        Self.allocate(wanted, voices, limits, &links[link], unmeasured: unmeasured(limits, at: now), at: now)
        for place in 0..<wanted.count {
            apply(links[link].allocator.decision(place), at: now)
        }
    }

    private static func allocate(
        _ videos: borrowing List<WantedVideo>, _ voices: Bitrate, _ limits: AllocationLimits,
        _ link: inout ViewerLink, unmeasured: Bitrate, at now: Instant
    ) {
        link.informAllocator(at: now)
        link.allocator.allocate(videos.span, audio: voices, limits: limits)
        link.noteAllocation(at: now)
        guard link.mode != .silent else { return }
        // What fits already needs no probes.
        let demand = max(link.allocator.numbers.demand, unmeasured)
        let isProbed = !videos.isEmpty && demand > link.target
        link.estimator.setDemand(isProbed ? demand : Bitrate(bitsPerSecond: 0), at: now)
    }

    /// What videos may turn out to want of which nothing has been measured, so that the link is searched for it.
    private func unmeasured(_ limits: AllocationLimits, at now: Instant) -> Bitrate {
        var bits = 0
        for place in 0..<wanted.count where wanted[place].isLive && wanted[place].layers.count > 0 {
            let occupant = Int(seats[Int(wanted[place].seat.index)].occupant.index)
            let encoding = Int(publications[occupant].encodings[0].index)
            let isMeasured = encodings[encoding].layers.meter.isSettled(at: now)
            if !isMeasured, publications[occupant].encodings.count == 1 { bits += Self.usualMost }
        }
        let most = min(limits.server?.bitsPerSecond ?? .max, limits.receive?.bitsPerSecond ?? .max)
        return Bitrate(bitsPerSecond: min(bits, Self.searchedMost, most))
    }

    /// What the estimate must have room for so that the viewer sees anything, in percent of what that takes.
    ///
    /// While a link is being found, the first video's smallest layer is sent whatever it takes, as waiting would show nothing
    /// for longer than most links need it. Later what is sent already outlasts three cuts of the estimate: a burst that fills a
    /// queue for a moment brings them about, and who is paused needs another burst, a key frame, to go on.
    private func roomForFirst(of link: Int) -> Int? {
        if links[link].isStarting { return 0 }
        for place in 0..<wanted.count where wanted[place].isLive && !wanted[place].isPaused {
            return wanted[place].current == nil ? 100 : Self.keptRoom
        }
        return nil
    }

    private mutating func apply(_ decision: SeatDecision, at now: Instant) {
        let index = Int(decision.seat.index)
        var allotment = SeatAllotment()
        allotment.reason = decision.reason
        allotment.needed = decision.needed
        if let layer = decision.layer {
            allotment.encoding = layer.encoding
            allotment.spatial = layer.spatial
            allotment.temporal = layer.temporal
            need(layer.encoding, of: seats[index].occupant, at: now)
        } else {
            allotment.isPaused = decision.reason != .sourceOff
        }
        seats[index].allotted = allotment
        seats[index].allottedTo = seats[index].occupant
        if allotment.isPaused { rest(decision.seat) } else { aim(decision.seat, at: now) }
    }

    // MARK: What is wanted

    /// Lists the viewer's occupied video seats, in their order.
    private mutating func listWanted(of peer: PeerID, at now: Instant) {
        wanted.removeAll()
        for number in 0..<peers[Int(peer.index)].seats.count {
            let seat = peers[Int(peer.index)].seats[number]
            guard seats[Int(seat.index)].isVideo, seats[Int(seat.index)].occupant != .none else { continue }
            wanted.append(wishes(of: seat, at: now))
            // They are nearly in order.
            var place = wanted.count - 1
            while place > 0, comes(wanted[place].seat, before: wanted[place - 1].seat) {
                let later = wanted[place - 1]
                wanted[place - 1] = wanted[place]
                wanted[place] = later
                place -= 1
            }
        }
    }

    private func comes(_ seat: SeatID, before other: SeatID) -> Bool {
        seats[Int(seat.index)].number < seats[Int(other.index)].number
    }

    /// Who sits on a seat, and what its viewer wants of it.
    private mutating func wishes(of seat: SeatID, at now: Instant) -> WantedVideo {
        let index = Int(seat.index)
        let publication = seats[index].occupant
        var video = WantedVideo(seat: seat, source: publications[Int(publication.index)].source)
        video.isLive = publications[Int(publication.index)].isLive
        video.isOnStage = video.source == .screen || seats[index].number == 0
        video.isPaused = seats[index].isPaused
        video.maxHeight = seats[index].maxHeight
        video.layers = ways(toSend: publication, for: seats[index].peer, at: now)
        let shown = seats[index].target == .none ? seats[index].current : seats[index].target
        guard shown != .none, encodings[Int(shown.index)].publication == publication else { return video }
        let allotted = seats[index].allotted
        for number in 0..<video.layers.count {
            let layer = video.layers[number]
            guard place(of: shown, in: publication) == Int(layer.encoding) else { continue }
            // The best of what is sent.
            let isSent = layer.spatial <= allotted.spatial && layer.temporal <= allotted.temporal
            if isSent || video.current == nil { video.current = layer }
        }
        return video
    }

    /// What bounds the viewer beside its link.
    private func limits(of peer: PeerID) -> AllocationLimits {
        var limits = AllocationLimits()
        limits.server = peers[Int(peer.index)].receiveLimit
        limits.receive = peers[Int(peer.index)].viewing.maxBitrate
        limits.lastN = peers[Int(peer.index)].viewing.lastN
        limits.isVideoPaused = peers[Int(peer.index)].viewing.isVideoPaused
        return limits
    }

    /// What the voices take that are forwarded to the viewer.
    private func voices(of peer: PeerID) -> Bitrate {
        var bits = 0
        for number in 0..<peers[Int(peer.index)].seats.count {
            let seat = Int(peers[Int(peer.index)].seats[number].index)
            guard !seats[seat].isVideo, seats[seat].current != .none else { continue }
            let measured = encodings[Int(seats[seat].current.index)].bitrate.bitsPerSecond
            bits += (measured > 0 ? measured : Self.usualVoice) + Self.voiceOverhead
        }
        return Bitrate(bitsPerSecond: bits)
    }

    /// The ways to send a publication, and what each takes on the link.
    private mutating func ways(
        toSend publication: PublicationID, for viewer: PeerID, at now: Instant
    ) -> VideoLayers {
        let count = publications[Int(publication.index)].encodings.count
        for place in 0..<count { measure(publications[Int(publication.index)].encodings[place], at: now) }
        let measured = layers(of: publication, at: now)
        var ways = VideoLayers()
        for place in 0..<count {
            let encoding = publications[Int(publication.index)].encodings[place]
            let isActive = encodings[Int(encoding.index)].isActive(at: now)
            let demand = encodings[Int(encoding.index)].demand
            // What still comes of a declined one is its end: it takes less and less.
            if demand.isDeclined || (!isActive && demand.isAvailable(at: now)) {
                ways.append(expectedLayer(place, of: encoding, isOnly: count == 1))
            } else if encodings[Int(encoding.index)].layers.meter.isSettled(at: now) {
                let isLowest = isUndecodable(encoding, by: viewer)
                for index in 0..<measured.count where Int(measured[index].encoding) == place {
                    if isLowest, measured[index].spatial > firstSpatial(of: encoding) { continue }
                    ways.append(measured[index])
                }
            } else if count == 1 || isActive {
                ways.append(expectedLayer(place, of: encoding, isOnly: count == 1))
            }
        }
        return ways
    }

    /// What an encoding is taken for before it has been measured.
    func usualLayer(_ place: Int, of encoding: EncodingID, isOnly: Bool) -> VideoLayer {
        let rank = isOnly ? 0 : firstSpatial(of: encoding)
        let bits = isOnly ? Self.usualOnly : Self.usualSmallest << (2 * Int(rank))
        return VideoLayer(
            encoding: UInt8(truncatingIfNeeded: place), spatial: rank, temporal: .max,
            height: 180 << Int(rank),
            bitrate: Bitrate(bitsPerSecond: bits))
    }

    private func place(of encoding: EncodingID, in publication: PublicationID) -> Int? {
        for place in 0..<publications[Int(publication.index)].encodings.count
        where publications[Int(publication.index)].encodings[place] == encoding {
            return place
        }
        return nil
    }

    // MARK: Obeying

    /// Whether something may be sent to the seat. A seat whose occupant is new waits until it has been looked at, at
    /// the end of the turn.
    func isAllowed(_ seat: SeatID) -> Bool {
        let index = Int(seat.index)
        guard seats[index].isVideo, link(of: seats[index].peer) != nil else { return true }
        return seats[index].allottedTo == seats[index].occupant && !seats[index].allotted.isPaused
    }
}
