/// A certificate's fingerprint (RFC 8122 section 5).
public struct Fingerprint: Hashable, Sendable {
    /// The hash function in lower case: "sha-256".
    public var algorithm: String
    public var bytes: [UInt8]

    public init(algorithm: String, bytes: [UInt8]) {
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// The length of the hash in bytes; nil for one that isn't known.
    static func length(of algorithm: String) -> Int? {
        switch algorithm {
        case "md5": 16
        case "sha-1": 20
        case "sha-224": 28
        case "sha-256": 32
        case "sha-384": 48
        case "sha-512": 64
        default: nil
        }
    }
}

/// Who starts the DTLS handshake (RFC 8842 section 5).
public enum DTLSSetup: String, Hashable, Sendable {
    case actpass
    case active
    case passive
    case holdconn
}

/// An `a=extmap` line (RFC 8285 section 5).
public struct ExtensionMapping: Hashable, Sendable {
    /// 1 to 255, or 4096 to 4351 for a value to be chosen by the answerer.
    public var id: UInt16
    /// Nil: the direction of the m-section.
    public var direction: MediaDirection?
    public var uri: String

    public init(id: UInt16, direction: MediaDirection? = nil, uri: String) {
        self.id = id
        self.direction = direction
        self.uri = uri
    }
}

/// The stream and track that an m-section's media belongs to (RFC 8830).
public struct MSID: Hashable, Sendable {
    /// "-": in no stream.
    public var stream: String
    /// Empty where the line has only a stream.
    public var track: String

    public init(stream: String, track: String) {
        self.stream = stream
        self.track = track
    }

    public var text: String { track.isEmpty ? stream : "\(stream) \(track)" }
}

/// What the `a=ssrc` lines say about one SSRC (RFC 5576 section 4.1).
public struct SourceAttributes: Hashable, Sendable {
    public var ssrc: SSRC
    public var cname: String?
    public var msid: MSID?

    public init(ssrc: SSRC, cname: String? = nil, msid: MSID? = nil) {
        self.ssrc = ssrc
        self.cname = cname
        self.msid = msid
    }
}

/// An `a=ssrc-group` line (RFC 5576 section 4.2): "FID" pairs a stream with its retransmissions, "SIM" lists
/// the simulcast streams.
public struct SourceGroup: Hashable, Sendable {
    public var semantics: String
    public var ssrcs: [SSRC]

    public init(semantics: String, ssrcs: [SSRC]) {
        self.semantics = semantics
        self.ssrcs = ssrcs
    }
}

/// An `a=rid` line (RFC 8851).
public struct RIDDescription: Hashable, Sendable {
    public enum Direction: String, Hashable, Sendable {
        case send
        case recv
    }

    /// 1 to 16 letters, digits, '-' and '_'.
    public var id: String
    public var direction: Direction
    /// The payload types it is limited to; empty: all of the m-section.
    public var payloadTypes: [PayloadType]
    /// Restrictions other than `pt`: max-width, max-fps, …
    public var restrictions: FormatParameters

    public init(
        id: String, direction: Direction, payloadTypes: [PayloadType] = [],
        restrictions: FormatParameters = FormatParameters()
    ) {
        self.id = id
        self.direction = direction
        self.payloadTypes = payloadTypes
        self.restrictions = restrictions
    }
}

/// An `a=simulcast` line (RFC 8853): a list of streams, each a list of alternatives.
public struct Simulcast: Hashable, Sendable {
    public struct Alternative: Hashable, Sendable {
        public var rid: String
        /// Written as `~rid`.
        public var isPaused: Bool

        public init(rid: String, isPaused: Bool = false) {
            self.rid = rid
            self.isPaused = isPaused
        }
    }

    public var send: [[Alternative]]
    public var recv: [[Alternative]]

    public init(send: [[Alternative]] = [], recv: [[Alternative]] = []) {
        self.send = send
        self.recv = recv
    }
}

/// An `a=candidate` line (RFC 8839 section 5.1, RFC 6544 section 4.5 for TCP).
public struct ICECandidate: Hashable, Sendable {
    public enum Transport: String, Hashable, Sendable {
        case udp
        case tcp
    }

    public enum TCPType: String, Hashable, Sendable {
        case active
        case passive
        case so
    }

    public var foundation: String
    /// 1 for RTP and everything multiplexed with it.
    public var component: UInt16
    public var transport: Transport
    public var priority: UInt32
    /// An address, or a name such as mDNS's.
    public var address: String
    public var port: UInt16
    /// "host", "srflx", "prflx", "relay".
    public var type: String
    /// For TCP only.
    public var tcpType: TCPType?

    public init(
        foundation: String, component: UInt16 = 1, transport: Transport = .udp, priority: UInt32,
        address: String, port: UInt16, type: String = "host", tcpType: TCPType? = nil
    ) {
        self.foundation = foundation
        self.component = component
        self.transport = transport
        self.priority = priority
        self.address = address
        self.port = port
        self.type = type
        self.tcpType = tcpType
    }
}
