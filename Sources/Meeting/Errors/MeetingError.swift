/// Why a meeting refuses a command. Nothing changed when one of these is thrown.
public enum MeetingError: Error, Sendable, Equatable {
    /// A value breaks a limit of the API; `field` is its name there.
    case invalid(field: String, reason: String)
    /// Every place is taken.
    case full(maxParticipants: Int)
    /// The participant isn't (or no longer) in the meeting.
    case notInSession
    /// A message is addressed to somebody who isn't in the meeting.
    case participantNotFound
    /// A moderator locked the microphone.
    case audioLocked
    /// The participant's grants or scope don't include the source.
    case publishNotAllowed(Source)
    /// The command needs moderator scope.
    case noModeratorScope
    /// Hidden participants can't do what the others would have to see.
    case hidden
    /// The meeting ended; a new one can be started under the same session id.
    case over

    public var code: ErrorCode {
        switch self {
        case .invalid: .badRequest
        case .full: .callFull
        case .notInSession: .notInSession
        case .participantNotFound: .participantNotFound
        case .audioLocked: .audioLocked
        case .publishNotAllowed: .publishNotAllowed
        case .noModeratorScope: .noModeratorScope
        case .hidden: .noAccess
        case .over: .sessionNotFound
        }
    }

    /// One sentence for a person.
    public var message: String {
        switch self {
        case .invalid(let field, let reason): "\(field) \(reason)"
        case .full(let maximum): "the session is full: it has \(maximum) places"
        case .notInSession: "not in a session"
        case .participantNotFound: "no such participant in this session"
        case .audioLocked: "a moderator locked your microphone"
        case .publishNotAllowed(let source): "you may not publish from \(source.rawValue)"
        case .noModeratorScope: "this needs moderator scope"
        case .hidden: "hidden participants can't do this"
        case .over: "the meeting is over"
        }
    }
}
