public import FixedCollections

/// Something that the forwarder has decided and others want to know.
public enum ForwarderEvent: Sendable, Hashable, BitwiseCopyable {
    /// Who is dominant in a router has changed; `nil` for nobody.
    case dominantSpeaker(RouterID, participant: UInt64?)
    /// Other people speak in a router, or more loudly: see `activeSpeakers`.
    case activeSpeakers(RouterID)
    /// Who sits in a peer's seats has changed: see `seatOccupancy`.
    case seats(PeerID)
    /// A peer is asked to send other encodings, or other bitrates: see `hints`.
    case hints(PeerID)
    /// A peer is connected better or worse: see `connectionQuality`.
    case quality(PeerID)
}

extension Forwarder {
    /// What has happened, the causes first: whoever becomes the dominant speaker is seated before anybody is told of seats,
    /// so that one turn tells both.
    ///
    /// Call it until it returns `nil`, before the turn's packets are sent, since a seat that begins may have some, and again
    /// after `pollControl`, which looks at links.
    public mutating func pollEvent(at now: Instant) -> ForwarderEvent? {
        if let change = pollSpeakerChange(at: now) {
            return .dominantSpeaker(change.router, participant: change.participant)
        }
        if let router = pollActivity() { return .activeSpeakers(router) }
        if let peer = pollSeatChange() { return .seats(peer) }
        if let peer = pollHint() { return .hints(peer) }
        if let peer = pollQuality() { return .quality(peer) }
        return nil
    }
}
