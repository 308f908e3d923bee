/// Who asks for something, and as what at this moment.
public struct Principal: Sendable, Equatable {
    enum Identity: Sendable, Equatable {
        case participant(ParticipantID)
        case user(uid: String)
        case backEnd
    }

    let identity: Identity
    /// Nil: the scope that the participant has in the meeting.
    let scope: Scope?

    /// Somebody in the meeting.
    ///
    /// - Parameter scope: in the session of a group, what the user is in the group now; nil for any other session.
    public static func participant(_ id: ParticipantID, scope: Scope? = nil) -> Principal {
        Principal(identity: .participant(id), scope: scope)
    }

    /// Somebody who isn't in the meeting: a member of the group whose session it is.
    public static func user(_ uid: String, scope: Scope) -> Principal {
        Principal(identity: .user(uid: uid), scope: scope)
    }

    /// Whoever holds an API key: may do everything.
    public static let backEnd = Principal(identity: .backEnd, scope: nil)

    /// The user, if it isn't known by its participant.
    var uid: String? {
        guard case .user(let uid) = identity else { return nil }
        return uid
    }
}

/// Who did something to somebody else, as the others are told.
public enum Author: Sendable, Equatable {
    case participant(ParticipantID, uid: String)
    /// Somebody who isn't in the meeting.
    case user(uid: String)
    case backEnd

    public var participantID: ParticipantID? {
        guard case .participant(let id, _) = self else { return nil }
        return id
    }

    public var uid: String? {
        switch self {
        case .participant(_, let uid), .user(let uid): uid
        case .backEnd: nil
        }
    }
}

/// Whom a moderator means.
public enum Target: Sendable, Equatable {
    case participant(ParticipantID)
    /// The user on every device.
    case user(String)
}

/// What moderators switch off.
public enum MediaKind: String, Sendable, CaseIterable {
    case audio, video, screen
}
