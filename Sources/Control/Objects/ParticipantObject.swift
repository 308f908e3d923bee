import Meeting

/// A participant as the API shows it.
struct ParticipantObject: Encodable, Sendable {
    let participantId: String
    let uid: String
    let name: String
    let avatar: String?
    let scope: Scope
    let state: String
    let audioMuted: Bool
    let audioLocked: Bool
    let videoPaused: Bool
    let isPresenting: Bool
    let isRecorder = false
    let raisedHandAt: Int64
    let joinedAt: Int64
    let deviceId: String?
    let connectionQuality: Int?

    init(_ participant: Participant) {
        participantId = participant.id.rawValue
        uid = participant.uid
        name = participant.name
        avatar = participant.avatar
        scope = participant.scope
        state = participant.state.rawValue
        audioMuted = participant.audioMuted
        audioLocked = participant.audioLocked
        videoPaused = participant.videoPaused
        isPresenting = participant.isPresenting
        raisedHandAt = participant.raisedHandAt
        joinedAt = participant.joinedAt
        deviceId = participant.deviceID
        connectionQuality = participant.connectionQuality
    }

    private enum CodingKeys: String, CodingKey {
        case participantId, uid, name, avatar, scope, state, audioMuted, audioLocked, videoPaused
        case isPresenting, isRecorder, raisedHandAt, joinedAt, deviceId, connectionQuality
    }
}

/// A participant, with what it is sent and why not more.
struct ParticipantDetails: Encodable, Sendable {
    let participant: ParticipantObject
    let statistics: StatsResult?

    init(_ participant: ParticipantObject, statistics: StatsResult?) {
        self.participant = participant
        self.statistics = statistics
    }

    private enum CodingKeys: String, CodingKey {
        case statistics
    }

    func encode(to encoder: any Encoder) throws {
        try participant.encode(to: encoder)
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encodeIfPresent(statistics, forKey: .statistics)
    }
}

/// A raised hand as the API shows it.
struct HandObject: Encodable, Sendable {
    let participantId: String
    let raisedAt: Int64

    init(_ hand: Hand) {
        participantId = hand.participant.rawValue
        raisedAt = hand.raisedAt
    }
}

/// A seat as the API shows it.
struct SeatObject: Encodable, Sendable {
    let mid: String
    let kind: String
    let participantId: String?
    let source: String?
    let muted: Bool

    init(_ seat: Seat) {
        mid = seat.mid
        kind = seat.kind.rawValue
        participantId = seat.occupant?.rawValue
        source = seat.source?.rawValue
        muted = seat.muted
    }
}
