import EventLoop
import Forwarding
import Transport
import Wire

/// What the pool asks of a worker, answered after it took effect; and what workers tell each other.
enum WorkerCommand: Sendable {
    /// Makes the session's router. On its home worker, which tells who speaks, nobody is there yet; on another one there are
    /// mirrors of those who publish elsewhere. False: there is no room.
    case openSession(MediaSessionID, RouterLimits, isHome: Bool, [MirroredConnection], Reply<Bool>)
    case setLimits(RouterLimits, MediaSessionID, Reply<Void>)
    /// With the participants that are left in it.
    case closeSession(MediaSessionID, Set<MediaParticipantID>, Reply<Void>)
    /// A peer connection's first negotiation: makes its transport; the participant's one before goes. Answers with its
    /// seats, or nil when there is no room.
    case connect(ConnectRequest, Reply<[SeatState]?>)
    /// A later one. Answers with the seats, or nil when the connection has ended.
    case configure(MediaParticipantID, MediaSections, Reply<[SeatState]?>)
    /// ICE begins anew, with these credentials of the server's and of the participant's.
    case restart(MediaParticipantID, ICECredentials, RemoteICECredentials, Reply<Bool>)
    case setSource(Source, MediaParticipantID, isLive: Bool, Reply<Void>)
    case setViewing(ViewerPreferences, MediaParticipantID, Reply<Void>)
    case leave(MediaParticipantID, Reply<Void>)
    /// Drops a connection and nothing else that is known of the participant.
    case disconnect(MediaParticipantID, Reply<Void>)
    /// A connection on another worker was negotiated, for the first time or anew. Answers with nothing, or nil when there is
    /// no room.
    case mirror(MirroredConnection, Reply<[SeatState]?>)
    case setMirrorSource(Source, MediaParticipantID, isLive: Bool, Reply<Void>)
    case endMirror(MediaParticipantID, Reply<Void>)
    case statistics(Reply<MediaStatistics>)
    case viewerStatistics(MediaParticipantID, Reply<ViewerStatistics?>)
    case setReceiveLimit(Bitrate?, MediaParticipantID, Reply<Void>)
    case setSendLimit(Bitrate?, MediaParticipantID, Reply<Void>)
    /// Another worker owns the peer at this address.
    case foreign(SocketAddress, worker: Int)
    /// That worker's peer is gone from this address.
    case notForeign(SocketAddress, worker: Int)
    /// A TCP connection of this worker's peer that another one accepted.
    case stream(MovingTCPConnection)
    /// Another worker's mirror of a connection of this one wants something.
    case mirrorRequest(MirrorRequest, from: Int)
    /// A connection on another worker has ended.
    case connectionEnded(UInt64)
    case stop(Reply<Void>)

    /// Answers for a worker that has ended: everything is gone there.
    func refuse() {
        switch self {
        case .openSession(_, _, _, _, let reply), .restart(_, _, _, let reply): reply(false)
        case .setLimits(_, _, let reply), .closeSession(_, _, let reply), .setSource(_, _, _, let reply),
            .setViewing(_, _, let reply), .leave(_, let reply),
            .disconnect(_, let reply), .setMirrorSource(_, _, _, let reply), .endMirror(_, let reply),
            .stop(let reply):
            reply(())
        case .connect(_, let reply), .configure(_, _, let reply), .mirror(_, let reply): reply(nil)
        case .statistics(let reply): reply(MediaStatistics())
        case .viewerStatistics(_, let reply): reply(nil)
        case .setReceiveLimit(_, _, let reply), .setSendLimit(_, _, let reply): reply(())
        case .foreign, .notForeign, .stream, .mirrorRequest, .connectionEnded: break
        }
    }
}

/// What the other workers that host a session are told of a connection.
struct MirroredConnection: Sendable {
    var participant: MediaParticipantID
    var session: MediaSessionID
    /// Numbers the connection among all of the pool, in the order in which they began.
    var connection: UInt64
    /// The worker that has it.
    var owner: Int
    /// Without seats.
    var sections: MediaSections
    var off: Set<Source> = []
}

struct ConnectRequest: Sendable {
    var participant: MediaParticipantID
    var session: MediaSessionID
    /// Numbers the connection among all of the pool, in the order in which they began.
    var number: UInt64 = 0
    var credentials: ICECredentials
    var remote: RemoteICECredentials
    var fingerprints: [CertificateFingerprint]
    var sections: MediaSections
    /// The most that the participant may be sent.
    var receiveLimit: Bitrate?
    /// The most video that it is asked to send.
    var sendLimit: Bitrate?
    /// What the participant has said as a viewer.
    var viewing = ViewerPreferences()
}

/// What a negotiation says about a participant's media.
struct MediaSections: Sendable {
    var localSSRC: SSRC
    var extensions: HeaderExtensionMap
    var formats: [PeerFormat]
    var publications: [PublicationSetup]
    var seats: [SeatSetup]

    func setup(router: RouterID, participant: MediaParticipantID, connection: UInt64) -> PeerSetup {
        PeerSetup(
            router: router, participant: participant.rawValue, localSSRC: localSSRC, connection: connection,
            extensions: extensions, formats: formats, publications: publications, seats: seats)
    }

    /// Sources that are off stay off, whatever is negotiated.
    func with(off: Set<Source>) -> MediaSections {
        var sections = self
        for index in sections.publications.indices {
            sections.publications[index].isLive = !off.contains(sections.publications[index].source)
        }
        return sections
    }
}
