import EventLoop
import Forwarding
import Transport
import Wire

/// Where an answer is awaited. Answered exactly once.
struct Reply<Value: Sendable>: Sendable {
    private let continuation: CheckedContinuation<Value, Never>

    init(_ continuation: CheckedContinuation<Value, Never>) {
        self.continuation = continuation
    }

    func callAsFunction(_ value: Value) {
        continuation.resume(returning: value)
    }
}

/// What the pool asks of a worker. Each is answered after it took effect.
enum WorkerCommand: Sendable {
    case openSession(MediaSessionID, Reply<Bool>)
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
    case leave(MediaParticipantID, Reply<Void>)
    case statistics(Reply<MediaStatistics>)
    /// Another worker owns the peer at this address.
    case foreign(SocketAddress, worker: Int)
    /// That worker's peer is gone from this address.
    case notForeign(SocketAddress, worker: Int)
    /// A TCP connection of this worker's peer that another one accepted.
    case stream(MovingTCPConnection)
    case stop(Reply<Void>)

    /// Answers for a worker that has ended: everything is gone there.
    func refuse() {
        switch self {
        case .openSession(_, let reply), .restart(_, _, _, let reply): reply(false)
        case .closeSession(_, _, let reply), .setSource(_, _, _, let reply), .leave(_, let reply),
            .stop(let reply):
            reply(())
        case .connect(_, let reply), .configure(_, _, let reply): reply(nil)
        case .statistics(let reply): reply(MediaStatistics())
        case .foreign, .notForeign, .stream: break
        }
    }
}

struct ConnectRequest: Sendable {
    var participant: MediaParticipantID
    var session: MediaSessionID
    var credentials: ICECredentials
    var remote: RemoteICECredentials
    var fingerprints: [CertificateFingerprint]
    var sections: MediaSections
}

/// What a negotiation says about a participant's media.
struct MediaSections: Sendable {
    var localSSRC: SSRC
    var extensions: HeaderExtensionMap
    var formats: [PeerFormat]
    var publications: [PublicationSetup]
    var seats: [SeatSetup]

    func setup(router: RouterID, participant: MediaParticipantID) -> PeerSetup {
        PeerSetup(
            router: router, participant: participant.rawValue, localSSRC: localSSRC, extensions: extensions,
            formats: formats, publications: publications, seats: seats)
    }
}
