/// A user in the call log, under the name of that moment.
public struct CallParty: Sendable, Equatable {
    public var uid: String
    public var name: String

    public init(uid: String, name: String) {
        self.uid = uid
        self.name = name
    }
}

/// Whom a call was for.
public struct CallReceiver: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case user, group
    }

    public var kind: Kind
    /// A uid or a guid.
    public var id: String
    public var name: String

    public init(kind: Kind, id: String, name: String) {
        self.kind = kind
        self.id = id
        self.name = name
    }
}

/// Somebody who was in a call or was rung for it.
public struct CallParticipant: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        case ongoing, ended, unanswered, rejected
    }

    /// Unique in the call: the participantId of somebody who joined, anything else for one who was only rung.
    public var id: String
    public var uid: String
    public var name: String
    public var deviceID: String?
    public var state: State
    /// Milliseconds since 1970; nil: never joined.
    public var joinedAt: Int64?
    /// Milliseconds since 1970.
    public var leftAt: Int64?

    public init(
        id: String, uid: String, name: String, deviceID: String? = nil, state: State,
        joinedAt: Int64? = nil, leftAt: Int64? = nil
    ) {
        self.id = id
        self.uid = uid
        self.name = name
        self.deviceID = deviceID
        self.state = state
        self.joinedAt = joinedAt
        self.leftAt = leftAt
    }

    public var isJoined: Bool { joinedAt != nil }

    /// From joining to leaving, whole seconds; nil while in, or if never in.
    public var durationSeconds: Int? {
        guard let joinedAt, let leftAt else { return nil }
        return Int(max(0, leftAt - joinedAt) / 1_000)
    }
}

/// A recording of a call.
public struct CallRecording: Sendable, Equatable {
    /// Unique in the call.
    public var id: String
    /// Where it can be fetched.
    public var url: String
    /// Milliseconds since 1970.
    public var startedAt: Int64
    /// Milliseconds since 1970; nil while it is being made.
    public var endedAt: Int64?

    public init(id: String, url: String, startedAt: Int64, endedAt: Int64? = nil) {
        self.id = id
        self.url = url
        self.startedAt = startedAt
        self.endedAt = endedAt
    }
}
