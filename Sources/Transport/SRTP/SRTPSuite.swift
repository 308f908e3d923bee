/// A protection profile that DTLS-SRTP can agree on (RFC 5764 section 4.1.2, RFC 7714 section 14.2).
public enum SRTPSuite: Hashable, Sendable, CaseIterable {
    case aes128GCM
    case aes256GCM
    case aes128CMSHA1

    /// The suite with this identifier in `use_srtp`, or nil if it isn't supported.
    public init?(profileID: UInt16) {
        switch profileID {
        case 0x0007: self = .aes128GCM
        case 0x0008: self = .aes256GCM
        case 0x0001: self = .aes128CMSHA1
        default: return nil
        }
    }

    /// The identifier in `use_srtp`.
    public var profileID: UInt16 {
        switch self {
        case .aes128GCM: 0x0007
        case .aes256GCM: 0x0008
        case .aes128CMSHA1: 0x0001
        }
    }

    /// The profile's name as OpenSSL spells it.
    public var profileName: String {
        switch self {
        case .aes128GCM: "SRTP_AEAD_AES_128_GCM"
        case .aes256GCM: "SRTP_AEAD_AES_256_GCM"
        case .aes128CMSHA1: "SRTP_AES128_CM_SHA1_80"
        }
    }

    /// All profile names, cheapest to seal first, joined by colons: the server's order wins.
    public static var preferredProfileNames: String {
        "SRTP_AEAD_AES_128_GCM:SRTP_AEAD_AES_256_GCM:SRTP_AES128_CM_SHA1_80"
    }

    /// Bytes of a master key, and of the session encryption key.
    public var keyLength: Int {
        self == .aes256GCM ? 32 : 16
    }

    /// Bytes of a master salt, and of the session salt.
    public var saltLength: Int {
        self == .aes128CMSHA1 ? 14 : 12
    }

    /// Bytes of the authentication tag of an RTP or RTCP packet.
    public var tagLength: Int {
        self == .aes128CMSHA1 ? 10 : 16
    }

    /// Whether one algorithm encrypts and authenticates (RFC 7714).
    public var isAEAD: Bool {
        self != .aes128CMSHA1
    }

    /// Bytes to export from DTLS: two keys and two salts.
    public var keyingMaterialLength: Int {
        2 * (keyLength + saltLength)
    }

    /// Bytes that sealing adds to an RTCP packet: tag, E flag and index.
    public var rtcpOverhead: Int {
        tagLength + 4
    }

    /// The exporter label of RFC 5764 section 4.2.
    public static var exporterLabel: String { "EXTRACTOR-dtls_srtp" }
}
