/// What an offer and its answer agree on.
public struct NegotiatedSession: Hashable, Sendable {
    public var answer: SessionDescription
    /// One for each m-line of the offer, in its order.
    public var media: [NegotiatedMedia]
    /// The offerer's ICE credentials.
    public var remoteUfrag: String
    public var remotePwd: String
    /// By SHA-256 or stronger; at least one. The certificate must match one of them (RFC 8122 section 5).
    public var remoteFingerprints: [Fingerprint]
    /// Whether the offer's ICE credentials differ from those of the negotiation before.
    public var isICERestart: Bool

    /// The mids of the m-lines that aren't rejected, in m-line order.
    public var mids: [String] { media.filter { $0.role != .rejected }.map(\.mid) }
}

/// What is agreed on for one m-line.
public struct NegotiatedMedia: Hashable, Sendable {
    public enum Role: Hashable, Sendable {
        /// The participant sends.
        case publication(OfferedPublication)
        /// The server sends.
        case seat(AnsweredSeat)
        /// Nobody sends; the m-line may be used later.
        case inactive
        /// Port 0.
        case rejected
    }

    /// The place in the offer, from 0.
    public var index: Int
    /// 1 to 16 characters; empty only if rejected.
    public var mid: String
    public var kind: MediaDescription.Kind
    public var role: Role
    /// In the order of the answer. Empty if rejected.
    public var formats: [NegotiatedFormat]
    public var extensions: [NegotiatedExtension]
    /// Publication: the limit given to the participant. Seat: the participant's limit for what it receives.
    public var maxBitrate: Bitrate?
    /// The seat that this m-line is or has been: it is the same again when the m-line stops being inactive.
    public var heldSeat: AnsweredSeat?

    /// The extensions as the table that packets are read and written with.
    public var extensionMap: HeaderExtensionMap {
        var map = HeaderExtensionMap()
        for mapping in extensions { _ = map.map(mapping.kind, to: mapping.id) }
        return map
    }

    /// Takes out all that makes the participant report what its link carries.
    mutating func dropLinkReports() {
        extensions.removeAll { $0.kind == .transportCC }
        for number in formats.indices { formats[number].feedback.subtract([.remb, .transportCC]) }
    }
}

/// What a participant says about the media it sends on an m-line.
public struct OfferedPublication: Hashable, Sendable {
    /// A primary stream and its retransmissions.
    public struct Stream: Hashable, Sendable {
        public var ssrc: SSRC
        public var rtxSSRC: SSRC?

        public init(ssrc: SSRC, rtxSSRC: SSRC? = nil) {
            self.ssrc = ssrc
            self.rtxSSRC = rtxSSRC
        }
    }

    /// The stream and track names of the first `a=msid` (or `a=ssrc … msid`) line.
    public var msid: MSID?
    /// The SSRCs declared: none where the offer has only RIDs (Chromium's simulcast), both from Firefox. At most `LocalParameters.maxEncodings`.
    public var streams: [Stream]
    /// The RIDs answered, in the offer's order; empty without RIDs.
    public var rids: [String]
    /// Whether the RIDs are answered as simulcast (RFC 8853).
    public var isSimulcast: Bool
}

/// A place where the participant receives somebody.
public struct AnsweredSeat: Hashable, Sendable {
    /// k, from 0, counted for audio and video apart. The audio and the video seat of a number share a stream.
    public var number: Int
    public var ssrc: SSRC
    /// For video with retransmissions.
    public var rtxSSRC: SSRC?
    /// "seat-k".
    public var stream: String
    /// "seat-k-audio" or "seat-k-video".
    public var track: String
}

/// A codec under its payload type on one m-line.
public struct NegotiatedFormat: Hashable, Sendable {
    public var codec: CodecFormat
    public var payloadType: PayloadType
    /// The payload type of its retransmissions (RFC 4588).
    public var rtxPayloadType: PayloadType?
    /// In Hz.
    public var clockRate: UInt32
    public var channels: UInt8
    public var feedback: FeedbackOptions
}

/// The RTCP feedback agreed on for a format.
public struct FeedbackOptions: OptionSet, Hashable, Sendable {
    public var rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Generic NACK (RFC 4585 section 6.2.1).
    public static let nack = FeedbackOptions(rawValue: 1)
    /// Picture loss indication (RFC 4585 section 6.3.1).
    public static let pli = FeedbackOptions(rawValue: 2)
    /// Full intra request (RFC 5104 section 4.3.1).
    public static let fir = FeedbackOptions(rawValue: 4)
    /// Receiver estimated maximum bitrate (draft-alvestrand-rmcat-remb).
    public static let remb = FeedbackOptions(rawValue: 8)
    /// Transport-wide congestion control (draft-holmer-rmcat-transport-wide-cc-extensions).
    public static let transportCC = FeedbackOptions(rawValue: 16)
}

/// A header extension under its id on one m-line.
public struct NegotiatedExtension: Hashable, Sendable {
    /// 1 to 14; 16 to `HeaderExtensionMap.largestID` too where both forms may be mixed.
    public var id: UInt8
    public var kind: HeaderExtensionKind

    public init(id: UInt8, kind: HeaderExtensionKind) {
        self.id = id
        self.kind = kind
    }
}
