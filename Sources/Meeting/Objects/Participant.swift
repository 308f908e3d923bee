/// Somebody in a meeting, as the others see them.
public struct Participant: Sendable, Equatable {
    public enum State: String, Sendable {
        /// Holds a place; media is being set up; nobody is told yet.
        case joining
        case joined
        /// The socket was lost 3 s ago or more.
        case reconnecting
        /// In the waiting room.
        case waiting
    }

    public let id: ParticipantID
    public let uid: String
    public internal(set) var name: String
    public let avatar: String?
    public internal(set) var scope: Scope
    public internal(set) var state: State
    public internal(set) var audioMuted: Bool
    /// A moderator muted it, and it can't unmute itself.
    public internal(set) var audioLocked: Bool
    public internal(set) var videoPaused: Bool
    /// Shares a screen.
    public internal(set) var isPresenting: Bool
    /// Milliseconds since 1970; 0: not raised.
    public internal(set) var raisedHandAt: Int64
    /// Milliseconds since 1970.
    public internal(set) var joinedAt: Int64
    public let deviceID: String?
    /// 0 to 5; nil: not measured yet.
    public internal(set) var connectionQuality: Int?
}

/// What somebody who wants to join brings along.
public struct JoinRequest: Sendable {
    public enum SessionType: String, Sendable {
        case audio, video
    }

    /// Made up by the caller, never used before.
    public var id: ParticipantID
    public var uid: String
    public var name: String
    public var avatar: String?
    public var deviceID: String?
    public var scope: Scope
    public var grants: Grants
    /// Taken as the session's type if this is the first to join.
    public var type: SessionType
    public var startAudioMuted: Bool
    public var startVideoPaused: Bool
    /// It wants to be told who speaks, beside who is dominant.
    public var wantsActiveSpeakers = false

    public init(
        id: ParticipantID, uid: String, name: String, avatar: String? = nil, deviceID: String? = nil,
        scope: Scope = .participant, grants: Grants = Grants(), type: SessionType = .video,
        startAudioMuted: Bool = false, startVideoPaused: Bool = false
    ) {
        self.id = id
        self.uid = uid
        self.name = name
        self.avatar = avatar
        self.deviceID = deviceID
        self.scope = scope
        self.grants = grants
        self.type = type
        self.startAudioMuted = startAudioMuted
        self.startVideoPaused = startVideoPaused
    }

    func check() throws(MeetingError) {
        try Limit.checkID(uid, field: "uid")
        try Limit.checkName(name, field: "displayName")
        if let avatar { try Limit.checkAvatar(avatar) }
        if let deviceID { try Limit.checkID(deviceID, field: "deviceId") }
    }
}

/// A raised hand; their order is the order in which they were raised.
public struct Hand: Sendable, Equatable {
    public var participant: ParticipantID
    /// Milliseconds since 1970.
    public var raisedAt: Int64

    public init(participant: ParticipantID, raisedAt: Int64) {
        self.participant = participant
        self.raisedAt = raisedAt
    }
}

/// Somebody who speaks.
public struct ActiveSpeaker: Sendable, Equatable {
    public var participant: ParticipantID
    /// Decibels above silence, 1 to 127.
    public var level: Int

    public init(participant: ParticipantID, level: Int) {
        self.participant = participant
        self.level = level
    }
}

/// What a participant is asked to do with one encoding that it sends.
public struct EncodingHint: Sendable, Equatable {
    public var mid: String
    /// Simulcast id; nil: there is only one encoding.
    public var rid: String?
    /// False: nobody needs it, or it is more than may be sent.
    public var active: Bool
    /// Nil: it isn't limited.
    public var maxBitrateBps: Int?

    public init(mid: String, rid: String?, active: Bool, maxBitrateBps: Int?) {
        self.mid = mid
        self.rid = rid
        self.active = active
        self.maxBitrateBps = maxBitrateBps
    }
}

/// Where a viewer receives somebody.
public struct Seat: Sendable, Equatable {
    public enum Kind: String, Sendable {
        case audio, video
    }

    public var mid: String
    public var kind: Kind
    /// Nobody: the seat is free.
    public var occupant: ParticipantID?
    public var source: Source?
    /// The occupant sends nothing from this source now.
    public var muted: Bool

    public init(mid: String, kind: Kind, occupant: ParticipantID?, source: Source?, muted: Bool) {
        self.mid = mid
        self.kind = kind
        self.occupant = occupant
        self.source = source
        self.muted = muted
    }
}
