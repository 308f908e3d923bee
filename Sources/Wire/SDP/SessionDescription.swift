/// A session description (RFC 8866) as WebRTC uses it (RFC 8829): an offer or an answer.
///
/// What Rostrum has no use for isn't kept, so `write()` of a parsed text is canonical, not a copy. Equality is about
/// what is said, not about where the lines stood.
public struct SessionDescription: Hashable, Sendable {
    /// Longest text that is read, in bytes of UTF-8.
    public static var maximumBytes: Int { 200_000 }
    public static var maximumLines: Int { 10_000 }
    public static var maximumMedia: Int { 256 }
    /// Most fingerprints at session level, and in one m-section.
    public static var maximumFingerprints: Int { 64 }

    /// Most `a=extmap` lines at session level.
    static var maximumSessionExtensions: Int { 32 }

    public var origin: Origin
    /// The `s=` line.
    public var name: String
    /// `a=group` lines in order; BUNDLE (RFC 9143) is the one with that semantics.
    public var groups: [Group]
    /// `a=ice-lite` (RFC 8839 section 5.3).
    public var isICELite: Bool
    /// `a=extmap-allow-mixed` at session level (RFC 8285 section 6).
    public var allowsMixedExtensions: Bool
    /// The stream identifiers of `a=msid-semantic: WMS …`; nil without such a line.
    public var streams: [String]?
    /// ICE and DTLS attributes that hold for every m-section without its own.
    public var transport: TransportAttributes
    /// `a=extmap` lines that hold for every m-section.
    public var extensions: [ExtensionMapping]
    public var media: [MediaDescription]
    /// Where `a=ice-lite` stood.
    public var iceLiteLine: SourceLine

    public init(origin: Origin, name: String = "-", media: [MediaDescription] = []) {
        self.origin = origin
        self.name = name
        self.groups = []
        self.isICELite = false
        self.allowsMixedExtensions = false
        self.streams = nil
        self.transport = TransportAttributes()
        self.extensions = []
        self.media = media
        self.iceLiteLine = SourceLine()
    }

    /// The mids of the first BUNDLE group; nil if there is none.
    public var bundle: [String]? {
        groups.first { $0.semantics == "BUNDLE" }?.mids
    }

    /// The ICE and DTLS attributes that hold for an m-section: its own where it has them, else the session's.
    public func effectiveTransport(of media: MediaDescription) -> TransportAttributes {
        var result = media.transport
        if result.iceUfrag == nil { result.iceUfrag = transport.iceUfrag }
        if result.icePwd == nil { result.icePwd = transport.icePwd }
        if result.iceOptions.isEmpty { result.iceOptions = transport.iceOptions }
        if result.fingerprints.isEmpty {
            result.fingerprints = transport.fingerprints
            result.fingerprintLine = transport.fingerprintLine
        }
        if result.setup == nil {
            result.setup = transport.setup
            result.setupLine = transport.setupLine
        }
        return result
    }

    /// The `o=` line (RFC 8866 section 5.2).
    public struct Origin: Hashable, Sendable {
        public var username: String
        public var sessionID: UInt64
        /// Goes up by one with each description that differs from the one before.
        public var version: UInt64
        /// "IP4" or "IP6".
        public var addressType: String
        public var address: String

        public init(
            username: String = "-", sessionID: UInt64, version: UInt64, addressType: String = "IP4",
            address: String = "127.0.0.1"
        ) {
            self.username = username
            self.sessionID = sessionID
            self.version = version
            self.addressType = addressType
            self.address = address
        }
    }

    /// An `a=group` line (RFC 5888).
    public struct Group: Hashable, Sendable {
        /// "BUNDLE", "LS", …
        public var semantics: String
        public var mids: [String]

        public init(semantics: String, mids: [String]) {
            self.semantics = semantics
            self.mids = mids
        }
    }
}

/// The number of the line a value came from, counted from 1; 0 for a value that wasn't parsed.
///
/// All of them are equal: where a line stood is no part of what it says.
public struct SourceLine: Hashable, Sendable {
    public var number: Int

    public init(_ number: Int = 0) {
        self.number = number
    }

    public static func == (_: SourceLine, _: SourceLine) -> Bool { true }

    public func hash(into hasher: inout Hasher) {}
}
