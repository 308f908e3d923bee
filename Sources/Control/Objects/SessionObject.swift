import Meeting

/// A session as the API shows it.
struct SessionObject: Encodable, Sendable {
    let sessionId: String
    let meetingId: String
    let guid: String?
    let title: String?
    let type: JoinRequest.SessionType
    let mode: SessionSettings.Mode
    let startedAt: Int64
    let participantCount: Int
    let settings: SettingsObject
    let recording = false
    let dominantSpeaker: String?

    init(_ session: Session) {
        sessionId = session.id
        meetingId = session.meetingID
        guid = session.guid
        title = session.title
        type = session.type
        mode = session.settings.mode
        startedAt = session.startedAt
        participantCount = session.participantCount
        settings = SettingsObject(session.settings)
        dominantSpeaker = session.dominantSpeaker?.rawValue
    }

    private enum CodingKeys: String, CodingKey {
        case sessionId, meetingId, guid, title, type, mode, startedAt, participantCount, settings, recording
        case dominantSpeaker
    }
}

/// How a session behaves, as the API shows it.
struct SettingsObject: Encodable, Sendable {
    let maxParticipants: Int
    let maxPresenters: Int
    let openModeration: Bool
    let muteOnEntry: Bool
    let locked: Bool
    let waitingRoom: Bool
    let idleTimeoutSeconds: Int
    let maxVideoSeats: Int
    let maxAudible: Int
    let maxBitrateUpBps: Int?
    let maxBitrateDownBps: Int?
    let autoRecord: Bool
    let duplicateUser: SessionSettings.DuplicateUser

    init(_ settings: SessionSettings) {
        maxParticipants = settings.maxParticipants
        maxPresenters = settings.maxPresenters
        openModeration = settings.openModeration
        muteOnEntry = settings.muteOnEntry
        locked = settings.locked
        waitingRoom = settings.waitingRoom
        idleTimeoutSeconds = settings.idleTimeoutSeconds
        maxVideoSeats = settings.maxVideoSeats
        maxAudible = settings.maxAudible
        maxBitrateUpBps = settings.maxBitrateUpBps
        maxBitrateDownBps = settings.maxBitrateDownBps
        autoRecord = settings.autoRecord
        duplicateUser = settings.duplicateUser
    }
}

/// Settings that a back end gives; what it leaves out stays as it is.
struct SettingsBody: Decodable, Sendable {
    var mode: SessionSettings.Mode?
    var maxParticipants: Int?
    var maxPresenters: Int?
    var openModeration: Bool?
    var muteOnEntry: Bool?
    var locked: Bool?
    var waitingRoom: Bool?
    var idleTimeoutSeconds: Int?
    var maxVideoSeats: Int?
    var maxAudible: Int?
    var maxBitrateUpBps: Int?
    var maxBitrateDownBps: Int?
    var autoRecord: Bool?
    var duplicateUser: SessionSettings.DuplicateUser?

    func apply(to settings: inout SessionSettings) {
        func set<Value>(_ path: WritableKeyPath<SessionSettings, Value>, _ value: Value?) {
            if let value { settings[keyPath: path] = value }
        }
        set(\.mode, mode)
        set(\.maxParticipants, maxParticipants)
        set(\.maxPresenters, maxPresenters)
        set(\.openModeration, openModeration)
        set(\.muteOnEntry, muteOnEntry)
        set(\.locked, locked)
        set(\.waitingRoom, waitingRoom)
        set(\.idleTimeoutSeconds, idleTimeoutSeconds)
        set(\.maxVideoSeats, maxVideoSeats)
        set(\.maxAudible, maxAudible)
        if let maxBitrateUpBps { settings.maxBitrateUpBps = maxBitrateUpBps }
        if let maxBitrateDownBps { settings.maxBitrateDownBps = maxBitrateDownBps }
        set(\.autoRecord, autoRecord)
        set(\.duplicateUser, duplicateUser)
    }
}

/// The whole state that a participant may know.
struct SnapshotObject: Encodable, Sendable {
    let session: SessionObject
    let participant: ParticipantObject
    let participants: [ParticipantObject]
    /// Those who wait to be admitted; nobody but moderators knows of them.
    let waiting: [ParticipantObject]?
    let hands: [HandObject]
    let dominantSpeaker: String?
    let seats: [SeatObject]
    let seq: Int

    init(_ snapshot: Snapshot) {
        session = SessionObject(snapshot.session)
        participant = ParticipantObject(snapshot.participant)
        participants = snapshot.participants.map(ParticipantObject.init)
        waiting = snapshot.waiting.isEmpty ? nil : snapshot.waiting.map(ParticipantObject.init)
        hands = snapshot.hands.map(HandObject.init)
        dominantSpeaker = snapshot.session.dominantSpeaker?.rawValue
        seats = snapshot.seats.map(SeatObject.init)
        seq = snapshot.seq
    }
}
