import FixedCollections
public import Wire

/// A session that is spread over workers, seen from the worker that has the peer: packets go on to workers that have asked
/// for them.
extension Forwarder {
    /// Starts or ends relaying a publication's packets to a worker. A publication that isn't there is ignored: it has
    /// gone meanwhile.
    public mutating func setRelayed(_ isRelayed: Bool, to lane: Int, mid: ShortID, of peer: PeerID) {
        guard lane >= 0, lane < RelayTargets.limit, let publication = publication(mid: mid, of: peer) else {
            return
        }
        if isRelayed {
            publications[Int(publication.index)].relays.insert(lane)
        } else {
            publications[Int(publication.index)].relays.remove(lane)
        }
        // Whoever asks anew needs all.
        setDeclined(0, by: lane, mid: mid, of: peer)
    }

    /// Somebody on another worker waits for a key frame; it counts like those who wait here.
    public mutating func wantKeyFrame(mid: ShortID, rid: ShortID?, of peer: PeerID) {
        guard let publication = publication(mid: mid, of: peer),
            publications[Int(publication.index)].source.isVideo,
            let encoding = encoding(rid: rid, of: publication)
        else { return }
        wantKeyFrame(of: encoding)
    }

    /// Workers that get anything of the peer's: they need its sender reports.
    public func relayTargets(of peer: PeerID) -> RelayTargets {
        var targets = RelayTargets()
        for number in 0..<peers[Int(peer.index)].publications.count {
            let publication = Int(peers[Int(peer.index)].publications[number].index)
            targets.formUnion(publications[publication].relays)
        }
        return targets
    }

    /// Where the packet that was just accepted goes on to.
    func relay(of encoding: EncodingID, _ ssrc: SSRC) -> Relay? {
        guard encoding != .none else { return nil }
        let index = Int(encoding.index)
        let publication = Int(encodings[index].publication.index)
        let targets = publications[publication].relays
        guard !targets.isEmpty else { return nil }
        let stream = RelayedStream(
            mid: publications[publication].mid, rid: encodings[index].rid,
            isRTX: encodings[index].rtxSSRC == ssrc)
        return Relay(targets: targets, stream: stream)
    }
}
