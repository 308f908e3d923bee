/// What became of a DTLS datagram.
public enum DTLSOutcome: Sendable, Equatable {
    /// From a path that ICE hasn't validated, or after the end: not looked at.
    case ignored
    /// The handshake goes on.
    case handshaking
    /// The peer is who its SDP says, and the SRTP keys are in place. Happens once.
    case connected
    /// Looked at, after the handshake, without consequence.
    case nothing
    /// The transport has failed. Happens once.
    case failed(DTLSFailure)
    /// The peer said goodbye. Happens once.
    case closed
}

/// What became of a timeout.
public enum TransportTimeout: Sendable, Equatable {
    case nothing
    /// No check for 30 s: the peer is gone, asleep, or wants nothing more (RFC 7675). Nothing is sent to it until it passes a
    /// check again; keys and streams wait for that. A transport that hasn't any has closed.
    case consentExpired
    case failed(DTLSFailure)
}
