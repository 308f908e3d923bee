/// Every error a client can get: the raw value is the stable string of the API, `status` its HTTP status.
public enum ErrorCode: String, Error, Sendable, CaseIterable {
    // 400
    case badRequest = "ERR_BAD_REQUEST"
    case emptySessionID = "ERR_EMPTY_CALL_SESSION_ID"
    case callingSelf = "ERR_CALLING_SELF"
    case invalidScope = "ERR_INVALID_SCOPE"
    case invalidMessageType = "ERR_INVALID_MESSAGE_TYPE"
    case invalidReceiverType = "ERR_INVALID_RECEIVER_TYPE"
    case codecUnsupported = "ERR_CODEC_UNSUPPORTED"
    case invalidOffer = "ERR_INVALID_OFFER"
    // 401
    case emptyToken = "AUTH_ERR_EMPTY_AUTH_TOKEN"
    case tokenNotFound = "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"
    case apiKeyNotFound = "AUTH_ERR_APIKEY_NOT_FOUND"
    case authTokenExpired = "ERR_AUTH_TOKEN_EXPIRED"
    case callTokenExpired = "ERR_CALL_TOKEN_EXPIRED"
    case callTokenInvalid = "ERR_CALL_TOKEN_INVALID"
    // 403
    case noAccess = "AUTH_ERR_NO_ACCESS"
    case notGroupMember = "ERR_NOT_GROUP_MEMBER"
    case noClearance = "ERR_GROUP_NO_CLEARANCE"
    case noModeratorScope = "ERR_GROUP_NO_MODERATOR_SCOPE"
    case noSelfAction = "ERR_GROUP_NO_SELF_ACTION"
    case cannotKickOwner = "ERR_CANNOT_KICK_OWNER"
    case cannotChangeOwnerScope = "ERR_CANNOT_CHANGE_OWNER_SCOPE"
    case bannedGroupMember = "ERR_BANNED_GROUPMEMBER"
    case removed = "ERR_CALL_REMOVED"
    case locked = "ERR_CALL_LOCKED"
    case notAPart = "ERR_CALL_NOT_A_PART"
    case audioLocked = "ERR_AUDIO_LOCKED"
    case publishNotAllowed = "ERR_PUBLISH_NOT_ALLOWED"
    // 404
    case uidNotFound = "ERR_UID_NOT_FOUND"
    case guidNotFound = "ERR_GUID_NOT_FOUND"
    case sessionNotFound = "ERR_CALL_SESSION_NOT_FOUND"
    case participantNotFound = "ERR_PARTICIPANT_NOT_FOUND"
    case webhookNotFound = "ERR_WEBHOOK_NOT_FOUND"
    case apiNotFound = "ERR_API_NOT_FOUND"
    // 405
    case methodNotAllowed = "ERR_METHOD_NOT_ALLOWED"
    // 409
    case busySelf = "ERR_CALL_BUSY_SELF"
    case busyUser = "ERR_CALL_BUSY_USER"
    case busyGroup = "ERR_CALL_BUSY_GROUP"
    case callInvalidInit = "ERR_CALL_INVALID_INIT"
    case callNotStarted = "ERR_CALL_NOT_STARTED"
    case callOngoingToInvalid = "ERR_CALL_ONGOING_TO_INVALID"
    case callTerminated = "ERR_CALL_TERMINATED"
    case groupCallAlreadyJoined = "ERR_CALL_GROUP_ALREADY_JOINED"
    case groupCallAlreadyLeft = "ERR_CALL_GROUP_ALREADY_LEFT"
    case groupCallInvalidStatus = "ERR_CALL_GROUP_INVALID_STATUS"
    case callFull = "ERR_CALL_FULL"
    case presenterLimit = "ERR_PRESENTER_LIMIT"
    case sameScope = "ERR_SAME_SCOPE"
    case alreadyBanned = "ERR_ALREADY_BANNED"
    case notBanned = "ERR_NOT_A_BANNED_USER"
    case alreadyInSession = "ERR_ALREADY_IN_SESSION"
    case notInSession = "ERR_NOT_IN_SESSION"
    // 413, 429, 500, 503
    case messageTooLarge = "ERR_MESSAGE_TOO_LARGE"
    case tooManyRequests = "ERR_TOO_MANY_REQUESTS"
    case exception = "ERR_EXCEPTION"
    case serverFull = "ERR_SERVER_FULL"
    case serverDraining = "ERR_SERVER_DRAINING"

    /// The HTTP status that goes with the code.
    public var status: Int {
        switch self {
        case .badRequest, .emptySessionID, .callingSelf, .invalidScope, .invalidMessageType,
            .invalidReceiverType, .codecUnsupported, .invalidOffer:
            400
        case .emptyToken, .tokenNotFound, .apiKeyNotFound, .authTokenExpired, .callTokenExpired,
            .callTokenInvalid:
            401
        case .noAccess, .notGroupMember, .noClearance, .noModeratorScope, .noSelfAction, .cannotKickOwner,
            .cannotChangeOwnerScope, .bannedGroupMember, .removed, .locked, .notAPart, .audioLocked,
            .publishNotAllowed:
            403
        case .uidNotFound, .guidNotFound, .sessionNotFound, .participantNotFound, .webhookNotFound,
            .apiNotFound:
            404
        case .methodNotAllowed: 405
        case .busySelf, .busyUser, .busyGroup, .callInvalidInit, .callNotStarted, .callOngoingToInvalid,
            .callTerminated, .groupCallAlreadyJoined, .groupCallAlreadyLeft, .groupCallInvalidStatus,
            .callFull, .presenterLimit, .sameScope, .alreadyBanned, .notBanned, .alreadyInSession,
            .notInSession:
            409
        case .messageTooLarge: 413
        case .tooManyRequests: 429
        case .exception: 500
        case .serverFull, .serverDraining: 503
        }
    }
}
