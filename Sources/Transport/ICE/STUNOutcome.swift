/// What became of a STUN message.
public struct STUNOutcome: Sendable, Equatable {
    /// Why it was not accepted; nil if it was.
    public var rejection: STUNRejection?
    /// The path wasn't validated before: from now on DTLS and media from it belong to this transport.
    public var isNewPath = false
    /// The path that lost its place to the new one: what comes from it is a stranger's again.
    public var evictedPath: TransportPath?
    /// `selectedPath` is another one than before.
    public var selectedPathChanged = false
    /// The ufrag that a restart put out of use: take it out of the table.
    public var retiredUfrag: ICEUfrag?

    init(rejection: STUNRejection? = nil) {
        self.rejection = rejection
    }
}

/// Why a STUN message was not accepted, for counters. Only the last two get an answer.
public enum STUNRejection: Sendable, CaseIterable {
    /// Not a well-formed binding request with USERNAME, MESSAGE-INTEGRITY and a right FINGERPRINT.
    case malformed
    /// An indication, or another method.
    case unexpectedType
    /// An answer that isn't awaited from this path, or an error.
    case unsolicited
    /// Shorter than its answer would be.
    case tooShort
    /// Not for this transport, or for credentials that a restart put out of use.
    case unknownUfrag
    /// The sender doesn't know the password.
    case badIntegrity
    /// The transport has failed or was closed.
    case closed
    /// Answered with 420: it must be understood, and isn't.
    case unknownAttributes
    /// Answered with 487: the peer takes itself for the controlled side, which a lite agent always is.
    case roleConflict
}
