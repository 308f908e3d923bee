import Meeting

/// A session as the API shows it.
struct SessionObject: Encodable, Sendable {
    struct Settings: Encodable, Sendable {
        let maxParticipants: Int
    }

    let sessionId: String
    let meetingId: String
    let guid: String?
    let title: String?
    let type: JoinRequest.SessionType
    let mode = "meet"
    let startedAt: Int64
    let participantCount: Int
    let settings: Settings
    let recording = false

    init(_ session: Session) {
        sessionId = session.id
        meetingId = session.meetingID
        guid = session.guid
        title = session.title
        type = session.type
        startedAt = session.startedAt
        participantCount = session.participantCount
        settings = Settings(maxParticipants: session.maxParticipants)
    }

    private enum CodingKeys: String, CodingKey {
        case sessionId, meetingId, guid, title, type, mode, startedAt, participantCount, settings, recording
    }
}

/// The whole state that a participant may know.
struct SnapshotObject: Encodable, Sendable {
    let session: SessionObject
    let participant: ParticipantObject
    let participants: [ParticipantObject]
    let hands: [HandObject]
    let dominantSpeaker: String?
    let seats: [SeatObject]
    let seq: Int

    init(_ snapshot: Snapshot) {
        session = SessionObject(snapshot.session)
        participant = ParticipantObject(snapshot.participant)
        participants = snapshot.participants.map(ParticipantObject.init)
        hands = snapshot.hands.map(HandObject.init)
        dominantSpeaker = snapshot.dominantSpeaker?.rawValue
        seats = snapshot.seats.map(SeatObject.init)
        seq = snapshot.seq
    }
}
