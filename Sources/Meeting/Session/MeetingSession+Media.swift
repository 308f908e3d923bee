/// What the media workers report.
extension MeetingSession {
    /// Who sits in a viewer's seats: all of them.
    public mutating func setSeats(_ seats: [Seat], of id: ParticipantID, now time: Int64) {
        clock(time)
        guard let member = members[id], member.hasJoined, member.seats != seats else { return }
        members[id]?.seats = seats
        tell(.seatsChanged(seats), to: [id])
    }

    /// Who speaks, or nobody. Those who are muted, hidden or not in can't be it.
    public mutating func setDominantSpeaker(_ id: ParticipantID?, now time: Int64) {
        clock(time)
        let member = id.flatMap { members[$0] }
        let mayBe = member.map { $0.hasJoined && !$0.grants.hidden && !$0.participant.audioMuted } ?? false
        changeDominantSpeaker(to: mayBe ? id : nil)
    }

    /// Who speaks, the loudest first. Those who are muted, hidden or not in don't.
    public mutating func setActiveSpeakers(_ speakers: [ActiveSpeaker], now time: Int64) {
        clock(time)
        let seen = speakers.filter { speaker in
            guard let member = members[speaker.participant] else { return false }
            return member.hasJoined && !member.grants.hidden && !member.participant.audioMuted
        }
        changeActiveSpeakers(to: seen)
    }

    /// What somebody is asked to send: all encodings of its videos.
    public mutating func setPublishHints(_ hints: [EncodingHint], of id: ParticipantID, now time: Int64) {
        clock(time)
        guard let member = members[id], member.hints != hints else { return }
        members[id]?.hints = hints
        if member.hasJoined { tell(.publishHint(hints), to: [id]) }
    }

    /// How well somebody is connected, 0 to 5. Told when it changes, and in large meetings when its turn comes.
    public mutating func setConnectionQuality(_ score: Int, of id: ParticipantID, now time: Int64) {
        clock(time)
        guard let member = members[id], member.hasJoined else { return }
        qualities.put(min(max(score, 0), 5), of: id)
        tellQualities()
    }

    /// Tells the scores whose turn it is.
    mutating func tellQualities() {
        while let (id, score) = qualities.take(at: now) {
            guard let member = members[id], member.participant.connectionQuality != score else { continue }
            qualities.told(to: order.count, prompt: limits.promptListEntries, at: now)
            change(id, { $0.connectionQuality = score }, SessionEvent.connectionQuality)
        }
    }

    /// What events told that no snapshot says.
    ///
    /// - Parameter isNew: it has been told nothing yet.
    mutating func tellWhatSnapshotsLack(_ id: ParticipantID, isNew: Bool) {
        guard let member = members[id] else { return }
        if !member.hints.isEmpty { tell(.publishHint(member.hints), to: [id]) }
        guard !isNew || !activeSpeakers.isEmpty else { return }
        if member.wantsActiveSpeakers { tell(.activeSpeakersChanged(activeSpeakers), to: [id]) }
    }

    mutating func changeActiveSpeakers(to speakers: [ActiveSpeaker], except: ParticipantID? = nil) {
        guard activeSpeakers != speakers else { return }
        activeSpeakers = speakers
        let wanting = order.filter { $0 != except && members[$0]?.wantsActiveSpeakers == true }
        tell(.activeSpeakersChanged(speakers), to: wanting)
    }

    mutating func changeDominantSpeaker(to id: ParticipantID?, except: ParticipantID? = nil) {
        guard session.dominantSpeaker != id else { return }
        session.dominantSpeaker = id
        tellAll(.dominantSpeakerChanged(id.flatMap { members[$0]?.participant }), except: except)
    }
}
