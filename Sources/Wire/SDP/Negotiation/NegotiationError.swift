/// Why an offer that is a well-formed description can't be answered, and in which of its lines.
public enum NegotiationError: Error, Hashable, Sendable {
    /// The m-line in this line offers no codec that the server forwards.
    case codecUnsupported(mid: String, line: Int)
    case invalidOffer(line: Int, reason: Reason)

    public enum Reason: Hashable, Sendable {
        /// The offerer is ICE-lite, as the server is: nobody would check.
        case iceLiteOffer
        /// No m-line is left to be accepted.
        case nothingAccepted
        case missingMID
        /// The m-line isn't in the BUNDLE group.
        case notBundled
        case missingRTCPMux
        /// The m-line's protocol isn't RTP/SAVPF over DTLS.
        case unsupportedProtocol
        case missingICECredentials
        case missingFingerprint
        /// No fingerprint by SHA-256, SHA-384 or SHA-512.
        case weakFingerprint
        /// Other fingerprints than in the offer before: they would need another DTLS association (RFC 8842 section 4).
        case changedFingerprint
        /// The offerer wants to be the DTLS server, or holds the connection.
        case wrongSetup
        /// Fewer m-lines than in the offer before.
        case removedMedia
        /// An m-line's kind or mid differs from the offer before.
        case changedMedia
        /// A new m-line has the mid of one before.
        case reusedMID
        /// Two m-lines declare the same SSRC.
        case duplicateSSRC
    }

    /// The line of the offer, counted from 1.
    public var line: Int {
        switch self {
        case .codecUnsupported(_, let line), .invalidOffer(let line, _): line
        }
    }
}

extension NegotiationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .codecUnsupported(let mid, let line): "line \(line): no codec of m-line \(mid) is supported"
        case .invalidOffer(let line, let reason): "line \(line): \(reason.text)"
        }
    }
}

extension NegotiationError.Reason {
    /// The reason in words, for the person who wrote the offer.
    public var text: String {
        switch self {
        case .iceLiteOffer: "both ends would be ICE-lite"
        case .nothingAccepted: "no m-line can be accepted"
        case .missingMID: "the m-line has no a=mid"
        case .notBundled: "the m-line is not in the BUNDLE group"
        case .missingRTCPMux: "the m-line has no a=rtcp-mux"
        case .unsupportedProtocol: "the m-line's protocol is not UDP/TLS/RTP/SAVPF"
        case .missingICECredentials: "no a=ice-ufrag and a=ice-pwd for the m-line"
        case .missingFingerprint: "no a=fingerprint for the m-line"
        case .weakFingerprint: "a fingerprint must be by sha-256, sha-384 or sha-512"
        case .changedFingerprint:
            "the fingerprint differs from the offer before: another certificate needs a new peer connection"
        case .wrongSetup: "a=setup must be actpass or active"
        case .removedMedia: "m-lines of the offer before are missing"
        case .changedMedia: "the m-line's kind or mid differs from the offer before"
        case .reusedMID: "the mid belonged to another m-line"
        case .duplicateSSRC: "an SSRC of this m-line is another m-line's"
        }
    }
}
