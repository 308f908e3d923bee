public import FixedCollections
import Wire

extension Forwarder {
    /// Adds a peer with what it negotiated.
    ///
    /// - Parameter isReady: false while it has no keys yet: its seats begin with `markReady`.
    /// - Returns: `nil` when the worker is full.
    public mutating func addPeer(_ setup: PeerSetup, isReady: Bool = true, at now: Instant) -> PeerID? {
        nextOrder += 1
        guard let index = peers.insert(Peer(setup, isReady: isReady, order: nextOrder, at: now)) else {
            return nil
        }
        enter(PeerID(index))
        configure(PeerID(index), setup, at: now)
        return PeerID(index)
    }

    /// Whether the tables take the sections that a peer hasn't had yet; `nil`: one that isn't there yet.
    public func hasRoom(for setup: PeerSetup, of peer: PeerID?) -> Bool {
        let hadSeats = peer.map { peers[Int($0.index)].seats.count } ?? 0
        let hadPublications = peer.map { peers[Int($0.index)].publications.count } ?? 0
        let newSeats = setup.seats.count - hadSeats
        let newPublications = setup.publications.count - hadPublications
        return seats.capacity - seats.count >= newSeats
            && publications.capacity - publications.count >= newPublications
            && encodings.capacity - encodings.count >= newPublications * Publication.encodingLimit
    }

    /// Gives a peer its place among those of its router.
    mutating func enter(_ peer: PeerID) {
        let router = Int(peers[Int(peer.index)].router.index)
        var place = routers[router].peers.count
        while place > 0, comes(peer, before: routers[router].peers[place - 1]) { place -= 1 }
        routers[router].peers.insert(peer, at: place)
    }

    private func comes(_ peer: PeerID, before other: PeerID) -> Bool {
        peers[Int(peer.index)].connection < peers[Int(other.index)].connection
    }

    /// From now on packets can reach the peer: its seats begin, from cached key frames where they are young.
    public mutating func markReady(_ peer: PeerID, at now: Instant) {
        peers[Int(peer.index)].isReady = true
        wantAllocation(of: peer)
        for number in 0..<peers[Int(peer.index)].seats.count {
            aim(peers[Int(peer.index)].seats[number], at: now)
        }
    }

    /// Applies a negotiation: sections that are new come, those that are gone go, the others stay as they are.
    public mutating func configure(_ peer: PeerID, _ setup: PeerSetup, at now: Instant) {
        let index = Int(peer.index)
        peers[index].extensions = setup.extensions
        peers[index].hasTransportCC =
            !isMirror(peer) && setup.publications.contains { $0.feedback.contains(.transportCC) }
        peers[index].isNumbered = setup.seats.contains { $0.isActive && $0.feedback.contains(.transportCC) }
        var map = PayloadTypeMap()
        for format in setup.formats {
            if let id = formatID(of: format.format) { map.map(format, as: id) }
        }
        peers[index].payloadTypes = map
        removePublications(of: peer, notIn: setup.publications, at: now)
        for publication in setup.publications { addOrUpdate(publication, of: peer) }
        removeSeats(of: peer, notIn: setup.seats)
        for seat in setup.seats where !isMirror(peer) { addSeat(seat, of: peer) }
        for number in 0..<peers[index].seats.count {
            seats[Int(peers[index].seats[number].index)].template = HeaderTemplate()
        }
        peers[index].viewing.keepSeats { mid in setup.seats.contains { $0.mid == mid && $0.isActive } }
        listSeats(of: peer)
        applyWishes(of: peer, at: now)
        configureLink(of: peer, setup, at: now)
        assignSeats(in: setup.router, at: now)
        noteSendLimit(of: peer)
        schedule(peer)
    }

    /// Removes the peer with everything that it published; its seats go with it.
    ///
    /// - Parameter reseats: false while the whole session goes: who moves up doesn't matter then.
    public mutating func removePeer(_ peer: PeerID, reseats: Bool = true, at now: Instant) {
        let index = Int(peer.index)
        let router = peers[index].router
        removePublications(of: peer, notIn: [], at: now)
        removeSeats(of: peer, notIn: [])
        removeLink(of: peer, at: now)
        queue.removeAll(of: peer)
        timers.disarm(index)
        routers[Int(router.index)].peers.removeAll { $0 == peer }
        changedPeers.remove(peer)
        hintedPeers.remove(peer)
        ratedPeers.remove(peer)
        // The peer's transport goes as a whole, and its number may be given to another.
        var stream = forgottenStreams.count - 1
        while stream >= 0 {
            if Int(forgottenStreams[stream] >> 32) == index { forgottenStreams.swapRemove(at: stream) }
            stream -= 1
        }
        peers.remove(at: index)
        if reseats { assignSeats(in: router, at: now) }
    }

    // MARK: Publications

    private mutating func addOrUpdate(_ setup: PublicationSetup, of peer: PeerID) {
        var publication = publication(mid: setup.mid, of: peer)
        if publication == nil {
            nextOrder += 1
            let order = setup.order ?? nextOrder
            guard let index = publications.insert(Publication(setup, peer: peer, order: order)) else {
                return
            }
            publication = PublicationID(index)
            peers[Int(peer.index)].publications.append(PublicationID(index))
            addSpeaker(PublicationID(index))
            noteSeats(of: PublicationID(index))
        }
        guard let publication else { return }
        let rids: [ShortID?] = setup.rids.isEmpty ? [nil] : setup.rids
        for rid in rids.prefix(Publication.encodingLimit) where encoding(rid: rid, of: publication) == nil {
            addEncoding(rid: rid, of: publication, setup)
        }
        bindOfferedStreams(setup, to: publication)
    }

    private mutating func addEncoding(rid: ShortID?, of publication: PublicationID, _ setup: PublicationSetup)
    {
        let encoding = Encoding(
            publication: publication, setup: setup, rid: rid, peer: publications[Int(publication.index)].peer,
            cache: cacheLimits)
        guard let index = encodings.insert(encoding) else { return }
        // What is missing is the original's to ask for.
        if isMirror(publications[Int(publication.index)].peer) { encodings[index].losses = nil }
        publications[Int(publication.index)].encodings.append(EncodingID(index))
    }

    /// SSRCs named in the offer belong to the encodings in their order; with simulcast ids none are named.
    private mutating func bindOfferedStreams(_ setup: PublicationSetup, to publication: PublicationID) {
        guard setup.rids.isEmpty else { return }
        let count = publications[Int(publication.index)].encodings.count
        for (number, stream) in setup.streams.prefix(count).enumerated() {
            let encoding = publications[Int(publication.index)].encodings[number]
            bind(stream.ssrc, to: encoding, isRTX: false)
            if let rtx = stream.rtxSSRC { bind(rtx, to: encoding, isRTX: true) }
        }
    }

    func publication(mid: ShortID, of peer: PeerID) -> PublicationID? {
        for index in 0..<peers[Int(peer.index)].publications.count {
            let publication = peers[Int(peer.index)].publications[index]
            if publications[Int(publication.index)].mid == mid { return publication }
        }
        return nil
    }

    /// The encoding with this simulcast id; the only one for `nil`.
    func encoding(rid: ShortID?, of publication: PublicationID) -> EncodingID? {
        for index in 0..<publications[Int(publication.index)].encodings.count {
            let encoding = publications[Int(publication.index)].encodings[index]
            if rid == nil || encodings[Int(encoding.index)].rid == rid { return encoding }
        }
        return nil
    }

    private mutating func removePublications(of peer: PeerID, notIn kept: [PublicationSetup], at now: Instant)
    {
        var index = 0
        while index < peers[Int(peer.index)].publications.count {
            let publication = peers[Int(peer.index)].publications[index]
            let mid = publications[Int(publication.index)].mid
            let source = publications[Int(publication.index)].source
            if kept.contains(where: { $0.mid == mid && $0.source == source }) {
                index += 1
                continue
            }
            peers[Int(peer.index)].publications.swapRemove(at: index)
            remove(publication, at: now)
        }
    }

    private mutating func remove(_ publication: PublicationID, at now: Instant) {
        let index = Int(publication.index)
        removeSpeaker(publication)
        silence(publication, at: now)
        while publications[index].seats.count > 0 {
            vacate(publications[index].seats[0])
        }
        forgetMirrored(publication)
        for number in 0..<publications[index].encodings.count {
            remove(publications[index].encodings[number])
        }
        publications.remove(at: index)
    }

    private mutating func remove(_ encoding: EncodingID) {
        let index = Int(encoding.index)
        // A seat that was given to somebody else may still show this one's last picture.
        while encodings[index].watchers.count > 0 {
            let seat = Int(encodings[index].watchers[0].index)
            if seats[seat].current == encoding { seats[seat].current = .none }
            if seats[seat].target == encoding { seats[seat].target = .none }
            encodings[index].watchers.swapRemove(at: 0)
        }
        forgetInRewriters(encoding)
        paced.forget(encoding)
        unbindStreams(of: encoding)
        encodings[index].cache.removeAll(in: &store)
        encodings.remove(at: index)
    }

    /// The number may go to another encoding: no seat of the router may take that for the old one.
    private mutating func forgetInRewriters(_ encoding: EncodingID) {
        let router = peers[Int(encodings[Int(encoding.index)].peer.index)].router
        for peer in routers[Int(router.index)].peers {
            for number in 0..<peers[Int(peer.index)].seats.count {
                let seat = Int(peers[Int(peer.index)].seats[number].index)
                seats[seat].rewriter.forget(encoding)
            }
        }
    }

    // MARK: State

    /// Sets whether a peer's source is forwarded; from the next packet on.
    public mutating func setLive(_ isLive: Bool, source: Source, of peer: PeerID, at now: Instant) {
        for number in 0..<peers[Int(peer.index)].publications.count {
            let publication = peers[Int(peer.index)].publications[number]
            let index = Int(publication.index)
            guard publications[index].source == source, publications[index].isLive != isLive else { continue }
            publications[index].isLive = isLive
            updateSpeaker(publication)
            silence(publication, at: now)
            // What was sent meanwhile was not read: its numbers may have gone round.
            for number in 0..<publications[index].encodings.count {
                let encoding = Int(publications[index].encodings[number].index)
                encodings[encoding].startOver(in: &store)
                if isLive { hasten(peer, to: encodings[encoding].keyframes.deadline) }
            }
            for seat in 0..<publications[index].seats.count {
                let seat = publications[index].seats[seat]
                markChanged(seats[Int(seat.index)].peer)
                if isLive { aim(seat, at: now) } else { rest(seat) }
            }
            assignSeats(in: peers[Int(peer.index)].router, at: now)
        }
        noteSendLimit(of: peer)
    }
}
