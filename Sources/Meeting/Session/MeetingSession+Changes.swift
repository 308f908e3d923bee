/// Changes to one participant, by itself or by somebody else. Repeating one does nothing.
extension MeetingSession {
    /// - Parameter lock: whether it can't unmute itself any more. Then it is heard from no source: a microphone needn't be
    ///   called one.
    /// - Returns: Whether anything changed.
    @discardableResult
    mutating func mute(_ id: ParticipantID, by author: Author?, lock: Bool = false) -> Bool {
        guard let participant = members[id]?.participant else { return false }
        if participant.audioMuted {
            guard lock, !participant.audioLocked else { return false }
            put(.setSource(.screenAudio, of: id, live: false))
            change(id, { $0.audioLocked = true }) { .participantUpdated($0, changed: ["audioLocked"]) }
            return true
        }
        put(.setSource(.microphone, of: id, live: false))
        if lock { put(.setSource(.screenAudio, of: id, live: false)) }
        if session.dominantSpeaker == id { changeDominantSpeaker(to: nil) }
        changeActiveSpeakers(to: activeSpeakers.filter { $0.participant != id })
        let mute = { (one: inout Participant) in
            one.audioMuted = true
            if lock { one.audioLocked = true }
        }
        change(id, mute) { .participantAudioMuted($0, by: author) }
        return true
    }

    @discardableResult
    mutating func pause(_ id: ParticipantID, by author: Author?) -> Bool {
        guard members[id]?.participant.videoPaused == false else { return false }
        put(.setSource(.camera, of: id, live: false))
        change(id, { $0.videoPaused = true }) { .participantVideoPaused($0, by: author) }
        return true
    }

    /// The sound of a screen that somebody shares is heard, if it may publish that and isn't locked.
    mutating func playScreenSound(of id: ParticipantID) {
        guard let member = members[id], member.participant.isPresenting, !member.participant.audioLocked,
            member.grants.publish.contains(.screenAudio)
        else { return }
        put(.setSource(.screenAudio, of: id, live: true))
    }

    @discardableResult
    mutating func stopShare(_ id: ParticipantID, by author: Author?) -> Bool {
        guard members[id]?.participant.isPresenting == true else { return false }
        put(.setSource(.screen, of: id, live: false))
        put(.setSource(.screenAudio, of: id, live: false))
        change(id, { $0.isPresenting = false }) { .participantStoppedScreenShare($0, by: author) }
        return true
    }

    @discardableResult
    mutating func switchOff(_ kind: MediaKind, of id: ParticipantID, by author: Author?, lock: Bool) -> Bool {
        switch kind {
        case .audio: mute(id, by: author, lock: lock)
        case .video: pause(id, by: author)
        case .screen: stopShare(id, by: author)
        }
    }

    @discardableResult
    mutating func lower(_ id: ParticipantID, by author: Author?) -> Bool {
        guard let participant = members[id]?.participant, participant.raisedHandAt != 0 else { return false }
        hands.removeAll { $0.participant == id }
        change(id, { $0.raisedHandAt = 0 }) { [hands] in .participantHandLowered($0, hands, by: author) }
        return true
    }

    /// Another scope, and with it other sources to publish. What may not be published any more is switched off first. Where
    /// all presenters' places are taken nothing may be, until one is free: see `startPublishing`.
    mutating func setScope(_ scope: Scope, of id: ParticipantID, by author: Author) {
        guard let member = members[id], member.participant.scope != scope else { return }
        var publish = member.publishable(as: scope)
        if member.grants.publish.isEmpty, !member.isWaiting, (try? checkPresenters()) == nil { publish = [] }
        if !publish.contains(.microphone) { mute(id, by: author) }
        if !publish.contains(.camera) { pause(id, by: author) }
        if !publish.contains(.screen) { stopShare(id, by: author) }
        if publish != member.grants.publish {
            members[id]?.grants.publish = publish
            put(.setPermissions(id, publish: publish))
        }
        let wasModerator = member.participant.scope >= .moderator
        change(id, { $0.scope = scope }) { .participantUpdated($0, changed: ["scope"]) }
        settleWait(of: id, by: author)
        guard scope >= .moderator, !wasModerator, member.hasJoined else { return }
        for waiting in waiting { tell(.waitingParticipant(waiting), to: [id]) }
    }

    /// Edits somebody; those who are in are told, if it is too.
    mutating func change(
        _ id: ParticipantID, _ edit: (inout Participant) -> Void, _ event: (Participant) -> SessionEvent
    ) {
        guard var participant = members[id]?.participant else { return }
        edit(&participant)
        members[id]?.participant = participant
        if members[id]?.hasJoined == true { tellAll(about: id, event(participant)) }
    }
}
