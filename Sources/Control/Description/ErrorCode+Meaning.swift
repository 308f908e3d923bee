import Meeting

extension ErrorCode {
    /// When it is given, for documents.
    var meaning: String {
        switch self {
        case .badRequest:
            "No JSON, an unknown method or field, a wrong type or value; `details.field` names it, and "
                + "`details.known` the fields that there are."
        case .emptySessionID: "No session is named."
        case .callingSelf: "Nobody calls oneself."
        case .invalidScope: "No scope, or `owner`, where only a transfer makes one."
        case .invalidMessageType: "`type` is empty or too long."
        case .invalidReceiverType: "Neither user nor group."
        case .codecUnsupported: "No codec of an m-line is known; `details.mid`."
        case .invalidOffer: "The SDP can’t be read or used; `details.line`."
        case .emptyToken: "There is no token: log in first."
        case .tokenNotFound: "The token is forged, revoked, or of the wrong kind, or its key isn’t known."
        case .apiKeyNotFound: "An API key is needed."
        case .authTokenExpired: "The auth token has expired."
        case .callTokenExpired: "The call token has expired."
        case .callTokenInvalid: "A claim is missing or wrong, or the token is for another session or person."
        case .noAccess: "Not with this credential, or not for this side of a call."
        case .notGroupMember: "The one who asks, or the one it is done to, is no member of the group."
        case .noClearance: "This needs a higher scope than the other’s, or than the one that is given."
        case .noModeratorScope: "This needs scope moderator."
        case .noSelfAction: "Nobody does this to oneself."
        case .cannotKickOwner: "The owner can’t be kicked, banned or deleted."
        case .cannotChangeOwnerScope: "Only a transfer changes who owns a group."
        case .bannedGroupMember: "The user is kept out of the group."
        case .removed: "A moderator removed the user a short while ago, or for good."
        case .locked: "Nobody below moderator may join."
        case .notAPart: "The user isn’t in the session, or had no part in the call."
        case .audioLocked: "A moderator locked the microphone."
        case .publishNotAllowed: "Scope viewer, or grants without the source; `details.source`."
        case .uidNotFound: "There is no such user."
        case .guidNotFound: "There is no such group; of a session: sessions need one here."
        case .sessionNotFound: "The meeting is over, or there was no such call."
        case .participantNotFound: "There is no such participant in this session."
        case .webhookNotFound: "There is no such webhook."
        case .apiNotFound: "There is nothing at this path, or there are no guests here."
        case .methodNotAllowed: "The path doesn’t take this method; `Allow` lists those that it takes."
        case .busySelf: "Who calls or accepts is in another call."
        case .busyUser: "The one who is called is in another call."
        case .busyGroup: "The group is in a call already: accept that one."
        case .callInvalidInit: "A call that exists can’t be initiated."
        case .callNotStarted: "Nobody answered yet: it can be cancelled, not ended."
        case .callOngoingToInvalid: "The call was answered: it can only be ended."
        case .callTerminated: "The call is over."
        case .groupCallAlreadyJoined: "One is in this call already."
        case .groupCallAlreadyLeft: "One is not in this call any more."
        case .groupCallInvalidStatus: "No single member turns a group’s call down."
        case .callFull: "The session is full; `details.maxParticipants`."
        case .presenterLimit: "The session has its presenters."
        case .sameScope: "The member has that scope already, or owns the group already."
        case .alreadyBanned: "The user is banned already."
        case .notBanned: "The user isn’t banned."
        case .alreadyInSession: "This socket is in a session, or the user is on another device."
        case .notInSession: "It isn’t in a session, or nobody can come back with this resume token."
        case .messageTooLarge: "Over 256 KiB; `details.limitBytes`."
        case .tooManyRequests: "50 a second, 100 at once, are the most on a socket; `details.retryAfterMs`."
        case .exception: "A fault of the server."
        case .serverFull: "The server has no room; `details.retryAfterSeconds`."
        case .serverDraining: "The server stops."
        }
    }
}

extension CloseCode {
    /// When a socket is closed with it, for documents.
    var meaning: String {
        switch self {
        case .unauthorized: "The token is refused or was revoked, or none came within 10 s."
        case .removed: "Removed, kicked or banned."
        case .sessionEnded: "The session has ended."
        case .tooSlow: "The client reads too slowly: come back with `resumeSession`."
        case .replaced: "The same user joined again with the same device, or resumed on another socket."
        case .draining: "The server stops."
        case .rateLimited: "Far more requests than are dealt with."
        }
    }
}
