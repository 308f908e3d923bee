import Wire

/// One set of credentials, ready for the checks of both directions.
struct ICEKey {
    let ufrag: ICEUfrag
    private let signer: STUNSigner
    /// The peer's credentials that go with these; nil if they aren't known, and the peer can't be asked for anything.
    let remote: RemoteICEKey?

    init(_ credentials: ICECredentials, remote: RemoteICECredentials? = nil) throws(TransportError) {
        ufrag = credentials.ufrag
        signer = try STUNSigner(password: credentials.password)
        self.remote = try RemoteICEKey(remote, for: credentials.ufrag)
    }

    /// See `STUNSigner.verifies`.
    func verifies(_ bytes: Span<UInt8>, _ integrity: STUNIntegrity) -> Bool {
        signer.verifies(bytes, integrity)
    }

    /// See `STUNSigner.sign`.
    func sign(_ bytes: inout MutableSpan<UInt8>, _ integrity: STUNIntegrity) -> Bool {
        signer.sign(&bytes, integrity)
    }
}

/// What checks of the server's are made with.
struct RemoteICEKey {
    /// Of the peer, a colon, the server's own (RFC 8445 section 7.2.2).
    let username: [UInt8]
    let signer: STUNSigner

    init?(_ credentials: RemoteICECredentials?, for ufrag: ICEUfrag) throws(TransportError) {
        guard let credentials else { return nil }
        username = Array("\(credentials.ufrag):\(ufrag.text)".utf8)
        signer = try STUNSigner(password: credentials.password)
    }

    /// Bytes of a check: header, USERNAME, PRIORITY, ICE-CONTROLLED, MESSAGE-INTEGRITY, FINGERPRINT.
    var checkSize: Int {
        STUNHeader.size + 4 + (username.count + 3) & ~3 + 8 + 12 + STUNIntegrity.size + 8
    }
}
