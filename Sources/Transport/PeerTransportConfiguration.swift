/// What a transport is made from.
public struct PeerTransportConfiguration {
    /// What the peer was told in the answer.
    public var credentials: ICECredentials
    /// What the peer told in the offer; without it, a changed address counts only from the peer's own next check on.
    public var remote: RemoteICECredentials?
    /// What the peer's SDP announced; its certificate must match one. With none no handshake succeeds.
    public var fingerprints: [CertificateFingerprint]
    /// The certificate and suites; shared by the transports of one thread.
    public var context: DTLSContext
    /// How many SSRCs the peer may send, and how far behind a packet may be.
    public var receiverLimits: SRTPReceiver.Limits
    /// How many SSRCs can be sent to the peer at once, 1 to 256.
    public var sealerStreams: Int

    public init(
        credentials: ICECredentials, remote: RemoteICECredentials? = nil,
        fingerprints: [CertificateFingerprint], context: DTLSContext,
        receiverLimits: SRTPReceiver.Limits = SRTPReceiver.Limits(), sealerStreams: Int = 64
    ) {
        self.credentials = credentials
        self.remote = remote
        self.fingerprints = fingerprints
        self.context = context
        self.receiverLimits = receiverLimits
        self.sealerStreams = sealerStreams
    }
}
