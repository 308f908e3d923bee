/// What a command brings about, in the order in which it has to happen.
public enum Output: Sendable, Equatable {
    public struct Recipient: Sendable, Equatable {
        public var participant: ParticipantID
        public var seq: Int
    }

    /// Tell these; `at` is in milliseconds since 1970.
    case event(SessionEvent, at: Int64, to: [Recipient])
    /// Forward, or stop to forward, what a participant sends from a source.
    case setSource(Source, of: ParticipantID, live: Bool)
    /// What it may publish from now on has changed; what it may not any more has been switched off.
    case setPermissions(ParticipantID, publish: Set<Source>)
    /// Of the settings, some that the media obey have changed.
    case setLimits(SessionSettings)
    /// It waited, and holds a place now: set up its media, then complete or cancel its join.
    case admit(ParticipantID)
    /// Write this to the session's history; it is told afterwards.
    case keep(Message)
    /// The first one whom others may see is in.
    case meetingStarted(Session)
    /// The last one left, or the meeting was ended, after it had started.
    case meetingEnded(Session)
    /// Drop its media; its socket has nothing more to do with the meeting.
    case drop(ParticipantID, LeaveReason)
    /// The last one left.
    case over
}
