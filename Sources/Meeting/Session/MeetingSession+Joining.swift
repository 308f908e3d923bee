extension MeetingSession {
    /// Reserves a place, or puts somebody into the waiting room: then its state is `waiting`, it holds no place, and
    /// an `admit` output says when it does. Nobody is told of a place until `completeJoin`; `cancelJoin` gives it back.
    ///
    /// Somebody of the same uid and device keeps being in until then, and needs no second place.
    public mutating func beginJoin(
        _ request: JoinRequest, now time: Int64
    ) throws(MeetingError) -> Participant {
        if isOver { throw .over }
        try request.check()
        clock(time)
        let publish = request.grants.publishable(as: request.scope)
        let replaced = placeToTakeOver(uid: request.uid, device: request.deviceID)
        let waits = try admission(of: request, replacing: replaced.id)
        if !waits { try checkPlace(replacing: replaced.free, publish: publish) }
        if members.isEmpty { session.type = request.type }
        var participant = Participant(
            id: request.id, uid: request.uid, name: request.name, avatar: request.avatar,
            scope: request.scope, state: waits ? .waiting : .joining, audioMuted: request.startAudioMuted,
            audioLocked: false, videoPaused: request.startVideoPaused, isPresenting: false, raisedHandAt: 0,
            joinedAt: now, deviceID: request.deviceID)
        muteOnEntry(&participant, publish: publish)
        var grants = request.grants
        grants.publish = publish
        members[request.id] = Member(
            participant: participant, grants: grants, granted: request.grants.publish,
            log: EventLog(maxEntries: limits.eventLogEntries, maxBytes: limits.eventLogBytes),
            wantsActiveSpeakers: request.wantsActiveSpeakers,
            replaces: waits ? nil : replaced.free)
        if waits { wait(participant) }
        return participant
    }

    /// The newcomer is in: whoever it replaces leaves, everyone is told. The snapshot comes before all its events.
    public mutating func completeJoin(
        _ id: ParticipantID, seats: [Seat], now time: Int64
    ) throws(MeetingError) -> Snapshot {
        if isOver { throw .over }
        guard let member = members[id], member.participant.state == .joining else { throw .notInSession }
        clock(time)
        for old in replaceable(uid: member.participant.uid, device: member.participant.deviceID) {
            remove(old, reason: .replaced)
        }
        if order.isEmpty { session.startedAt = now }
        hasBegun = true
        members[id]?.participant.state = .joined
        members[id]?.participant.joinedAt = now
        members[id]?.seats = seats
        members[id]?.replaces = nil
        members[id]?.admittedAt = nil
        order.append(id)
        if !member.grants.hidden { session.participantCount += 1 }
        noteCompany()
        beginStay(of: id)
        announce()
        let snapshot = try snapshot(for: id)
        tell(.sessionJoined(session, snapshot.participant), to: [id])
        if !member.grants.hidden {
            tellAll(.participantJoined(snapshot.participant), except: id)
            rosterChanged()
        }
        remindOfDraining(id, now: now)
        tellWhatSnapshotsLack(id, isNew: true)
        return snapshot
    }

    /// What the session makes of somebody on its way in now: it may have become stricter since it was asked. Whoever
    /// completes the join lets the outputs take effect before, until nothing changes any more.
    ///
    /// - Returns: Whether anything changed.
    public mutating func recheckEntry(_ id: ParticipantID, now time: Int64) -> Bool {
        clock(time)
        guard let member = members[id], member.participant.state == .joining else { return false }
        let before = member.participant
        var participant = before
        muteOnEntry(&participant, publish: member.grants.publish)
        guard participant != before else { return false }
        members[id]?.participant = participant
        if participant.audioMuted, !before.audioMuted { put(.setSource(.microphone, of: id, live: false)) }
        if participant.videoPaused, !before.videoPaused { put(.setSource(.camera, of: id, live: false)) }
        return true
    }

    /// Gives a reserved place back: the offer was refused, or the socket went away meanwhile.
    public mutating func cancelJoin(_ id: ParticipantID, now time: Int64) {
        clock(time)
        guard let member = members[id], !member.hasJoined else { return }
        if member.isWaiting {
            endWait(of: id, by: nil)
        } else {
            members[id] = nil
            put(.drop(id, .left))
        }
        endIfEmpty()
    }

    /// Leaves for good, or waits no longer. Does nothing for somebody who isn't in.
    public mutating func leave(_ id: ParticipantID, reason: LeaveReason = .left, now time: Int64) {
        clock(time)
        guard let member = members[id], member.participant.state != .joining else { return }
        if member.isWaiting { endWait(of: id, by: nil) } else { remove(id, reason: reason) }
        endIfEmpty()
    }

    /// Its socket is gone. It keeps its place for `resumeWithinMs`, and the others are told after `tellLostAfterMs`.
    /// Whoever waits, or was admitted and hasn't begun to come in, doesn't any more.
    public mutating func connectionLost(_ id: ParticipantID, now time: Int64) {
        clock(time)
        if let member = members[id], member.isWaiting || member.admittedAt != nil {
            return cancelJoin(id, now: time)
        }
        guard let member = members[id], member.hasJoined, member.lostAt == nil else { return }
        members[id]?.lostAt = now
    }

    /// Comes back on another socket, knowing the events up to `lastSeq`.
    ///
    /// - Returns: What it missed, in order; outputs that follow come after it.
    public mutating func resume(
        _ id: ParticipantID, lastSeq: Int, now time: Int64
    ) throws(MeetingError) -> Resumption {
        let member = try joined(id)
        guard lastSeq >= 0, lastSeq <= member.log.lastSeq else {
            throw .invalid(field: "lastSeq", reason: "must be 0 to \(member.log.lastSeq)")
        }
        clock(time)
        let wasTold = member.lossTold
        members[id]?.lostAt = nil
        members[id]?.lossTold = false
        if wasTold { members[id]?.participant.state = .joined }
        let result: Resumption
        if let missed = member.log.events(after: lastSeq, roster: roster) {
            result = .events(missed)
        } else {
            result = .snapshot(try snapshot(for: id))
        }
        if wasTold, let restored = members[id]?.participant {
            tellAll(about: id, .participantConnectionRestored(restored))
        }
        if case .snapshot = result { tellWhatSnapshotsLack(id, isNew: false) }
        return result
    }

    /// Takes somebody out: it is told, its media stops, then the others are told.
    mutating func remove(_ id: ParticipantID, reason: LeaveReason) {
        guard let member = members[id] else { return }
        tell(.sessionLeft(reason), to: [id])
        if session.dominantSpeaker == id { changeDominantSpeaker(to: nil, except: id) }
        changeActiveSpeakers(to: activeSpeakers.filter { $0.participant != id }, except: id)
        order.removeAll { $0 == id }
        members[id] = nil
        endStay(of: id)
        put(.drop(id, reason))
        var participant = member.participant
        if participant.audioLocked, lockedOutside.count < limits.maxLockedOutside {
            lockedOutside.insert(participant.uid)
        }
        if hands.contains(where: { $0.participant == id }) {
            hands.removeAll { $0.participant == id }
            participant.raisedHandAt = 0
            tellAll(.participantHandLowered(participant, hands, by: nil))
        }
        if !member.grants.hidden {
            session.participantCount -= 1
            tellAll(.participantLeft(participant, reason))
            rosterChanged()
        }
        noteCompany()
    }

    /// Those whom a newcomer drives out when it is in: the same user on the same device, or on any if only one may be.
    private func replaceable(uid: String, device: String?) -> [ParticipantID] {
        let onlyOne = session.settings.duplicateUser == .replace
        guard onlyOne || device != nil else { return [] }
        return order.filter { id in
            guard let other = members[id]?.participant, other.uid == uid else { return false }
            return onlyOne || other.deviceID == device
        }
    }

    /// Whom a newcomer drives out, and whose place is free for it: nobody's, if another newcomer has it already.
    func placeToTakeOver(uid: String, device: String?) -> (id: ParticipantID?, free: ParticipantID?) {
        let old = replaceable(uid: uid, device: device)
        return (old.first, old.first { id in !members.values.contains { $0.replaces == id } })
    }

    /// What the session and the scope make of how somebody wants to come in.
    func muteOnEntry(_ participant: inout Participant, publish: Set<Source>) {
        let isMuted = session.settings.muteOnEntry && participant.scope < .moderator
        if isMuted || !publish.contains(.microphone) { participant.audioMuted = true }
        participant.audioLocked = isMuted && locksOnEntry
        if participant.scope < .moderator, hasLockedMicrophone(participant) {
            (participant.audioMuted, participant.audioLocked) = (true, true)
        }
        if !publish.contains(.camera) { participant.videoPaused = true }
    }

    /// Whether a moderator locked the microphone of this user on another device, or before it left.
    private func hasLockedMicrophone(_ newcomer: Participant) -> Bool {
        lockedOutside.contains(newcomer.uid)
            || members.values.contains { member in
                let other = member.participant
                return other.uid == newcomer.uid && other.id != newcomer.id && other.audioLocked
            }
    }

    /// Whether a newcomer may come in, or has to wait.
    private func admission(
        of request: JoinRequest, replacing replaced: ParticipantID?
    ) throws(MeetingError) -> Bool {
        if let until = bans[request.uid], now < until { throw .removed }
        if session.settings.duplicateUser == .refuse {
            let isElsewhere = members.values.contains { other in
                other.participant.uid == request.uid
                    && (request.deviceID == nil || other.participant.deviceID != request.deviceID)
            }
            if isElsewhere { throw .alreadyInSession }
        }
        guard replaced == nil, request.scope < .moderator else { return false }
        if session.settings.locked { throw .locked }
        guard session.settings.waitingRoom, !request.grants.hidden else { return false }
        guard waitingOrder.count < limits.maxWaiting else {
            throw .full(maxParticipants: session.maxParticipants)
        }
        return true
    }

    /// Whether there is a place, one of a presenter if need be.
    func checkPlace(replacing replaced: ParticipantID?, publish: Set<Source>) throws(MeetingError) {
        guard replaced != nil || placesTaken < session.maxParticipants else {
            throw .full(maxParticipants: session.maxParticipants)
        }
        if !publish.isEmpty { try checkPresenters(except: replaced) }
    }

    /// Whether this many more may publish.
    func checkPresenters(adding count: Int = 1, except id: ParticipantID? = nil) throws(MeetingError) {
        guard session.settings.mode == .presenter else { return }
        let presenters = members.count { entry in
            guard entry.key != id, !entry.value.isWaiting, !entry.value.grants.publish.isEmpty else {
                return false
            }
            // Whom it replaces is counted already.
            return entry.value.replaces.map { members[$0]?.grants.publish.isEmpty ?? true } ?? true
        }
        let maximum = session.settings.maxPresenters
        guard presenters + count <= maximum else { throw .presenterLimit(maxPresenters: maximum) }
    }
}

/// What somebody who comes back gets.
public enum Resumption: Sendable, Equatable {
    case events([NumberedEvent])
    /// The missed events are no longer kept.
    case snapshot(Snapshot)
}
