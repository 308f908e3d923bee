/// An m-section: the `m=` line and what belongs to it.
public struct MediaDescription: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case audio
        case video
        case application
        case other(String)
    }

    public var kind: Kind
    /// 0: rejected, or bundle-only.
    public var port: UInt16
    /// "UDP/TLS/RTP/SAVPF" and the like.
    public var proto: String
    /// The RTP formats in the order of the m-line, each payload type once. Empty where `otherFormats` isn't.
    public var formats: [MediaFormat]
    /// What the m-line lists when it isn't RTP: "webrtc-datachannel".
    public var otherFormats: [String]
    /// `b=TIAS` (RFC 3890).
    public var maxBitrate: Bitrate?
    public var mid: String?
    public var direction: MediaDirection
    public var transport: TransportAttributes
    /// `a=bundle-only` (RFC 9143 section 6): port 0 doesn't mean rejected.
    public var isBundleOnly: Bool
    public var hasRTCPMux: Bool
    public var hasReducedSizeRTCP: Bool
    public var allowsMixedExtensions: Bool
    public var extensions: [ExtensionMapping]
    /// `a=rtcp-fb:*`: feedback for every format of the m-line.
    public var wildcardFeedback: [RTCPFeedback]
    /// `a=msid` lines: one for each stream that the track is in.
    public var msids: [MSID]
    /// One for each SSRC that an `a=ssrc` line names, in order of appearance.
    public var sources: [SourceAttributes]
    public var sourceGroups: [SourceGroup]
    public var rids: [RIDDescription]
    public var simulcast: Simulcast?
    public var candidates: [ICECandidate]
    public var hasEndOfCandidates: Bool
    /// Where the `m=` line stood.
    public var line: SourceLine

    public init(kind: Kind, port: UInt16 = 9, proto: String = "UDP/TLS/RTP/SAVPF", mid: String? = nil) {
        self.kind = kind
        self.port = port
        self.proto = proto
        self.formats = []
        self.otherFormats = []
        self.maxBitrate = nil
        self.mid = mid
        self.direction = .sendrecv
        self.transport = TransportAttributes()
        self.isBundleOnly = false
        self.hasRTCPMux = false
        self.hasReducedSizeRTCP = false
        self.allowsMixedExtensions = false
        self.extensions = []
        self.wildcardFeedback = []
        self.msids = []
        self.sources = []
        self.sourceGroups = []
        self.rids = []
        self.simulcast = nil
        self.candidates = []
        self.hasEndOfCandidates = false
        self.line = SourceLine()
    }

    /// Port 0 without `a=bundle-only`: the m-line is refused or has been stopped.
    public var isRejected: Bool { port == 0 && !isBundleOnly }

    /// The format with this payload type, or nil.
    public func format(_ payloadType: PayloadType) -> MediaFormat? {
        formats.first { $0.payloadType == payloadType }
    }
}

extension MediaDescription.Kind {
    /// The word in the `m=` line.
    public var name: String {
        switch self {
        case .audio: "audio"
        case .video: "video"
        case .application: "application"
        case .other(let name): name
        }
    }

    init(name: String) {
        switch name {
        case "audio": self = .audio
        case "video": self = .video
        case "application": self = .application
        default: self = .other(name)
        }
    }
}

/// Who sends in an m-section, from the point of view of whoever wrote the description (RFC 8866 section 6.7).
public enum MediaDirection: String, Hashable, Sendable {
    case sendrecv
    case sendonly
    case recvonly
    case inactive

    /// The same direction seen from the other end.
    public var reversed: MediaDirection {
        switch self {
        case .sendonly: .recvonly
        case .recvonly: .sendonly
        case .sendrecv, .inactive: self
        }
    }
}

/// The attributes of the transport under an m-section: ICE (RFC 8839) and DTLS (RFC 8842).
public struct TransportAttributes: Hashable, Sendable {
    /// 4 to 256 characters.
    public var iceUfrag: String?
    /// 22 to 256 characters.
    public var icePwd: String?
    /// "trickle", "renomination", "ice2", …
    public var iceOptions: [String]
    public var fingerprints: [Fingerprint]
    public var setup: DTLSSetup?
    public var fingerprintLine: SourceLine
    public var setupLine: SourceLine

    public init() {
        iceUfrag = nil
        icePwd = nil
        iceOptions = []
        fingerprints = []
        setup = nil
        fingerprintLine = SourceLine()
        setupLine = SourceLine()
    }
}
