import JSON
import Meeting

/// `data` of each event.
struct EventData: Encodable {
    let event: SessionEvent
    let sessionID: String

    private enum Key: String, CodingKey {
        case session, participant, participants, reason, changed, hands, seats, message, by
        case speakers, encodings, secondsLeft, participantId, score, deadlineAt
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        switch event {
        case .sessionJoined(let session, let participant):
            try object.encode(SessionObject(session), forKey: .session)
            try object.encode(ParticipantObject(participant), forKey: .participant)
        case .sessionLeft(let reason):
            try object.encode(reason.rawValue, forKey: .reason)
        case .sessionUpdated(let session):
            try object.encode(SessionObject(session), forKey: .session)
        case .participantLeft(let participant, let reason):
            try object.encode(ParticipantObject(participant), forKey: .participant)
            try object.encode(reason.rawValue, forKey: .reason)
        case .participantListChanged(let participants):
            try object.encode(participants.map(ParticipantObject.init), forKey: .participants)
        case .participantUpdated(let participant, let changed):
            try object.encode(ParticipantObject(participant), forKey: .participant)
            try object.encode(changed, forKey: .changed)
        case .participantHandRaised(let participant, let hands):
            try object.encode(ParticipantObject(participant), forKey: .participant)
            try object.encode(hands.map(HandObject.init), forKey: .hands)
        case .participantHandLowered(let participant, let hands, let author):
            try object.encode(ParticipantObject(participant), forKey: .participant)
            try object.encode(hands.map(HandObject.init), forKey: .hands)
            try object.encodeIfPresent(author.map(AuthorObject.init), forKey: .by)
        case .dominantSpeakerChanged(let participant):
            // The one null of the API: nobody speaks.
            try object.encode(participant.map(ParticipantObject.init), forKey: .participant)
        case .seatsChanged(let seats):
            try object.encode(seats.map(SeatObject.init), forKey: .seats)
        case .activeSpeakersChanged(let speakers):
            try object.encode(speakers.map(SpeakerObject.init), forKey: .speakers)
        case .publishHint(let hints):
            try object.encode(hints.map(EncodingHintObject.init), forKey: .encodings)
        case .message(let message):
            try object.encode(MessageObject(message, sessionID: sessionID), forKey: .message)
        case .participantJoined(let participant), .participantConnectionLost(let participant),
            .participantConnectionRestored(let participant), .participantAudioUnmuted(let participant),
            .participantVideoResumed(let participant), .participantStartedScreenShare(let participant),
            .waitingParticipant(let participant):
            try object.encode(ParticipantObject(participant), forKey: .participant)
        case .participantAudioMuted(let participant, let author),
            .participantVideoPaused(let participant, let author),
            .participantStoppedScreenShare(let participant, let author), .denied(let participant, let author):
            try object.encode(ParticipantObject(participant), forKey: .participant)
            try object.encodeIfPresent(author.map(AuthorObject.init), forKey: .by)
        case .admitted(let participant, let author):
            try object.encode(ParticipantObject(participant), forKey: .participant)
            try object.encode(AuthorObject(author), forKey: .by)
        case .unmuteRequested(let author):
            try object.encode(AuthorObject(author), forKey: .by)
        case .removed(let author, let reason):
            try object.encode(AuthorObject(author), forKey: .by)
            try object.encodeIfPresent(reason, forKey: .reason)
        case .sessionTimedOut: break
        case .sessionEnded(let reason):
            try object.encode(reason, forKey: .reason)
        case .idleWarning(let seconds):
            try object.encode(seconds, forKey: .secondsLeft)
        case .connectionQuality(let participant):
            try object.encode(participant.id.rawValue, forKey: .participantId)
            try object.encodeIfPresent(participant.connectionQuality, forKey: .score)
        case .serverDraining(let deadline):
            try object.encode(deadline, forKey: .deadlineAt)
        }
    }
}

/// Who did something to somebody else; empty for a back end.
private struct AuthorObject: Encodable {
    let participantId: String?
    let uid: String?

    init(_ author: Author) {
        participantId = author.participantID?.rawValue
        uid = author.uid
    }
}

/// Somebody who speaks.
private struct SpeakerObject: Encodable {
    let participantId: String
    let level: Int

    init(_ speaker: ActiveSpeaker) {
        participantId = speaker.participant.rawValue
        level = speaker.level
    }
}

/// What one is asked to do with an encoding.
private struct EncodingHintObject: Encodable {
    let mid: String
    let rid: String?
    let active: Bool
    let maxBitrateBps: Int?

    init(_ hint: EncodingHint) {
        mid = hint.mid
        rid = hint.rid
        active = hint.active
        maxBitrateBps = hint.maxBitrateBps
    }
}

/// An event as text, made once for all who get it: only `seq` differs.
struct EncodedEvent {
    private let head: [UInt8]
    private let tail: [UInt8]

    /// Nil if the event can't be written, which would be a fault of ours.
    init?(_ event: SessionEvent, sessionID: String, at: Int64) {
        guard let data = try? JSON.encode(EventData(event: event, sessionID: sessionID)) else { return nil }
        // Names and ids have no characters that JSON would escape.
        head = Array(#"{"event":"\#(event.name)","sessionId":"\#(sessionID)","seq":"#.utf8)
        tail = Array(#","at":\#(at),"data":"#.utf8) + data + [UInt8(ascii: "}")]
    }

    /// The message to one of them; all share its bytes but the number.
    func text(seq: Int) -> OutboundText {
        OutboundText([head, Array(String(seq).utf8), tail])
    }
}

/// An event as a value, for the answer to `resumeSession`.
struct EventObject: Encodable {
    let event: String
    let sessionId: String
    let seq: Int
    let at: Int64
    let data: EventData

    init(_ entry: NumberedEvent, sessionID: String) {
        event = entry.event.name
        sessionId = sessionID
        seq = entry.seq
        at = entry.at
        data = EventData(event: entry.event, sessionID: sessionID)
    }
}
