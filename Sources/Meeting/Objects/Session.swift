/// One meeting of a session, as its participants see it.
public struct Session: Sendable, Equatable {
    public let id: String
    /// One life of the session: a UUID, new each time that somebody joins when nobody is in.
    public let meetingID: String
    /// The group whose session it is.
    public let guid: String?
    public internal(set) var title: String?
    public internal(set) var type: JoinRequest.SessionType
    /// Milliseconds since 1970.
    public internal(set) var startedAt: Int64
    /// Those in the roster: hidden ones and those still joining aren't counted.
    public internal(set) var participantCount: Int
    public internal(set) var settings: SessionSettings
    /// Who speaks; nil: nobody does.
    public internal(set) var dominantSpeaker: ParticipantID?

    /// Places.
    public var maxParticipants: Int { settings.maxParticipants }
}

/// How a meeting behaves; what isn't in the session's own settings.
public struct MeetingLimits: Sendable {
    /// Places in a session without settings of its own.
    public var maxParticipants: Int
    /// How many may wait to be admitted.
    public var maxWaiting: Int
    /// How many users are remembered who left with a locked microphone.
    public var maxLockedOutside = 10_000
    /// How long after a lost socket the others are told.
    public var tellLostAfterMs: Int64
    /// How long a participant without a socket keeps its place.
    public var resumeWithinMs: Int64
    /// How long the place of somebody who was admitted is kept for it to come in.
    public var enterWithinMs: Int64
    /// At most one full list in this time; less often where a list has more than `promptListEntries`.
    public var listIntervalMs: Int64
    /// A list of n entries goes to n participants, so beyond this many the interval grows with the square of their
    /// number: lists never cost more than those of a session of this size do. Single events tell the same at once.
    public var promptListEntries: Int
    /// Events that are kept for a participant to resume with.
    public var eventLogEntries: Int
    /// Weight in bytes of what is kept for it.
    public var eventLogBytes: Int

    public init(
        maxParticipants: Int = 50, maxWaiting: Int = 500, tellLostAfterMs: Int64 = 3_000,
        resumeWithinMs: Int64 = 30_000, enterWithinMs: Int64 = 30_000, listIntervalMs: Int64 = 250,
        promptListEntries: Int = 100, eventLogEntries: Int = 512, eventLogBytes: Int = 1 << 20
    ) {
        self.maxParticipants = maxParticipants
        self.maxWaiting = maxWaiting
        self.tellLostAfterMs = tellLostAfterMs
        self.resumeWithinMs = resumeWithinMs
        self.enterWithinMs = enterWithinMs
        self.listIntervalMs = listIntervalMs
        self.promptListEntries = promptListEntries
        self.eventLogEntries = eventLogEntries
        self.eventLogBytes = eventLogBytes
    }
}

/// Everything a participant may know at one moment; events with a higher `seq` build on it.
public struct Snapshot: Sendable, Equatable {
    public var session: Session
    public var participant: Participant
    /// In join order.
    public var participants: [Participant]
    /// In the order in which they were raised.
    public var hands: [Hand]
    public var seats: [Seat]
    /// Those who wait to be admitted, for moderators; empty for the others.
    public var waiting: [Participant]
    /// The last event that is included.
    public var seq: Int
}
