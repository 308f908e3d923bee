/// What participants change about themselves. Each is told to everyone, and repeating it does nothing.
extension MeetingSession {
    public mutating func muteAudio(_ id: ParticipantID, now time: Int64) throws(MeetingError) {
        let member = try joined(id)
        clock(time)
        guard !member.participant.audioMuted else { return }
        put(.setSource(.microphone, of: id, live: false))
        if dominantSpeaker == id { changeDominantSpeaker(to: nil) }
        change(id, { $0.audioMuted = true }, SessionEvent.participantAudioMuted)
    }

    public mutating func unmuteAudio(_ id: ParticipantID, now time: Int64) throws(MeetingError) {
        let member = try joined(id)
        guard !member.participant.audioLocked else { throw .audioLocked }
        try check(member, mayPublish: .microphone)
        clock(time)
        guard member.participant.audioMuted else { return }
        put(.setSource(.microphone, of: id, live: true))
        change(id, { $0.audioMuted = false }, SessionEvent.participantAudioUnmuted)
    }

    public mutating func pauseVideo(_ id: ParticipantID, now time: Int64) throws(MeetingError) {
        let member = try joined(id)
        clock(time)
        guard !member.participant.videoPaused else { return }
        put(.setSource(.camera, of: id, live: false))
        change(id, { $0.videoPaused = true }, SessionEvent.participantVideoPaused)
    }

    public mutating func resumeVideo(_ id: ParticipantID, now time: Int64) throws(MeetingError) {
        let member = try joined(id)
        try check(member, mayPublish: .camera)
        clock(time)
        guard member.participant.videoPaused else { return }
        put(.setSource(.camera, of: id, live: true))
        change(id, { $0.videoPaused = false }, SessionEvent.participantVideoResumed)
    }

    /// Shares a screen, and its sound if that may be published.
    public mutating func startScreenSharing(_ id: ParticipantID, now time: Int64) throws(MeetingError) {
        let member = try joined(id)
        try check(member, mayPublish: .screen)
        clock(time)
        guard !member.participant.isPresenting else { return }
        put(.setSource(.screen, of: id, live: true))
        if member.grants.publish.contains(.screenAudio) {
            put(.setSource(.screenAudio, of: id, live: true))
        }
        change(id, { $0.isPresenting = true }, SessionEvent.participantStartedScreenShare)
    }

    public mutating func stopScreenSharing(_ id: ParticipantID, now time: Int64) throws(MeetingError) {
        let member = try joined(id)
        clock(time)
        guard member.participant.isPresenting else { return }
        put(.setSource(.screen, of: id, live: false))
        put(.setSource(.screenAudio, of: id, live: false))
        change(id, { $0.isPresenting = false }, SessionEvent.participantStoppedScreenShare)
    }

    public mutating func setDisplayName(
        _ id: ParticipantID, to name: String, now time: Int64
    ) throws(MeetingError) {
        let member = try joined(id)
        try Limit.checkName(name, field: "displayName")
        clock(time)
        guard member.participant.name != name else { return }
        change(id, { $0.name = name }) { .participantUpdated($0, changed: ["name"]) }
    }

    /// Names the session; needs moderator scope.
    public mutating func setTitle(_ title: String, by id: ParticipantID, now time: Int64) throws(MeetingError)
    {
        let member = try joined(id)
        guard member.participant.scope >= .moderator else { throw .noModeratorScope }
        try Limit.checkLength(title, field: "title", limit: Limit.name)
        clock(time)
        session.title = title.isEmpty ? nil : title
        tellAll(.sessionUpdated(session))
    }

    /// Raises a hand behind those that are up. Raising it again keeps its place.
    public mutating func raiseHand(_ id: ParticipantID, now time: Int64) throws(MeetingError) -> [Hand] {
        let member = try joined(id)
        guard !member.grants.hidden else { throw .hidden }
        clock(time)
        guard member.participant.raisedHandAt == 0 else { return hands }
        hands.append(Hand(participant: id, raisedAt: now))
        change(id, { [now] in $0.raisedHandAt = now }) { [hands] in .participantHandRaised($0, hands) }
        return hands
    }

    public mutating func lowerHand(_ id: ParticipantID, now time: Int64) throws(MeetingError) -> [Hand] {
        let member = try joined(id)
        clock(time)
        guard member.participant.raisedHandAt != 0 else { return hands }
        hands.removeAll { $0.participant == id }
        change(id, { $0.raisedHandAt = 0 }) { [hands] in .participantHandLowered($0, hands) }
        return hands
    }

    /// Sends to everyone or to those listed; the sender gets it too, so that all see one order.
    ///
    /// - Parameter messageID: made up by the caller.
    public mutating func sendMessage(
        _ draft: Message.Draft, from id: ParticipantID, messageID: String, now time: Int64
    ) throws(MeetingError) -> Message {
        let sender = try joined(id).participant
        try check(draft)
        clock(time)
        let message = Message(
            id: messageID, sender: id, senderUID: sender.uid, senderName: sender.name, type: draft.type,
            text: draft.text, data: draft.data, sentAt: now)
        if let listed = draft.to {
            let wanted = Set(listed + [id])
            tell(.message(message), to: order.filter(wanted.contains))
        } else {
            tellAll(.message(message))
        }
        return message
    }

    // MARK: - Parts

    private func check(_ draft: Message.Draft) throws(MeetingError) {
        guard !draft.type.isEmpty else { throw .invalid(field: "type", reason: "must not be empty") }
        try Limit.checkLength(draft.type, field: "type", limit: Limit.id)
        if let text = draft.text { try Limit.checkLength(text, field: "text", limit: Limit.text) }
        if let data = draft.data, data.utf8.count > Limit.data {
            throw .invalid(field: "data", reason: "must be at most \(Limit.data) bytes")
        }
        guard let to = draft.to else { return }
        guard !to.isEmpty else { throw .invalid(field: "to", reason: "must not be empty") }
        for id in to where members[id]?.hasJoined != true { throw .participantNotFound }
    }

    private func check(_ member: Member, mayPublish source: Source) throws(MeetingError) {
        guard member.grants.publish.contains(source) else { throw .publishNotAllowed(source) }
    }

    private mutating func change(
        _ id: ParticipantID, _ edit: (inout Participant) -> Void, _ event: (Participant) -> SessionEvent
    ) {
        guard var participant = members[id]?.participant else { return }
        edit(&participant)
        members[id]?.participant = participant
        tellAll(about: id, event(participant))
    }
}

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

    mutating func changeDominantSpeaker(to id: ParticipantID?, except: ParticipantID? = nil) {
        guard dominantSpeaker != id else { return }
        dominantSpeaker = id
        tellAll(.dominantSpeakerChanged(id.flatMap { members[$0]?.participant }), except: except)
    }
}
