/// What participants change about themselves. Each is told to everyone, and repeating it does nothing.
extension MeetingSession {
    public mutating func muteAudio(_ id: ParticipantID, now time: Int64) throws(MeetingError) {
        _ = try joined(id)
        clock(time)
        mute(id, by: nil)
    }

    public mutating func unmuteAudio(_ id: ParticipantID, now time: Int64) throws(MeetingError) {
        let member = try joined(id)
        guard !member.participant.audioLocked else { throw .audioLocked }
        try startPublishing(from: .microphone, id)
        clock(time)
        guard member.participant.audioMuted else { return }
        put(.setSource(.microphone, of: id, live: true))
        playScreenSound(of: id)
        change(id, { $0.audioMuted = false }, SessionEvent.participantAudioUnmuted)
    }

    public mutating func pauseVideo(_ id: ParticipantID, now time: Int64) throws(MeetingError) {
        _ = try joined(id)
        clock(time)
        pause(id, by: nil)
    }

    public mutating func resumeVideo(_ id: ParticipantID, now time: Int64) throws(MeetingError) {
        let member = try joined(id)
        try startPublishing(from: .camera, id)
        clock(time)
        guard member.participant.videoPaused else { return }
        put(.setSource(.camera, of: id, live: true))
        change(id, { $0.videoPaused = false }, SessionEvent.participantVideoResumed)
    }

    /// Shares a screen, and its sound if that may be published and no moderator locked what is heard of the participant.
    /// Sound that a lock took away is back with `unmuteAudio`, or with the next share.
    public mutating func startScreenSharing(_ id: ParticipantID, now time: Int64) throws(MeetingError) {
        let member = try joined(id)
        try startPublishing(from: .screen, id)
        clock(time)
        guard !member.participant.isPresenting else { return }
        put(.setSource(.screen, of: id, live: true))
        if members[id]?.grants.publish.contains(.screenAudio) == true, !member.participant.audioLocked {
            put(.setSource(.screenAudio, of: id, live: true))
        }
        change(id, { $0.isPresenting = true }, SessionEvent.participantStartedScreenShare)
    }

    public mutating func stopScreenSharing(_ id: ParticipantID, now time: Int64) throws(MeetingError) {
        _ = try joined(id)
        clock(time)
        stopShare(id, by: nil)
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
        _ = try joined(id)
        clock(time)
        lower(id, by: nil)
        return hands
    }

    // MARK: - Parts

    /// Throws unless somebody who is in may publish from a source. Whoever was given a scope when all presenters' places
    /// were taken gets one now, if one is free.
    private mutating func startPublishing(
        from source: Source, _ id: ParticipantID
    ) throws(MeetingError) {
        let member = try joined(id)
        if member.grants.publish.contains(source) { return }
        let publish = member.publishable(as: member.participant.scope)
        guard member.grants.publish.isEmpty, publish.contains(source) else {
            throw .publishNotAllowed(source)
        }
        try checkPresenters()
        members[id]?.grants.publish = publish
        put(.setPermissions(id, publish: publish))
    }
}
