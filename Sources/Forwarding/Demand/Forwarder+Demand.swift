import FixedCollections
public import Wire

/// Which encodings of a publication somebody needs, on this worker and on those that it is relayed to.
///
/// Needed are the best one that a seat may show, and those below it: a link that narrows has to find them. What nobody has
/// needed for some seconds is declined. A declined encoding is a layer that seats may have, by what it took when it was sent;
/// the moment that one is given to a seat, it is asked back.
extension Forwarder {
    // MARK: Off

    /// Once a second: looks which of a peer's encodings are needed.
    mutating func reviewDemand(of peer: PeerID, at now: Instant) {
        for number in 0..<peers[Int(peer.index)].publications.count {
            let publication = peers[Int(peer.index)].publications[number]
            let index = Int(publication.index)
            guard publications[index].source.isVideo, publications[index].isLive else { continue }
            let best = bestUsed(of: publication)
            for place in 0..<publications[index].encodings.count {
                review(publications[index].encodings[place], upTo: best, at: now)
            }
        }
    }

    private mutating func review(_ encoding: EncodingID, upTo best: EncodingID?, at now: Instant) {
        let index = Int(encoding.index)
        let isActive = encodings[index].isActive(at: now)
        let isWhole = !encodings[index].demand.isAvailable(at: now)
        if isWhole, encodings[index].isGoingOn(at: now), encodings[index].layers.meter.isSettled(at: now) {
            let lowest = LayerLimit(spatial: 0, temporal: 0)
            encodings[index].demand.lowestRate = encodings[index].layers.meter.bitrate(upTo: lowest, at: now)
        }
        let isNeeded = best.map { !isRicher(encoding, than: $0) } ?? false
        // What its publisher doesn't send by itself isn't for us to decline.
        guard !isNeeded, isActive else { return encodings[index].demand.use() }
        if encodings[index].demand.leaveUnused(at: now) { noteDemand(of: encodings[index].publication) }
    }

    /// The best encoding that a seat may show; `nil`: none is wanted at all.
    private func bestUsed(of publication: PublicationID) -> EncodingID? {
        let index = Int(publication.index)
        var best: EncodingID?
        for number in 0..<publications[index].seats.count {
            let seat = Int(publications[index].seats[number].index)
            guard !seats[seat].isPaused else { continue }
            let isDecided = seats[seat].allottedTo == publication && link(of: seats[seat].peer) != nil
            if isDecided, seats[seat].allotted.isPaused { continue }
            let place = Int(seats[seat].allotted.encoding)
            guard isDecided, place < publications[index].encodings.count else {
                return richest(of: publication)
            }
            let used = publications[index].encodings[place]
            if best.map({ isRicher(used, than: $0) }) ?? true { best = used }
        }
        return best
    }

    private func richest(of publication: PublicationID) -> EncodingID? {
        var best: EncodingID?
        for place in 0..<publications[Int(publication.index)].encodings.count {
            let encoding = publications[Int(publication.index)].encodings[place]
            if best.map({ isRicher(encoding, than: $0) }) ?? true { best = encoding }
        }
        return best
    }

    // MARK: On

    /// A seat may show this encoding: asks for it and those below it, if they were declined.
    mutating func need(_ place: UInt8, of publication: PublicationID, at now: Instant) {
        let index = Int(publication.index)
        guard Int(place) < publications[index].encodings.count else { return }
        let best = publications[index].encodings[Int(place)]
        var isNews = false
        for other in 0..<publications[index].encodings.count {
            let encoding = publications[index].encodings[other]
            guard encodings[Int(encoding.index)].demand.isDeclined, !isRicher(encoding, than: best) else {
                continue
            }
            encodings[Int(encoding.index)].demand.want(at: now)
            isNews = true
        }
        if isNews { noteDemand(of: publication) }
    }

    /// What an encoding is taken for that isn't measured, or not any more: what its lowest layer took, if that is known.
    func expectedLayer(_ place: Int, of encoding: EncodingID, isOnly: Bool) -> VideoLayer {
        var layer = usualLayer(place, of: encoding, isOnly: isOnly)
        let index = Int(encoding.index)
        if let height = encodings[index].layers.height(ofSpatial: 0) {
            layer.height = Int32(clamping: height)
        }
        if encodings[index].demand.lowestRate.bitsPerSecond > 0 {
            layer.bitrate = encodings[index].demand.lowestRate
        }
        return layer
    }

    // MARK: Telling

    /// What is needed of a publication has changed on this worker.
    private mutating func noteDemand(of publication: PublicationID) {
        let peer = publications[Int(publication.index)].peer
        guard isMirror(peer) else { return noteHints(of: peer) }
        requestDeclined(of: publication)
    }

    /// The places of those that nobody on this worker needs, from the lowest bit on.
    func declined(of publication: PublicationID) -> UInt8 {
        var places: UInt8 = 0
        for place in 0..<publications[Int(publication.index)].encodings.count {
            let encoding = Int(publications[Int(publication.index)].encodings[place].index)
            if encodings[encoding].demand.isDeclined { places |= 1 << UInt8(place) }
        }
        return places
    }

    /// Takes in which encodings another worker doesn't need.
    public mutating func setDeclined(_ places: UInt8, by lane: Int, mid: ShortID, of peer: PeerID) {
        guard lane >= 0, lane < RelayTargets.limit, let publication = publication(mid: mid, of: peer) else {
            return
        }
        for place in 0..<publications[Int(publication.index)].encodings.count {
            let encoding = Int(publications[Int(publication.index)].encodings[place].index)
            if places & 1 << UInt8(place) == 0 {
                encodings[encoding].demand.declinedBy.remove(lane)
            } else {
                encodings[encoding].demand.declinedBy.insert(lane)
            }
        }
        noteHints(of: peer)
    }
}
