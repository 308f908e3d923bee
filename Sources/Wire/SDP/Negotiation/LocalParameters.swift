/// What the server brings to a negotiation.
public struct LocalParameters: Sendable {
    /// The server's ICE credentials for this participant: new ones if `Negotiation.isICERestart`, else those of
    /// the answer before.
    public var iceUfrag: String
    public var icePwd: String
    /// SHA-256 of the server's certificate, 32 bytes.
    public var fingerprint: [UInt8]
    /// Host candidates, UDP and TCP passive, with their priorities.
    public var candidates: [ICECandidate]
    /// The codecs that may be used, the best for the server first.
    public var codecs: [Codec]
    /// The canonical name (RFC 3550 section 6.5.1) of all that is sent in seats.
    public var cname: String
    public var audioExtensions: Set<HeaderExtensionKind>
    public var videoExtensions: Set<HeaderExtensionKind>
    /// Most that a participant may send for one video m-line, answered as `b=TIAS`; nil: no line.
    public var maxVideoBitrate: Bitrate?
    /// Seats beyond these are refused with port 0.
    public var maxAudioSeats: Int
    public var maxVideoSeats: Int
    /// Simulcast encodings of one m-line beyond this number are not asked for.
    public var maxEncodings: Int
    /// Whether viewers are asked what their links carry: else transport-cc and REMB aren't answered for seats, and
    /// they send no feedback that nobody reads.
    public var asksForLinkReports: Bool

    public init(
        iceUfrag: String, icePwd: String, fingerprint: [UInt8], candidates: [ICECandidate], cname: String
    ) {
        self.iceUfrag = iceUfrag
        self.icePwd = icePwd
        self.fingerprint = fingerprint
        self.candidates = candidates
        self.cname = cname
        self.codecs = [.opus, .red, .vp8, .vp9, .h264, .av1]
        self.audioExtensions = LocalParameters.audioExtensionsOfBrowsers
        self.videoExtensions = LocalParameters.videoExtensionsOfBrowsers
        self.maxVideoBitrate = nil
        self.maxAudioSeats = 50
        self.maxVideoSeats = 25
        self.maxEncodings = 3
        self.asksForLinkReports = true
    }

    /// What is used, rewritten or passed through for audio.
    public static var audioExtensionsOfBrowsers: Set<HeaderExtensionKind> {
        [.mid, .rid, .repairedRID, .audioLevel, .transportCC, .absoluteSendTime, .absoluteCaptureTime]
    }

    /// What is used, rewritten or passed through for video.
    public static var videoExtensionsOfBrowsers: Set<HeaderExtensionKind> {
        [
            .mid, .rid, .repairedRID, .transportCC, .absoluteSendTime, .absoluteCaptureTime,
            .dependencyDescriptor, .videoOrientation, .playoutDelay, .videoLayersAllocation,
        ]
    }
}
