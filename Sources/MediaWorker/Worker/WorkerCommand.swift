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
    case closeSession(MediaSessionID, Reply<Void>)
    /// A participant's first negotiation: makes its transport.
    case connect(ConnectRequest, Reply<Bool>)
    /// A later one.
    case configure(MediaParticipantID, MediaSections, Reply<Void>)
    case restart(MediaParticipantID, ICECredentials, Reply<Bool>)
    case setSource(Source, MediaParticipantID, isLive: Bool, Reply<Void>)
    case leave(MediaParticipantID, Reply<Void>)
    case statistics(Reply<MediaStatistics>)
    /// Another worker owns the peer at this address.
    case foreign(SocketAddress, worker: Int)
    case stop(Reply<Void>)
}

struct ConnectRequest: Sendable {
    var participant: MediaParticipantID
    var session: MediaSessionID
    var credentials: ICECredentials
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
