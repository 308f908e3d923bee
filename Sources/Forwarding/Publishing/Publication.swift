import FixedCollections
public import Wire

/// What a participant sends from one source: one encoding, or several of the same picture (simulcast).
struct Publication: ~Copyable {
    static var encodingLimit: Int { 4 }

    let peer: PeerID
    let source: Source
    let mid: ShortID
    let feedback: FeedbackOptions
    /// Publications of a router in the order in which they began.
    let order: UInt64
    var encodings = List<EncodingID>()
    /// Seats that were given to it.
    var seats = List<SeatID>()
    /// Off: nothing of it is forwarded (muted, paused, not shared).
    var isLive = true
    /// Workers that want its packets.
    var relays = RelayTargets()
    /// Encodings that its publisher was told to switch off, by their places from the lowest bit on.
    var toldOff: UInt8 = 0
    /// A mirror's: its packets were asked for.
    var isWanted = false
    /// A mirror's: whether they are wanted is to be looked at again.
    var isUnsettled = false
    /// Its place in the router's `SpeakerTracker`, if it is a microphone.
    var speaker = SpeakerID.none
    /// Whether it is heard, if it is a microphone.
    var voice = Voice()
    /// It is heard, and some viewer has no seat for it.
    var isUnseated = false
    /// See `SeatingOrder.stamp`.
    var mark: UInt64 = 0

    /// Whether what it sends goes to its seats; not so while its voice isn't heard.
    var isForwarded: Bool { speaker == .none || voice.isForwarded }

    init(_ setup: PublicationSetup, peer: PeerID, order: UInt64) {
        self.peer = peer
        self.order = order
        source = setup.source
        mid = setup.mid
        feedback = setup.feedback
        isLive = setup.isLive
    }
}

/// A publication as it was negotiated.
public struct PublicationSetup: Sendable {
    /// SSRCs that the offer names: the media stream and its retransmissions.
    public struct Stream: Sendable {
        public var ssrc: SSRC
        public var rtxSSRC: SSRC?

        public init(ssrc: SSRC, rtxSSRC: SSRC?) {
            self.ssrc = ssrc
            self.rtxSSRC = rtxSSRC
        }
    }

    public var mid: ShortID
    public var source: Source
    /// Simulcast ids in the offer's order; empty for one encoding.
    public var rids: [ShortID]
    public var streams: [Stream]
    public var feedback: FeedbackOptions
    public var isLive: Bool
    /// Numbers the publications of a session in the order in which they began, the same on all workers; `nil`: as they
    /// are added.
    public var order: UInt64?

    public init(
        mid: ShortID, source: Source, rids: [ShortID] = [], streams: [Stream] = [],
        feedback: FeedbackOptions = [], isLive: Bool = true, order: UInt64? = nil
    ) {
        self.mid = mid
        self.source = source
        self.rids = rids
        self.streams = streams
        self.feedback = feedback
        self.isLive = isLive
        self.order = order
    }
}
