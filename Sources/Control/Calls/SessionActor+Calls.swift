import Meeting

/// What a session tells of itself, and what calls ask of it.
extension SessionActor {
    /// Called in the queue once somebody is in.
    func tellJoined(_ participant: ParticipantID) {
        if let stay = meeting.stay(of: participant) { tell(.joined(stay)) }
    }

    /// Called in the queue once somebody who was in is out.
    func tellLeft(_ participant: ParticipantID) {
        if let stay = meeting.stay(of: participant) { tell(.left(stay)) }
    }

    /// Called in the queue when the meeting has begun.
    func tellBegan() {
        if let record = meeting.record(id: meeting.session.meetingID) { tell(.began(record)) }
    }

    /// Called in the queue when it is over, if it had begun.
    func tellEnded() {
        if let record = meeting.record(id: meeting.session.meetingID) { tell(.ended(record)) }
    }

    private func tell(_ change: MeetingFeed.News.Change) {
        feed.tell(MeetingFeed.News(sessionID: id, meetingID: meeting.session.meetingID, change: change))
    }

    /// What there is to join; nil: joining would start a meeting.
    func activeMeeting() -> ActiveMeeting? { meeting.activeMeeting }

    /// All devices of a user leave.
    func dismiss(_ uid: String) async {
        for (participant, place) in places where place.uid == uid {
            meeting.cancelJoin(participant, now: clock.now())
            meeting.leave(participant, now: clock.now())
        }
        await settle()
    }
}
