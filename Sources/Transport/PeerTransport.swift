public import FixedCollections
import Wire

/// One peer's connection: ICE on the lite side, DTLS on the passive side, and the SRTP keys that come of it.
///
/// Does no I/O and has no clock: datagrams and the time go in, datagrams come out in an `OutputDatagrams` that the caller
/// drains after each call. Only DTLS's retransmission timer runs by the real clock, inside OpenSSL. Belongs to one thread.
///
/// What arrives is told apart by its first byte (RFC 7983) and given to `receiveSTUN`, `receiveDTLS`, `openRTP` or
/// `openRTCP`. DTLS and media count only from a path on which the peer passed an ICE check.
public struct PeerTransport: ~Copyable {
    /// How far the transport has come.
    public enum State: Sendable, Equatable {
        /// No keys yet.
        case connecting
        /// Media can flow.
        case connected
        /// Ended by itself; nothing is accepted or answered any more.
        case failed
        /// Ended by either side's wish, or for lack of consent before there were keys; nothing is accepted or answered any
        /// more.
        case closed
    }

    /// A transport that isn't connected this long after it was made has failed.
    public static var connectLifetime: Duration { .seconds(60) }

    public private(set) var state = State.connecting
    private var ice: ICEAgent
    private var dtls: DTLSConnection
    /// There while `state` is `connected`.
    var keys: PeerKeys?
    /// What checks that the transport makes are tagged with, for `ProbeTag(answeredBy:)`. Set it before media comes.
    public var probeTag = ProbeTag(lane: 0, index: 0)
    private let connectDeadline: Instant
    private let receiverLimits: SRTPReceiver.Limits
    private let sealerStreams: Int

    /// - Throws: `cryptographyFailed`.
    public init(configuration: PeerTransportConfiguration, now: Instant) throws(TransportError) {
        let ice = try ICEAgent(
            credentials: configuration.credentials, remote: configuration.remote, now: now)
        dtls = try DTLSConnection(context: configuration.context, fingerprints: configuration.fingerprints)
        self.ice = ice
        connectDeadline = now + Self.connectLifetime
        receiverLimits = configuration.receiverLimits
        sealerStreams = configuration.sealerStreams
    }

    /// Where to send; nil until the first check was passed, and after consent has expired until the next one is. Changes with
    /// the peer's address.
    public var selectedPath: TransportPath? { ice.selectedPath }

    /// Whether the peer passed a check on this path, lately enough to be one of the eight that are remembered.
    public func isValidated(_ path: TransportPath) -> Bool {
        ice.isValidated(path)
    }

    /// The suite agreed on; nil unless connected.
    public var suite: SRTPSuite? {
        switch keys {
        case .some(let keys): keys.receiver.suite
        case .none: nil
        }
    }

    /// DTLS alerts that the peer sent, close_notify among them.
    public var alertsReceived: Int { dtls.alertsReceived }
    /// DTLS alerts sent to the peer, close_notify among them.
    public var alertsSent: Int { dtls.alertsSent }

    /// When `handleTimeout` is due.
    public var nextTimeout: Instant {
        switch state {
        case .connecting:
            // Without a path there is nowhere to send a flight again.
            min(
                ice.consentDeadline, connectDeadline,
                ice.selectedPath == nil ? .distantFuture : dtls.deadline)
        case .connected: ice.consentDeadline
        case .failed, .closed: .distantFuture
        }
    }

    /// Takes a STUN message and answers it if it is an authentic check; no answer is longer than the request.
    ///
    /// Once connected, a check that would move the stream to another path brings about one of the transport's own to it.
    /// An answer to a check of the transport's own validates the path that it comes on, and selects it.
    public mutating func receiveSTUN(
        _ bytes: Span<UInt8>, from path: TransportPath, now: Instant, into output: inout OutputDatagrams
    ) -> STUNOutcome {
        guard state == .connecting || state == .connected else { return STUNOutcome(rejection: .closed) }
        return ice.receive(bytes, from: path, now: now, tag: probeTag, into: &output)
    }

    /// Takes a DTLS datagram, and answers it on the path on which it came.
    ///
    /// When it returns `.connected`, keys are in place and the last flight waits in `output`: media that the peer
    /// sends on receiving it is never too early.
    public mutating func receiveDTLS(
        _ bytes: Span<UInt8>, from path: TransportPath, now: Instant, engine: borrowing SealingEngine,
        into output: inout OutputDatagrams
    ) -> DTLSOutcome {
        guard state == .connecting || state == .connected, ice.isValidated(path) else { return .ignored }
        switch dtls.receive(bytes, from: path, now: now, into: &output) {
        case .nothing: return state == .connecting ? .handshaking : .nothing
        case .connected:
            let outcome = install(engine)
            if outcome == .connected { ice.connected(on: path) }
            return outcome
        case .failed(let failure): return end(failure)
        case .closed:
            finish(.closed)
            return .closed
        }
    }

    /// Does what is due at `nextTimeout`; nothing when called early.
    public mutating func handleTimeout(
        now: Instant, into output: inout OutputDatagrams
    ) -> TransportTimeout {
        guard state == .connecting || state == .connected else { return .nothing }
        guard now < ice.consentDeadline else {
            if state == .connected { ice.withdraw() } else { finish(.closed) }
            return .consentExpired
        }
        guard state == .connecting else { return .nothing }
        guard now < connectDeadline else {
            finish(.failed)
            return .failed(.timedOut)
        }
        guard let path = ice.selectedPath,
            case .failed(let failure) = dtls.handleTimeout(to: path, now: now, into: &output)
        else { return .nothing }
        finish(.failed)
        return .failed(failure)
    }

    /// Lets the peer change to new ICE credentials; the old ones stay good until its first check with the new ones.
    ///
    /// Path, keys and media go on meanwhile.
    /// - Returns: the ufrag of an earlier restart that the peer never used, and that is void now.
    /// - Throws: `cryptographyFailed`; nothing has changed then.
    public mutating func restart(
        _ credentials: ICECredentials, remote: RemoteICECredentials? = nil
    ) throws(TransportError) -> ICEUfrag? {
        try ice.restart(credentials, remote: remote)
    }

    /// Forgets a path, such as a TCP connection that ended. Returns whether `selectedPath` changed.
    public mutating func removePath(_ path: TransportPath) -> Bool {
        ice.remove(path)
    }

    /// Says goodbye by close_notify if connected, and ends the transport.
    public mutating func close(now: Instant, into output: inout OutputDatagrams) {
        if state == .connected, let path = ice.selectedPath {
            dtls.close(to: path, now: now, into: &output)
        }
        if state == .connecting || state == .connected { finish(.closed) }
    }

    /// Notes that authentic media came on `path`.
    mutating func heard(from path: TransportPath, now: Instant) {
        _ = ice.heard(from: path, now: now)
    }

    /// Notes that authentic media of `count` bytes came on `path`, validated or not.
    mutating func heardUnproven(
        _ count: Int, from path: TransportPath, now: Instant, into output: inout OutputDatagrams
    ) {
        guard ice.heard(from: path, now: now) == nil else { return }
        ice.askForProof(count, from: path, now: now, tag: probeTag, into: &output)
    }

    private mutating func install(_ engine: borrowing SealingEngine) -> DTLSOutcome {
        do {
            keys = try PeerKeys(
                dtls.exportKeys(), role: .passive, limits: receiverLimits, sealerStreams: sealerStreams,
                engine: engine)
            state = .connected
            return .connected
        } catch {
            return end(.cryptography)
        }
    }

    private mutating func end(_ failure: DTLSFailure) -> DTLSOutcome {
        finish(.failed)
        return .failed(failure)
    }

    private mutating func finish(_ last: State) {
        state = last
        keys = nil
    }
}
