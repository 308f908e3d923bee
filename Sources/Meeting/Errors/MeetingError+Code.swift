extension MeetingError {
    public var code: ErrorCode {
        switch self {
        case .invalid: .badRequest
        case .full: .callFull
        case .notInSession: .notInSession
        case .participantNotFound: .participantNotFound
        case .audioLocked: .audioLocked
        case .publishNotAllowed: .publishNotAllowed
        case .noModeratorScope: .noModeratorScope
        case .noClearance: .noClearance
        case .selfAction: .noSelfAction
        case .removed: .removed
        case .locked: .locked
        case .presenterLimit: .presenterLimit
        case .alreadyInSession: .alreadyInSession
        case .invalidScope: .invalidScope
        case .ownerScope: .cannotChangeOwnerScope
        case .sameScope: .sameScope
        case .hidden, .otherSide: .noAccess
        case .over, .callNotFound: .sessionNotFound
        case .notGroupMember: .notGroupMember
        case .bannedFromGroup: .bannedGroupMember
        case .ownerCantGo: .cannotKickOwner
        case .alreadyBanned: .alreadyBanned
        case .notBanned: .notBanned
        case .invalidReceiverType: .invalidReceiverType
        case .invalidMessageType: .invalidMessageType
        case .emptySessionID: .emptySessionID
        case .callingSelf: .callingSelf
        case .busySelf: .busySelf
        case .busyUser: .busyUser
        case .busyGroup: .busyGroup
        case .callExists: .callInvalidInit
        case .callNotStarted: .callNotStarted
        case .callOngoing: .callOngoingToInvalid
        case .callOver: .callTerminated
        case .notAPart: .notAPart
        case .alreadyJoined: .groupCallAlreadyJoined
        case .alreadyLeft: .groupCallAlreadyLeft
        case .groupInvalidStatus: .groupCallInvalidStatus
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
        case .noClearance: "this needs a scope above the other's"
        case .selfAction: "this can't be done to yourself"
        case .removed: "you were removed from this session"
        case .locked: "the session is locked"
        case .presenterLimit(let maximum): "the session has its \(maximum) presenters"
        case .alreadyInSession: "you are in this session on another device"
        case .invalidScope: "this scope can't be given"
        case .ownerScope: "an owner's scope can't be changed"
        case .sameScope: "this is the scope already"
        case .hidden: "hidden participants can't do this"
        case .over: "the meeting is over"
        case .notGroupMember: "not a member of this group"
        case .bannedFromGroup: "banned from this group"
        case .ownerCantGo: "the owner stays in the group until somebody else owns it"
        case .alreadyBanned: "banned already"
        case .notBanned: "not banned"
        case .invalidReceiverType: "this can't be sent to such a receiver"
        case .invalidMessageType: "no such type of message here"
        case .emptySessionID: "which call? The session id is empty"
        case .callNotFound: "no such call"
        case .callingSelf: "you can't call yourself"
        case .busySelf: "you are in another call"
        case .busyUser: "the one you call is in another call"
        case .busyGroup: "the group is in a call already: accept that one"
        case .callExists: "the call exists: it can't be initiated again"
        case .callNotStarted: "nobody answered yet: the call can be cancelled, not ended"
        case .callOngoing: "the call was answered: it can only be ended"
        case .callOver: "the call is over"
        case .notAPart: "you are not a part of this call"
        case .otherSide: "this is for the other side of the call to do"
        case .alreadyJoined: "you are in this call already"
        case .alreadyLeft: "you are not in this call any more"
        case .groupInvalidStatus:
            "a group call isn't turned down by one member: it rings until it is answered"
        }
    }
}
