public import FixedCollections
import Wire

/// A session that is spread over workers, seen from a worker that hosts it too: each peer that publishes elsewhere has a
/// mirror here, with the same publications and payload types, but without seats and without a transport.
///
/// What mirrors get has been opened and judged by the worker that has the original. They report nothing to the sender
/// and ask it for nothing: what they want, they ask of that worker, by `pollMirrorRequest`.
extension Forwarder {
    /// Adds the mirror of a peer that another worker has. `removePeer`, `configure` and `setLive` work on it as on any
    /// other; its number is above those of all peers with a transport.
    ///
    /// - Parameters:
    ///   - setup: the original's. Its seats are left out, as is feedback that is the original's to send.
    ///   - owner: the lane of the worker that has the original.
    /// - Returns: `nil` when there are too many.
    public mutating func addMirror(_ setup: PeerSetup, owner: Int, at now: Instant) -> PeerID? {
        nextOrder += 1
        var peer = Peer(setup, isReady: true, order: nextOrder, at: now)
        peer.owner = owner
        guard let index = peers.insertAbove(peer) else { return nil }
        enter(PeerID(index))
        configure(PeerID(index), setup, at: now)
        return PeerID(index)
    }

    /// Whether the peer is a mirror.
    public func isMirror(_ peer: PeerID) -> Bool { Int(peer.index) >= peers.capacity }

    /// Takes in a packet that was relayed: as `receive` does, and binds a stream that is new here to what the other worker
    /// says it is.
    public mutating func receiveRelayed(
        _ slot: PacketSlot, length: Int, _ stream: RelayedStream, from mirror: PeerID, at now: Instant
    ) {
        var kept = false
        do throws(RTPError) {
            let header = try RTPHeader.parse(store.bytes(of: slot).extracting(0..<length))
            if follow(stream, header.ssrc, of: mirror) { kept = take(slot, header, from: mirror, at: now) }
        } catch {
            counters.malformed &+= 1
        }
        if !kept { store.release(slot) }
    }

    /// - Returns: whether the SSRC stands for this stream now.
    private mutating func follow(_ stream: RelayedStream, _ ssrc: SSRC, of mirror: PeerID) -> Bool {
        if let known = knownIdentity(of: ssrc, from: mirror) {
            if isSame(known, as: stream) { return true }
            // Given to another stream while nobody here watched.
            giveUpStreams(of: known.encoding)
        }
        guard let publication = publication(mid: stream.mid, of: mirror),
            let encoding = encoding(rid: stream.rid, of: publication)
        else { return false }
        return bind(ssrc, to: encoding, isRTX: stream.isRTX)
    }

    private func isSame(_ known: StreamIdentity, as stream: RelayedStream) -> Bool {
        let index = Int(known.encoding.index)
        return known.isRTX == stream.isRTX && encodings[index].rid == stream.rid
            && publications[Int(encodings[index].publication.index)].mid == stream.mid
    }

    private mutating func giveUpStreams(of encoding: EncodingID) {
        unbindStreams(of: encoding)
        encodings[Int(encoding.index)].ssrc = SSRC(0)
        encodings[Int(encoding.index)].rtxSSRC = SSRC(0)
        encodings[Int(encoding.index)].startOver(in: &store)
    }

    // MARK: Requests

    /// What a mirror asks of its original's worker, in order; `nil` when there is nothing more.
    public mutating func pollMirrorRequest() -> MirrorRequest? {
        settleMirrors()
        guard mirrorRequests.count > nextMirrorRequest else {
            mirrorRequests.removeAll()
            nextMirrorRequest = 0
            return nil
        }
        nextMirrorRequest += 1
        return mirrorRequests[nextMirrorRequest - 1]
    }

    /// The publication's seats have changed: if it is a mirror's, its packets may be wanted now, or not any more. That is
    /// settled when everybody has sat down.
    mutating func noteSeats(of publication: PublicationID) {
        let index = Int(publication.index)
        guard isMirror(publications[index].peer), !publications[index].isUnsettled else { return }
        publications[index].isUnsettled = true
        unsettledMirrors.append(publication)
    }

    private mutating func settleMirrors() {
        for number in 0..<unsettledMirrors.count {
            let index = Int(unsettledMirrors[number].index)
            publications[index].isUnsettled = false
            // Voices are wanted in any case: who speaks is ranked on each worker.
            let isWanted = publications[index].source == .microphone || publications[index].seats.count > 0
            guard isWanted != publications[index].isWanted else { continue }
            publications[index].isWanted = isWanted
            request(isWanted ? .packets : .noPackets, of: PublicationID(index))
            if isWanted { forgetDemand(of: PublicationID(index)) } else { startOver(PublicationID(index)) }
        }
        unsettledMirrors.removeAll()
    }

    /// All of it is asked for: what was declined before counts no more.
    private mutating func forgetDemand(of publication: PublicationID) {
        for place in 0..<publications[Int(publication.index)].encodings.count {
            let encoding = Int(publications[Int(publication.index)].encodings[place].index)
            encodings[encoding].demand = EncodingDemand()
        }
    }

    /// What comes after a while without packets doesn't compare with what came before.
    private mutating func startOver(_ publication: PublicationID) {
        for number in 0..<publications[Int(publication.index)].encodings.count {
            let encoding = Int(publications[Int(publication.index)].encodings[number].index)
            encodings[encoding].startOver(in: &store)
        }
    }

    /// The publication goes: nothing of it is wanted any more.
    mutating func forgetMirrored(_ publication: PublicationID) {
        let index = Int(publication.index)
        unsettledMirrors.remove(publication)
        if publications[index].isWanted { request(.noPackets, of: publication) }
    }

    mutating func requestDeclined(of publication: PublicationID) {
        request(.declined(declined(of: publication)), of: publication)
    }

    private mutating func request(_ content: MirrorRequest.Content, of publication: PublicationID) {
        let index = Int(publication.index)
        let peer = Int(publications[index].peer.index)
        mirrorRequests.append(
            MirrorRequest(
                owner: peers[peer].owner, connection: peers[peer].connection, mid: publications[index].mid,
                content: content))
    }

    // MARK: What takes the place of RTCP

    /// Once a second: measures the mirror's streams, as a report would.
    mutating func measureMirror(_ mirror: PeerID, at now: Instant) {
        let index = Int(mirror.index)
        guard now >= peers[index].reportDeadline else { return }
        peers[index].reportDeadline = now + .seconds(1)
        for number in 0..<peers[index].publications.count {
            let publication = peers[index].publications[number]
            for position in 0..<publications[Int(publication.index)].encodings.count {
                measure(publications[Int(publication.index)].encodings[position], at: now)
            }
            aimSeats(of: publication, at: now)
        }
        reviewDemand(of: mirror, at: now)
    }

    /// Asks for the key frames that are due.
    mutating func requestKeyFrames(of mirror: PeerID, at now: Instant) {
        let index = Int(mirror.index)
        for number in 0..<peers[index].publications.count {
            let publication = peers[index].publications[number]
            guard publications[Int(publication.index)].isLive,
                !publications[Int(publication.index)].feedback.isDisjoint(with: [.pli, .fir])
            else { continue }
            for position in 0..<publications[Int(publication.index)].encodings.count {
                let encoding = Int(publications[Int(publication.index)].encodings[position].index)
                guard encodings[encoding].keyframes.takeRequest(at: now) else { continue }
                request(.keyFrame(rid: encodings[encoding].rid), of: publication)
            }
        }
    }
}
