import Meeting

/// What a session shows, at one moment.
extension SessionActor {
    func session() -> SessionObject {
        SessionObject(meeting.session)
    }

    func roster() -> [ParticipantObject] {
        meeting.roster.map(ParticipantObject.init)
    }

    /// Those who wait to be admitted, in the order in which they came.
    func waiting() -> [ParticipantObject] {
        meeting.waiting.map(ParticipantObject.init)
    }

    /// Somebody of the roster, or who waits.
    ///
    /// - Parameter hidden: whether those are found too whom the roster doesn't have.
    func shown(_ participant: ParticipantID, hidden: Bool) throws(APIError) -> ParticipantObject {
        if hidden, let found = meeting.participant(participant), found.state != .joining {
            return ParticipantObject(found)
        }
        let all = meeting.roster + meeting.waiting
        guard let found = all.first(where: { $0.id == participant }) else {
            throw APIError(MeetingError.participantNotFound)
        }
        return ParticipantObject(found)
    }

    /// How far somebody is on its way in; nil if it isn't, or not any more.
    func state(of participant: ParticipantID) -> Participant.State? {
        meeting.participant(participant)?.state
    }

    /// Refuses whoever isn't in: those who wait see nothing.
    func checkIsIn(_ participant: ParticipantID) throws(APIError) {
        guard let state = state(of: participant), state == .joined || state == .reconnecting else {
            throw APIError(MeetingError.notInSession)
        }
    }

    /// The uid of somebody who is in, on its way in or waiting.
    func uid(of participant: ParticipantID) -> String? {
        meeting.participant(participant)?.uid
    }
}
