public import FixedCollections
public import Wire

/// What a client's transport is made from.
public struct ClientTransportConfiguration {
    /// Where the server is.
    public var server: SocketAddress
    /// What the client's offer says.
    public var local: RemoteICECredentials
    /// What the server's answer says.
    public var remote: RemoteICECredentials
    /// What the server's answer announces; its certificate must match one.
    public var fingerprints: [CertificateFingerprint]
    /// The certificate and suites, in the active role.
    public var context: DTLSContext
    /// How many SSRCs the server may send, and how far behind a packet may be.
    public var receiverLimits = SRTPReceiver.Limits()
    /// How many SSRCs can be sent at once, 1 to 256.
    public var sealerStreams = 8

    public init(
        server: SocketAddress, local: RemoteICECredentials, remote: RemoteICECredentials,
        fingerprints: [CertificateFingerprint], context: DTLSContext
    ) {
        self.server = server
        self.local = local
        self.remote = remote
        self.fingerprints = fingerprints
        self.context = context
    }
}

/// The client's end of a connection to a server: ICE in the controlling role, DTLS in the active one, and the SRTP keys.
///
/// The counterpart of `PeerTransport`, for tools and tests: no I/O, no clock but OpenSSL's own; datagrams and the time go
/// in, datagrams come out in an `OutputDatagrams`. Belongs to one thread.
public struct ClientTransport: ~Copyable {
    public enum State: Sendable, Equatable {
        /// No check was answered yet.
        case checking
        /// No keys yet.
        case handshaking
        /// Media can flow.
        case connected
        case failed
        case closed
    }

    /// A transport that isn't connected this long after it was made has failed.
    public static var connectLifetime: Duration { .seconds(30) }

    public private(set) var state = State.checking
    private var ice: ICEClient
    private var dtls: DTLSConnection
    private let path: TransportPath
    private let limits: SRTPReceiver.Limits
    private let sealerStreams: Int
    private let connectDeadline: Instant
    /// There while `state` is `connected`.
    var keys: PeerKeys?
    /// There too if the suite is an AEAD one.
    var opener: ClientOpener?

    /// - Throws: `cryptographyFailed`.
    public init(configuration: ClientTransportConfiguration, now: Instant) throws(TransportError) {
        precondition(configuration.context.role == .active, "a client is the active side of DTLS")
        let path = TransportPath.udp(configuration.server)
        let ice = try ICEClient(
            local: configuration.local, remote: configuration.remote, path: path, now: now)
        dtls = try DTLSConnection(context: configuration.context, fingerprints: configuration.fingerprints)
        self.path = path
        self.ice = ice
        limits = configuration.receiverLimits
        sealerStreams = configuration.sealerStreams
        connectDeadline = now + Self.connectLifetime
    }

    /// The time between the last check and its answer; nil before the first.
    public var roundTrip: Duration? { ice.roundTrip }

    /// The suite agreed on; nil unless connected.
    public var suite: SRTPSuite? {
        switch keys {
        case .some(let keys): keys.receiver.suite
        case .none: nil
        }
    }

    /// When `handleTimeout` is due.
    public var nextTimeout: Instant {
        switch state {
        case .checking: min(ice.nextCheck, connectDeadline)
        case .handshaking: min(ice.nextCheck, dtls.deadline, connectDeadline)
        case .connected: min(ice.nextCheck, ice.consentDeadline)
        case .failed, .closed: .distantFuture
        }
    }

    /// Takes a STUN message of the server's; starts DTLS when the first check was answered.
    public mutating func receiveSTUN(
        _ bytes: Span<UInt8>, now: Instant, into output: inout OutputDatagrams
    ) {
        guard state != .failed, state != .closed, ice.receive(bytes, now: now, into: &output) else { return }
        state = .handshaking
        _ = dtls.start(to: path, now: now, into: &output)
    }

    /// Takes a DTLS datagram of the server's. Media can flow from when `state` is `connected`.
    public mutating func receiveDTLS(
        _ bytes: Span<UInt8>, now: Instant, engine: borrowing SealingEngine,
        into output: inout OutputDatagrams
    ) {
        guard state == .handshaking || state == .connected else { return }
        switch dtls.receive(bytes, from: path, now: now, into: &output) {
        case .nothing: break
        case .connected: install(engine)
        case .failed: finish(.failed)
        case .closed: finish(.closed)
        }
    }

    /// Does what is due at `nextTimeout`; nothing when called early.
    public mutating func handleTimeout(now: Instant, into output: inout OutputDatagrams) {
        switch state {
        case .failed, .closed: return
        case .connected:
            guard now < ice.consentDeadline else { return finish(.closed) }
        case .checking, .handshaking:
            guard now < connectDeadline else { return finish(.failed) }
        }
        ice.handleTimeout(now: now, into: &output)
        guard state == .handshaking,
            case .failed = dtls.handleTimeout(to: path, now: now, into: &output)
        else { return }
        finish(.failed)
    }

    /// Checks at once, and hastily until that was answered: the client has another address than before.
    public mutating func checkNow(_ now: Instant) {
        ice.checkNow(now)
    }

    /// Says goodbye by close_notify if connected, and ends the transport.
    public mutating func close(now: Instant, into output: inout OutputDatagrams) {
        if state == .connected { dtls.close(to: path, now: now, into: &output) }
        if state != .failed { finish(.closed) }
    }

    private mutating func install(_ engine: borrowing SealingEngine) {
        do {
            keys = try PeerKeys(
                dtls.exportKeys(), role: .active, limits: limits, sealerStreams: sealerStreams, engine: engine
            )
            state = .connected
        } catch {
            finish(.failed)
        }
    }

    private mutating func finish(_ last: State) {
        state = last
        keys = nil
        opener = nil
    }
}

/// Media in both directions; without keys nothing goes in or out.
extension ClientTransport {
    /// Opens the SRTP packet in the first `length` bytes of `packet` in place; returns the RTP packet's length.
    ///
    /// With an AEAD suite a packet that comes twice is opened twice; with the other one it throws `srtp(.replayed)`.
    /// - Throws: `noKeys`, or `srtp`, after which the bytes are undefined.
    public mutating func openRTP(
        _ packet: inout MutableSpan<UInt8>, length: Int
    ) throws(TransportError) -> Int {
        do throws(SRTPError) {
            if let opened = try opener?.open(&packet, length: length) { return opened }
        } catch {
            throw .srtp(error)
        }
        return try keys.use { keys throws(SRTPError) in try keys.receiver.openRTP(&packet, length: length) }
    }

    /// Opens the SRTCP packet in the first `length` bytes of `packet` in place; returns the compound packet's length.
    ///
    /// - Throws: `noKeys`, or `srtp`, after which the bytes are undefined.
    public mutating func openRTCP(
        _ packet: inout MutableSpan<UInt8>, length: Int
    ) throws(TransportError) -> Int {
        try keys.use { keys throws(SRTPError) in try keys.receiver.openRTCP(&packet, length: length) }
    }

    /// Readies an SSRC for sending; see `Sealer.registerStream`.
    ///
    /// - Throws: `noKeys`, `srtp(.tooManyStreams)`.
    public mutating func registerStream(_ ssrc: SSRC) throws(TransportError) -> SealerStream {
        try keys.use { keys throws(SRTPError) in try keys.sealer.registerStream(ssrc) }
    }

    /// Seals one packet, which is ready on return; see `Sealer.sealRTP`. Returns its length.
    ///
    /// - Throws: `noKeys`, `srtp`.
    public mutating func sealRTP(
        _ packet: PacketToSeal, payload: Span<UInt8>, into output: inout MutableSpan<UInt8>,
        engine: inout SealingEngine
    ) throws(TransportError) -> Int {
        try keys.use { keys throws(SRTPError) in
            try keys.sealer.sealRTP(packet, payload: payload, into: &output, engine: &engine)
        }
    }

    /// Seals the compound RTCP packet in the first `length` bytes of `packet` in place; returns the new length.
    ///
    /// - Throws: `noKeys`, `srtp`.
    public mutating func sealRTCP(
        _ packet: inout MutableSpan<UInt8>, length: Int
    ) throws(TransportError) -> Int {
        try keys.use { keys throws(SRTPError) in try keys.sealer.sealRTCP(&packet, length: length) }
    }
}
