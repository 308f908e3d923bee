import JSON
import Meeting

/// Who makes a request on a socket.
enum Asker: String, CaseIterable, Sendable {
    // In the session, with this scope.
    case owner, admin, moderator, participant, viewer
    /// Was a moderator until a moment ago.
    case demoted
    /// Isn't admitted yet.
    case waiting
    /// Was in as a moderator, and has left.
    case left
    /// Owns and is in another session.
    case elsewhere
    /// Knows who it is, and is in no session. No member of any group.
    case outside
    /// The same, and kept out of the groups.
    case banned
    /// Has said who it is by a call token of an owner, and hasn't joined.
    case bearer
    /// The auth token that it logged in with has expired.
    case lapsed
    /// Has shown nothing.
    case stranger
    // Have tried to log in with what is no good.
    case revoked, expired, forged, apiKey

    /// Is in the session that the table is about.
    var isIn: Bool {
        switch self {
        case .owner, .admin, .moderator, .participant, .viewer, .demoted: true
        default: false
        }
    }

    /// Nobody knows who it is.
    var isNobody: Bool {
        switch self {
        case .stranger, .revoked, .expired, .forged, .apiKey: true
        default: false
        }
    }

    /// In the session that it is in, if it is in one.
    var scope: Scope {
        switch self {
        case .demoted: .participant
        case .left: .moderator
        case .elsewhere, .bearer: .owner
        default: Scope(rawValue: rawValue) ?? .participant
        }
    }

    /// What it is refused with where it shows its token.
    var refusal: String? {
        switch self {
        case .stranger: "AUTH_ERR_EMPTY_AUTH_TOKEN"
        case .revoked, .forged, .apiKey: "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"
        case .expired, .lapsed: "ERR_AUTH_TOKEN_EXPIRED"
        default: nil
        }
    }
}

/// A method of the socket, with parameters that succeed, and who may use it.
struct MatrixRow: Sendable {
    enum Access: Sendable {
        case everybody
        /// Shows one's token.
        case login
        /// Whoever is known.
        case known
        case join
        /// Comes back with the resume token of somebody who is in.
        case resume
        /// Who is in the session.
        case inside
        /// Of these not those who only receive.
        case publisher
        case moderator
        /// Users, who have logged in with an auth token.
        case user
        /// Of these the members of the group `crew`.
        case member
        /// Users who have part in the call `ring`, which nobody here has.
        case party
    }

    let method: String
    let access: Access
    let params: JSONValue

    init(_ method: String, _ access: Access, _ params: JSONValue = [:]) {
        self.method = method
        self.access = access
        self.params = params
    }

    /// Whether it is about `tom`.
    private var isTargeted: Bool {
        params["uid"] != nil || method == "pinParticipant"
    }

    /// What the answer must be: a code, or nil for success.
    ///
    /// - Parameter isGroup: the session is a group's; then those who are in have come by an auth token, and
    ///   otherwise by a call token.
    func code(for asker: Asker, isGroup: Bool) -> String? {
        switch access {
        case .everybody: return nil
        case .login: return asker.refusal
        case .resume where asker.isNobody: return nil
        default: break
        }
        if asker.isNobody { return "AUTH_ERR_EMPTY_AUTH_TOKEN" }
        switch access {
        case .join: return joining(asker, isGroup)
        case .resume:
            return asker.isIn || asker == .waiting || asker == .elsewhere
                ? "ERR_ALREADY_IN_SESSION" : "AUTH_ERR_NO_ACCESS"
        case .inside, .publisher, .moderator: return insideSession(asker)
        case .user, .member, .party: return outsideSession(asker, isGroup)
        default: return nil
        }
    }

    private func joining(_ asker: Asker, _ isGroup: Bool) -> String? {
        switch asker {
        case .outside: isGroup ? "ERR_NOT_GROUP_MEMBER" : nil
        case .banned: isGroup ? "ERR_BANNED_GROUPMEMBER" : nil
        // Who waits is told that it waits on.
        case .left, .bearer, .waiting: nil
        case .lapsed: asker.refusal
        default: "ERR_ALREADY_IN_SESSION"
        }
    }

    private func insideSession(_ asker: Asker) -> String? {
        switch (asker, access) {
        case (.elsewhere, _): isTargeted ? "ERR_PARTICIPANT_NOT_FOUND" : nil
        case _ where !asker.isIn: "ERR_NOT_IN_SESSION"
        case (.viewer, .publisher): "ERR_PUBLISH_NOT_ALLOWED"
        case (_, .moderator): asker.scope >= .moderator ? nil : "ERR_GROUP_NO_MODERATOR_SCOPE"
        default: nil
        }
    }

    private func outsideSession(_ asker: Asker, _ isGroup: Bool) -> String? {
        switch (asker, access) {
        case (.lapsed, _): asker.refusal
        case (.bearer, _): "AUTH_ERR_NO_ACCESS"
        case (.outside, .member): "ERR_NOT_GROUP_MEMBER"
        case (.banned, .member): "ERR_BANNED_GROUPMEMBER"
        case (.outside, .user), (.banned, .user): nil
        case (.outside, _), (.banned, _): "ERR_CALL_NOT_A_PART"
        case _ where !isGroup: "AUTH_ERR_NO_ACCESS"
        default: if case .party = access { "ERR_CALL_NOT_A_PART" } else { nil }
        }
    }
}

extension MatrixRow {
    /// `tom` is a participant who is in. `@tom` stands for its participantId, `@token` for the asker's own token,
    /// `@resume` for the host's resume token, `@session` for the session's id.
    static let all: [MatrixRow] = coming + inSession + moderation + appWide

    private static let coming: [MatrixRow] = [
        MatrixRow("ping", .everybody), MatrixRow("login", .login, ["token": "@token"]),
        MatrixRow("leaveSession", .known),
        MatrixRow("joinSession", .join, ["sessionId": "@session"]),
        MatrixRow("startSession", .join, ["sessionId": "@session"]),
        MatrixRow("resumeSession", .resume, ["resumeToken": "@resume", "lastSeq": 0]),
    ]

    private static let inSession: [MatrixRow] = [
        MatrixRow("negotiate", .inside, ["offer": "v=0"]),
        MatrixRow("getSession", .inside), MatrixRow("getParticipants", .inside),
        MatrixRow("getStats", .inside),
        MatrixRow("muteAudio", .inside), MatrixRow("unmuteAudio", .publisher),
        MatrixRow("pauseVideo", .inside), MatrixRow("resumeVideo", .publisher),
        MatrixRow("startScreenSharing", .publisher), MatrixRow("stopScreenSharing", .inside),
        MatrixRow("raiseHand", .inside), MatrixRow("lowerHand", .inside),
        MatrixRow("setDisplayName", .inside, ["displayName": "N"]),
        MatrixRow("setLayout", .inside, ["layout": "tile"]),
        MatrixRow("setReceiveLimits", .inside, ["lastN": 4]),
        MatrixRow("pinParticipant", .inside, ["participantId": "@tom", "source": "camera"]),
        MatrixRow("unpinParticipant", .inside, ["participantId": "@tom", "source": "camera"]),
        MatrixRow("sendMessage", .inside, ["type": "chat", "text": "x"]),
    ]

    private static let moderation: [MatrixRow] = [
        MatrixRow("muteParticipant", .moderator, ["uid": "tom"]),
        MatrixRow("muteUser", .moderator, ["uid": "tom"]),
        MatrixRow("pauseParticipantVideo", .moderator, ["uid": "tom"]),
        MatrixRow("stopParticipantScreenShare", .moderator, ["uid": "tom"]),
        MatrixRow("unlockParticipant", .moderator, ["uid": "tom"]),
        MatrixRow("askToUnmute", .moderator, ["uid": "tom"]),
        MatrixRow("muteAll", .moderator),
        MatrixRow("lowerParticipantHand", .moderator, ["uid": "tom"]), MatrixRow("lowerAllHands", .moderator),
        MatrixRow("setParticipantScope", .moderator, ["uid": "tom", "scope": "viewer"]),
        MatrixRow("lockSession", .moderator), MatrixRow("unlockSession", .moderator),
        MatrixRow("setCapacity", .moderator, ["maxParticipants": 9]),
        MatrixRow("setTitle", .moderator, ["title": "T"]),
        MatrixRow("admitParticipant", .moderator, ["participantId": "all"]),
        MatrixRow("denyParticipant", .moderator, ["participantId": "all"]),
        MatrixRow("removeParticipant", .moderator, ["uid": "tom"]),
        MatrixRow("removeUser", .moderator, ["uid": "tom"]),
        MatrixRow("endSession", .moderator),
    ]

    private static let appWide: [MatrixRow] = [
        MatrixRow("sendCustomMessage", .user, ["receiverId": "lone", "receiverType": "user", "type": "t"]),
        MatrixRow(
            "sendCustomMessage", .member, ["receiverId": "crew", "receiverType": "group", "type": "t"]),
        MatrixRow("fetchMessages", .user, ["receiverId": "lone", "receiverType": "user"]),
        MatrixRow("fetchMessages", .member, ["receiverId": "crew", "receiverType": "group"]),
        MatrixRow("initiateCall", .user, ["receiverId": "lone", "receiverType": "user"]),
        MatrixRow("initiateCall", .member, ["receiverId": "crew", "receiverType": "group"]),
        MatrixRow("acceptCall", .party, ["sessionId": "@ring"]),
        MatrixRow("rejectCall", .party, ["sessionId": "@ring"]),
        MatrixRow("cancelCall", .party, ["sessionId": "@ring"]),
        MatrixRow("endCall", .party, ["sessionId": "@ring"]),
        MatrixRow("getActiveCall", .user), MatrixRow("getActiveCall", .member, ["guid": "crew"]),
        // Last: who has a socket for all of the table is nobody from here on.
        MatrixRow("logout", .known),
    ]
}
