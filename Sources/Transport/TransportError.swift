/// What can go wrong in making a transport, and with a media packet on it.
public enum TransportError: Error, Hashable, Sendable {
    /// OpenSSL refused something that doesn't depend on a peer: out of memory, or no randomness.
    case cryptographyFailed
    /// Media before the DTLS handshake is through, or after the transport failed or closed.
    case noKeys
    /// Media from an address that ICE hasn't validated.
    case unknownPath
    /// SRTP refused the packet.
    case srtp(SRTPError)
}
