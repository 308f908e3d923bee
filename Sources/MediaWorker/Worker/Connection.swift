import Forwarding
import Transport
import Wire

/// A participant's transport on a worker, and what is kept beside it. Its index is the peer's in the forwarder.
struct Connection: ~Copyable {
    /// TCP connections that it keeps.
    static let mostStreams = 4

    let participant: MediaParticipantID
    /// Its number among all of the pool.
    let number: UInt64
    var transport: PeerTransport
    /// Ufrags under which it is found.
    var ufrags: [ICEUfrag]
    /// Paths under which it is found.
    var paths: [KnownPath] = []
    /// SSRCs that are ready to be sealed.
    var outgoing: [SSRC: SealerStream] = [:]
    /// SSRCs of its seats.
    var wanted: Set<SSRC>
    /// Failures allowed to packets from unknown addresses. Each connection has its own, as anyone may send junk under an
    /// SSRC that they know, such as their own.
    var strangers = TokenBucket(rate: 200, burst: 50)

    init(
        participant: MediaParticipantID, number: UInt64, transport: consuming PeerTransport,
        ufrag: ICEUfrag, wanted: Set<SSRC>
    ) {
        self.participant = participant
        self.number = number
        self.transport = transport
        ufrags = [ufrag]
        self.wanted = wanted
    }
}

/// A path on which a peer has proved who it is.
struct KnownPath {
    let path: TransportPath
    /// The worker whose socket gets what the peer sends on it, if it isn't the peer's own.
    let origin: Int?
}

extension MediaSections {
    /// SSRCs that are sent to the participant.
    var outgoingSSRCs: Set<SSRC> {
        var ssrcs: Set<SSRC> = []
        for seat in seats {
            ssrcs.insert(seat.ssrc)
            if let rtx = seat.rtxSSRC { ssrcs.insert(rtx) }
        }
        return ssrcs
    }
}
