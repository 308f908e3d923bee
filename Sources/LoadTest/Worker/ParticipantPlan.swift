public import FixedCollections

/// How a participant's media is made.
public struct MediaPlan: Sendable, Equatable {
    public var videoBitsPerSecond = 1_200_000
    public var framesPerSecond = 30
    public var codec = VideoCodec.vp8
    public var temporalLayers = 1
    /// Of VP9, 1 to 3.
    public var spatialLayers = 1
    /// Encodings of a camera: 1 to 3; more than one are simulcast by RID.
    public var encodings = 1
    public var audioBitsPerSecond = 32_000
    public var usesDTX = false
    /// Whether transport-wide feedback is offered and given.
    public var usesTransportCC = true
    /// Whether retransmissions are offered.
    public var usesRTX = true

    public init() {}
}

/// One participant: when it comes, where to, what it sends, and how many it can watch.
public struct ParticipantPlan: Sendable {
    /// Unique in a run.
    public var number: Int
    public var session: String
    public var uid: String
    /// One who calls another one, or is called by it: the other's number.
    public var partner: Int?
    public var callsOthers = false
    /// How long its calls last.
    public var talk = Duration.seconds(4)
    /// Whether a moderator may mute and remove it: then it unmutes itself, and comes back.
    public var mayBeRemoved = false
    /// How it shows what it gets: a layout's name, and lines of each picture at the most.
    public var layout: String?
    public var maxHeight: Int?
    /// Of its token.
    public var scope = "participant"
    /// The session's places, which it sets when it is in.
    public var places: Int?
    /// Whether it comes only when somebody has set the places.
    public var awaitsPlaces = false
    public var sendsAudio = false
    public var sendsVideo = false
    public var audioSeats = 0
    public var videoSeats = 0
    public var joinAt: Instant
    /// Nil: at the end of the run.
    public var leaveAt: Instant?
    public var media = MediaPlan()
    public var network = NetworkPlan()

    /// The user that the participant with this number is.
    static func uid(_ number: Int) -> String { "load-\(number)" }

    public init(number: Int, session: String, uid: String, joinAt: Instant) {
        self.number = number
        self.session = session
        self.uid = uid
        self.joinAt = joinAt
    }
}
