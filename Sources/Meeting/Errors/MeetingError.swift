/// Why the domain refuses a command. Nothing changed when one of these is thrown.
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
    /// The command needs a scope above the target's.
    case noClearance
    /// What is done to others can't be done to oneself.
    case selfAction
    /// Removed a short while ago.
    case removed
    case locked
    case presenterLimit(maxPresenters: Int)
    /// The user is in on another device, and may be in only once.
    case alreadyInSession
    /// A scope that can't be given.
    case invalidScope
    case ownerScope
    case sameScope
    /// Hidden participants can't do what the others would have to see.
    case hidden
    /// The meeting ended; a new one can be started under the same session id.
    case over

    // Groups.
    case notGroupMember
    case bannedFromGroup
    case ownerCantGo
    case alreadyBanned
    case notBanned
    case invalidReceiverType
    case invalidMessageType

    // Ringing.
    case emptySessionID
    case callNotFound
    case callingSelf
    /// Who calls or accepts is in another call.
    case busySelf
    case busyUser
    case busyGroup
    /// A call that exists can't be initiated.
    case callExists
    case callNotStarted
    /// What only an unanswered call can become.
    case callOngoing
    case callOver
    case notAPart
    /// The caller can't do what is for those who are called, nor they what is for the caller.
    case otherSide
    case alreadyJoined
    case alreadyLeft
    /// No single member turns a group call down.
    case groupInvalidStatus
}
