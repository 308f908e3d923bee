import Meeting

/// The answer to `joinSession` of somebody who is in.
struct JoinResult: Encodable, Sendable {
    struct ICEServer: Encodable, Sendable {
        let urls: [String]
    }

    let state = "joined"
    let session: SessionObject
    let participant: ParticipantObject
    let participants: [ParticipantObject]
    let waiting: [ParticipantObject]?
    let hands: [HandObject]
    let dominantSpeaker: String?
    let seats: [SeatObject]
    let answer: String?
    let iceServers: [ICEServer] = []
    let resumeToken: String
    let seq: Int

    init(_ whole: SnapshotObject, answer: String?, resumeToken: String) {
        session = whole.session
        participant = whole.participant
        participants = whole.participants
        waiting = whole.waiting
        hands = whole.hands
        dominantSpeaker = whole.dominantSpeaker
        seats = whole.seats
        self.answer = answer
        self.resumeToken = resumeToken
        seq = whole.seq
    }

    private enum CodingKeys: String, CodingKey {
        case state, session, participant, participants, waiting, hands, dominantSpeaker, seats, answer
        case iceServers, resumeToken, seq
    }
}

/// The answer to `joinSession` of somebody who waits to be admitted.
struct WaitResult: Encodable, Sendable {
    let state = "waiting"
    let session: SessionObject
    let participant: ParticipantObject

    private enum CodingKeys: String, CodingKey {
        case state, session, participant
    }
}

struct ResumeResult: Encodable {
    let events: [EventObject]?
    let snapshot: SnapshotObject?
    let resumeToken: String
}

struct AnswerResult: Encodable, Sendable {
    let answer: String
}
