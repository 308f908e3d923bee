import FixedCollections
public import Wire

/// Whose a stream is: its encoding, as media or as its retransmissions.
struct StreamIdentity: BitwiseCopyable {
    var encoding: EncodingID
    var isRTX: Bool
}

/// A stream is known by its SSRC; one that isn't known yet, by mid and rid in its packets' header extensions.
extension Forwarder {
    /// The peer that sends a stream under this SSRC; nil if none does, or more than one.
    ///
    /// For a packet whose address says nothing. It is the peer's only if it proves authentic with that peer's keys.
    public func owner(of ssrc: SSRC) -> PeerID? { owners.owner(of: ssrc) }

    /// An SSRC that no encoding has any more: the caller drops its SRTP state, so that it may come again.
    public mutating func pollForgottenStream() -> (peer: PeerID, ssrc: SSRC)? {
        guard forgottenStreams.count > 0 else { return nil }
        let key = forgottenStreams[forgottenStreams.count - 1]
        forgottenStreams.swapRemove(at: forgottenStreams.count - 1)
        return (PeerID(Int(key >> 32)), SSRC(UInt32(truncatingIfNeeded: key)))
    }

    // MARK: Telling streams apart

    /// The stream's encoding, if the SSRC is known: one look-up.
    func knownIdentity(of ssrc: SSRC, from peer: PeerID) -> StreamIdentity? {
        guard let stream = streams[Self.streamKey(peer, ssrc)] else { return nil }
        return StreamIdentity(
            encoding: EncodingID(Int(stream & ~Self.rtxFlag)), isRTX: stream & Self.rtxFlag != 0)
    }

    /// Judges the first packets of a stream, which say by their mid whose they are.
    mutating func admitUnknown(
        _ header: RTPHeader, packet: Span<UInt8>, from peer: PeerID
    ) -> Admission {
        let index = Int(peer.index)
        if peers[index].boundStreams < Peer.streamLimit,
            peers[index].payloadTypes.format(of: header.payloadType) != nil,
            identify(header, packet: packet, from: peer) != nil
        {
            return .open
        }
        counters.unknownStream &+= 1
        return .drop
    }

    /// The identity of an authentic packet's stream, which is bound if it wasn't known.
    mutating func identity(
        of header: RTPHeader, _ slot: PacketSlot, from peer: PeerID, at now: Instant
    ) -> StreamIdentity? {
        if let known = knownIdentity(of: header.ssrc, from: peer) { return known }
        guard let identity = identify(header, packet: store.bytes(of: slot), from: peer),
            isSilent(identity, at: now), bind(header.ssrc, to: identity.encoding, isRTX: identity.isRTX)
        else { return nil }
        return identity
    }

    /// An encoding changes its SSRC only after the old one has stopped: two at once are a sender's mistake.
    private func isSilent(_ identity: StreamIdentity, at now: Instant) -> Bool {
        let encoding = Int(identity.encoding.index)
        let last = identity.isRTX ? encodings[encoding].lastRepair : encodings[encoding].lastArrival
        return last.map { now - $0 >= .seconds(1) } ?? true
    }

    /// Finds out by mid and rid which encoding an SSRC belongs to (RFC 8843 section 9.2, RFC 8852).
    private func identify(_ header: RTPHeader, packet: Span<UInt8>, from peer: PeerID) -> StreamIdentity? {
        var mid: ShortID?
        var rid: ShortID?
        var elements = HeaderExtensions(of: header)
        while let element = elements.next(in: packet) {
            switch peers[Int(peer.index)].extensions.kind(of: element.id) {
            case .mid: mid = element.shortID(in: packet)
            case .rid, .repairedRID: rid = element.shortID(in: packet)
            default: break
            }
        }
        guard let mid, let publication = publication(mid: mid, of: peer) else { return nil }
        guard let format = peers[Int(peer.index)].payloadTypes.format(of: header.payloadType) else {
            return nil
        }
        let isSingle = publications[Int(publication.index)].encodings.count == 1
        guard rid != nil || isSingle, let encoding = encoding(rid: isSingle ? nil : rid, of: publication)
        else {
            return nil
        }
        return StreamIdentity(encoding: encoding, isRTX: format.isRTX)
    }

    // MARK: Binding

    static func streamKey(_ peer: PeerID, _ ssrc: SSRC) -> UInt64 {
        UInt64(UInt32(truncatingIfNeeded: peer.index)) << 32 | UInt64(ssrc.rawValue)
    }

    /// - Returns: false when the peer has used up its streams, or the SSRC is taken.
    @discardableResult
    mutating func bind(_ ssrc: SSRC, to encoding: EncodingID, isRTX: Bool) -> Bool {
        let index = Int(encoding.index)
        let peer = encodings[index].peer
        let key = Self.streamKey(peer, ssrc)
        // 0 stands for "not known yet".
        guard ssrc.rawValue != 0, streams[key] == nil else { return false }
        let previous = isRTX ? encodings[index].rtxSSRC : encodings[index].ssrc
        if previous.rawValue != 0 {
            // The sender has changed the SSRC of an encoding: the old one is given up. Its SRTP state stays, so that
            // what was recorded of it can't be replayed.
            streams.remove(Self.streamKey(peer, previous))
            if !isMirror(peer) { owners.remove(previous, of: peer) }
            peers[Int(peer.index)].boundStreams -= 1
            if isRTX {
                encodings[index].rtxSSRC = SSRC(0)
            } else {
                encodings[index].ssrc = SSRC(0)
                encodings[index].startOver(in: &store)
                encodings[index].clock = SourceClock()
            }
        }
        guard peers[Int(peer.index)].boundStreams < Peer.streamLimit,
            streams.set(key, to: encoding.index | (isRTX ? Self.rtxFlag : 0))
        else { return false }
        if !isMirror(peer) { owners.add(ssrc, of: peer) }
        peers[Int(peer.index)].boundStreams += 1
        if isRTX { encodings[index].rtxSSRC = ssrc } else { encodings[index].ssrc = ssrc }
        // Somebody may have waited for a stream that could be asked for a key frame.
        hasten(peer, to: encodings[index].keyframes.deadline)
        return true
    }

    mutating func unbindStreams(of encoding: EncodingID) {
        let index = Int(encoding.index)
        let peer = encodings[index].peer
        for ssrc in [encodings[index].ssrc, encodings[index].rtxSSRC] where ssrc.rawValue != 0 {
            guard streams.remove(Self.streamKey(peer, ssrc)) != nil else { continue }
            if !isMirror(peer) {
                owners.remove(ssrc, of: peer)
                forgottenStreams.append(Self.streamKey(peer, ssrc))
            }
            peers[Int(peer.index)].boundStreams -= 1
        }
    }
}
