import EventLoop
import FixedCollections
import MediaWorker
import TransportTestSupport
import Wire

@testable import Transport

/// A participant of a meeting as the network sees it: ICE checks, DTLS, SRTP both ways, over a real socket.
///
/// Does nothing by itself: `pump` takes what has come, answers it, and repeats what was lost.
final class TestClient {
    let id: MediaParticipantID
    /// Nil: negotiation is the test's.
    let pool: MediaPool?
    private let address: SocketAddress
    var offer: TestOffer
    private(set) var answer: MediaAnswer?
    var socket: ClientSocket
    private(set) var dtls: DTLSTestClient
    private(set) var server: ICECredentials?
    /// Checks of the client's that the server has answered.
    private(set) var answeredChecks = 0
    /// Checks of the server's that the client has answered.
    private(set) var proofs = 0
    private(set) var seatSSRCs: [String: SSRC] = [:]
    private var hasStartedDTLS = false
    private var transaction: UInt64 = 0
    private var nextCheck = Instant.zero
    var keys: ClientKeys?
    var media = ClientMedia()

    init(
        id: MediaParticipantID, server address: SocketAddress, pool: MediaPool? = nil,
        profiles: String = DTLSTestClient.allProfiles, overTCP: Bool = false
    ) throws {
        self.id = id
        self.pool = pool
        self.address = address
        dtls = try DTLSTestClient(profiles: profiles, packsRecords: true)
        socket = try ClientSocket(to: address, overTCP: overTCP)
        offer = TestOffer(origin: UInt64(id.rawValue) << 8 | 1, fingerprint: dtls.certificate.fingerprint)
    }

    /// Whether media can flow both ways.
    var isConnected: Bool {
        switch keys {
        case .some: answeredChecks > 0
        case .none: false
        }
    }

    /// Offers, and takes the answer in.
    func negotiate() async throws {
        offer.version += 1
        guard let answer = try await pool?.negotiate(id, offer: offer.sdp, sources: [:]) else { return }
        try take(answer)
    }

    func take(_ answer: MediaAnswer) throws {
        self.answer = answer
        let description = try SessionDescription.parse(answer.sdp)
        guard let media = description.media.first(where: { !$0.isRejected }) else { return }
        let transport = description.effectiveTransport(of: media)
        let ufrag = Array((transport.iceUfrag ?? "").utf8)
        guard let found = ICEUfrag(ufrag.span, 0..<ufrag.count) else { return }
        server = ICECredentials(ufrag: found, password: transport.icePwd ?? "")
        seatSSRCs = [:]
        for media in description.media {
            guard let mid = media.mid, let ssrc = media.sources.first?.ssrc else { continue }
            seatSSRCs[mid] = media.sourceGroups.first?.ssrcs.first ?? ssrc
        }
    }

    /// Begins anew, as a page that was loaded again does: other keys, another address, an offer of its own.
    func startOver() throws {
        dtls = try DTLSTestClient(packsRecords: true)
        socket = try ClientSocket(to: address)
        offer.origin += 1
        offer.fingerprint = dtls.certificate.fingerprint
        (hasStartedDTLS, answeredChecks, server) = (false, 0, nil)
        keys = nil
        media.received = [:]
    }

    func sendCheck(nominates: Bool = true) throws {
        guard let server else { return }
        transaction += 1
        socket.send(
            try TestCheck(credentials: server, nominates: nominates, transaction: transaction).bytes())
    }

    /// Takes everything that has come, and does what is due.
    func pump() throws {
        for bytes in socket.receive() { try take(bytes) }
        let now = MonotonicClock.now()
        if server != nil, answeredChecks == 0, now >= nextCheck {
            nextCheck = now + .milliseconds(200)
            try sendCheck()
        }
        guard hasStartedDTLS, !dtls.isConnected, !dtls.hasFailed else { return }
        for bytes in dtls.handleTimeout(at: nil) { socket.send(bytes) }
    }

    func sayGoodbye() {
        for bytes in dtls.close() { socket.send(bytes) }
    }

    private func take(_ bytes: [UInt8]) throws {
        switch bytes[0] {
        case 0...3: if try !takeCheck(bytes) { try takeAnswer(bytes) }
        case 20...63:
            for answer in dtls.receive(bytes, at: nil) { socket.send(answer) }
            if dtls.isConnected, !isConnected { keys = try ClientKeys(dtls) }
        default: takeMedia(bytes)
        }
    }

    /// Answers a check of the server's; false if it isn't one.
    private func takeCheck(_ bytes: [UInt8]) throws -> Bool {
        let own = RemoteICECredentials(ufrag: offer.ufrag, password: TestAnswer.credentials.password)
        guard let server, STUNHeader(bytes.span)?.type == .bindingRequest,
            try isCheck(bytes, of: server, for: own)
        else { return false }
        socket.send(try TestAnswer(to: bytes).bytes())
        proofs += 1
        return true
    }

    private func takeAnswer(_ bytes: [UInt8]) throws {
        guard let server, try readAnswer(bytes, server)?.errorCode == nil else { return }
        answeredChecks += 1
        guard !hasStartedDTLS else { return }
        hasStartedDTLS = true
        for bytes in dtls.start(at: nil) { socket.send(bytes) }
    }
}
