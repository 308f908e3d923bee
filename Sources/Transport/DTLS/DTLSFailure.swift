/// Why DTLS ended without a goodbye.
public enum DTLSFailure: Sendable, CaseIterable {
    /// The client's certificate is none of those that the SDP announced: somebody else is there.
    case fingerprintMismatch
    /// No `use_srtp` extension, or no suite in it that this server has.
    case noCommonSuite
    /// No version or cipher in common, a message out of order, an alert of the client's.
    case handshake
    /// The client fell silent in mid-handshake.
    case timedOut
    /// A fatal alert of the client's, or a broken record, after the handshake.
    case alert
    /// OpenSSL or libsrtp2 refused keys that were agreed on.
    case cryptography
}
