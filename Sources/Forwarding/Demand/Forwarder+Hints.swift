import FixedCollections
public import Wire

/// What a publisher is asked to do with one encoding.
public struct EncodingHint: Sendable, Equatable {
    public var mid: ShortID
    /// `nil`: it is the only one.
    public var rid: ShortID?
    /// False: nobody needs it, or it is more than may be sent.
    public var isActive: Bool
    /// `nil`: it isn't limited.
    public var maxBitrate: Bitrate?
}

/// Hints to publishers: which encodings to send, and how much.
extension Forwarder {
    /// Bounds the video that a peer is asked to send, in all.
    public mutating func setSendLimit(_ limit: Bitrate?, of peer: PeerID) {
        guard peers[Int(peer.index)].sendLimit != limit else { return }
        peers[Int(peer.index)].sendLimit = limit
        peers[Int(peer.index)].isLimitUntold = true
        noteHints(of: peer)
    }

    /// What the peer is asked now: all encodings of its videos.
    public func hints(of peer: PeerID) -> [EncodingHint] {
        var hints: [EncodingHint] = []
        let limit = peers[Int(peer.index)].sendLimit
        for number in 0..<peers[Int(peer.index)].publications.count {
            let publication = peers[Int(peer.index)].publications[number]
            guard publications[Int(publication.index)].source.isVideo else { continue }
            append(
                publication, limit.map { Bitrate(bitsPerSecond: $0.bitsPerSecond / videos(of: peer)) },
                to: &hints)
        }
        return hints
    }

    private func append(_ publication: PublicationID, _ limit: Bitrate?, to hints: inout [EncodingHint]) {
        let index = Int(publication.index)
        let first = hints.count
        for place in 0..<publications[index].encodings.count {
            let encoding = publications[index].encodings[place]
            hints.append(
                EncodingHint(
                    mid: publications[index].mid, rid: encodings[Int(encoding.index)].rid,
                    isActive: isNeeded(encoding)))
        }
        guard let limit else { return }
        let active = hints[first...].count(where: \.isActive)
        var share = UplinkShare(limit, among: active)
        for rank in 0..<UInt8(publications[index].encodings.count) {
            // Those who are equal in all have the same rank, and none has the next.
            for place in 0..<publications[index].encodings.count
            where self.rank(of: publications[index].encodings[place]) == rank && hints[first + place].isActive
            {
                let bitrate = share.next()
                hints[first + place].maxBitrate = bitrate
                if bitrate == nil { hints[first + place].isActive = false }
            }
        }
    }

    /// Videos that share what a peer may send; at least one.
    private func videos(of peer: PeerID) -> Int {
        var count = 0
        for number in 0..<peers[Int(peer.index)].publications.count {
            let publication = Int(peers[Int(peer.index)].publications[number].index)
            if publications[publication].source.isVideo, publications[publication].isLive { count += 1 }
        }
        return max(count, 1)
    }

    /// How many encodings of its publication are poorer.
    private func rank(of encoding: EncodingID) -> UInt8 {
        let publication = Int(encodings[Int(encoding.index)].publication.index)
        var rank: UInt8 = 0
        for place in 0..<publications[publication].encodings.count {
            let other = publications[publication].encodings[place]
            if other != encoding, isRicher(encoding, than: other) { rank += 1 }
        }
        return rank
    }

    /// Whether somebody needs the encoding, on any worker.
    private func isNeeded(_ encoding: EncodingID) -> Bool {
        let demand = encodings[Int(encoding.index)].demand
        let relays = publications[Int(encodings[Int(encoding.index)].publication.index)].relays
        return !demand.isDeclined || !relays.isSubset(of: demand.declinedBy)
    }

    // MARK: Telling

    /// What a limited peer sends has changed, and with it the shares.
    mutating func noteSendLimit(of peer: PeerID) {
        guard peers[Int(peer.index)].sendLimit != nil else { return }
        peers[Int(peer.index)].isLimitUntold = true
        noteHints(of: peer)
    }

    /// Something that bears on a peer's hints has changed; whether they have is looked at when all has.
    mutating func noteHints(of peer: PeerID) {
        guard !isMirror(peer), !peers[Int(peer.index)].isHintDue else { return }
        peers[Int(peer.index)].isHintDue = true
        hintedPeers.append(peer)
    }

    /// A peer that is asked for something else than it was told; `nil` when there is none.
    mutating func pollHint() -> PeerID? {
        while hintedPeers.count > 0 {
            let peer = hintedPeers[hintedPeers.count - 1]
            hintedPeers.swapRemove(at: hintedPeers.count - 1)
            peers[Int(peer.index)].isHintDue = false
            if takeHintNews(of: peer) { return peer }
        }
        return nil
    }

    /// Whether its hints are others than it was told; they count as told then.
    private mutating func takeHintNews(of peer: PeerID) -> Bool {
        let index = Int(peer.index)
        var isNews = peers[index].isLimitUntold
        for number in 0..<peers[index].publications.count {
            let publication = Int(peers[index].publications[number].index)
            var off: UInt8 = 0
            for place in 0..<publications[publication].encodings.count
            where !isNeeded(publications[publication].encodings[place]) {
                off |= 1 << UInt8(place)
            }
            if publications[publication].toldOff != off { isNews = true }
            publications[publication].toldOff = off
        }
        peers[index].isLimitUntold = false
        return isNews
    }
}
