extension MeetingSession {
    /// Reserves a place. Nobody is told until `completeJoin`; `cancelJoin` gives the place back.
    ///
    /// Somebody of the same uid and device keeps being in until then, and needs no second place.
    public mutating func beginJoin(
        _ request: JoinRequest, now time: Int64
    ) throws(MeetingError) -> Participant {
        if isOver { throw .over }
        try request.check()
        clock(time)
        let replaced = present(uid: request.uid, device: request.deviceID)
        let isTakenOver = replaced.map { id in members.values.contains { $0.replaces == id } } ?? false
        guard (replaced != nil && !isTakenOver) || placesTaken < session.maxParticipants else {
            throw .full(maxParticipants: session.maxParticipants)
        }
        if members.isEmpty { session.type = request.type }
        let publish = request.grants.publishable(as: request.scope)
        let participant = Participant(
            id: request.id, uid: request.uid, name: request.name, avatar: request.avatar,
            scope: request.scope,
            state: .joining, audioMuted: request.startAudioMuted || !publish.contains(.microphone),
            audioLocked: false, videoPaused: request.startVideoPaused || !publish.contains(.camera),
            isPresenting: false, raisedHandAt: 0, joinedAt: now, deviceID: request.deviceID)
        var grants = request.grants
        grants.publish = publish
        members[request.id] = Member(
            participant: participant, grants: grants,
            log: EventLog(maxEntries: limits.eventLogEntries, maxBytes: limits.eventLogBytes),
            replaces: isTakenOver ? nil : replaced)
        return participant
    }

    /// The newcomer is in: whoever it replaces leaves, everyone is told. The snapshot comes before all its events.
    public mutating func completeJoin(
        _ id: ParticipantID, seats: [Seat], now time: Int64
    ) throws(MeetingError) -> Snapshot {
        if isOver { throw .over }
        guard let member = members[id], !member.hasJoined else { throw .notInSession }
        clock(time)
        if let old = present(uid: member.participant.uid, device: member.participant.deviceID) {
            remove(old, reason: .replaced)
        }
        if order.isEmpty { session.startedAt = now }
        members[id]?.participant.state = .joined
        members[id]?.participant.joinedAt = now
        members[id]?.seats = seats
        members[id]?.replaces = nil
        order.append(id)
        if !member.grants.hidden { session.participantCount += 1 }
        let snapshot = try snapshot(for: id)
        tell(.sessionJoined(session, snapshot.participant), to: [id])
        if !member.grants.hidden {
            tellAll(.participantJoined(snapshot.participant), except: id)
            rosterChanged()
        }
        return snapshot
    }

    /// Gives a reserved place back: the offer was refused, or the socket went away meanwhile.
    public mutating func cancelJoin(_ id: ParticipantID, now time: Int64) {
        clock(time)
        guard let member = members[id], !member.hasJoined else { return }
        members[id] = nil
        put(.drop(id, .left))
        endIfEmpty()
    }

    /// Leaves for good. Does nothing for somebody who isn't in.
    public mutating func leave(_ id: ParticipantID, reason: LeaveReason = .left, now time: Int64) {
        clock(time)
        guard let member = members[id], member.hasJoined else { return }
        remove(id, reason: reason)
        endIfEmpty()
    }

    /// Its socket is gone. It keeps its place for `resumeWithinMs`, and the others are told after `tellLostAfterMs`.
    public mutating func connectionLost(_ id: ParticipantID, now time: Int64) {
        clock(time)
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
        return result
    }

    /// Takes somebody out: it is told, its media stops, then the others are told.
    mutating func remove(_ id: ParticipantID, reason: LeaveReason) {
        guard let member = members[id] else { return }
        tell(.sessionLeft(reason), to: [id])
        if dominantSpeaker == id { changeDominantSpeaker(to: nil, except: id) }
        order.removeAll { $0 == id }
        members[id] = nil
        put(.drop(id, reason))
        var participant = member.participant
        if hands.contains(where: { $0.participant == id }) {
            hands.removeAll { $0.participant == id }
            participant.raisedHandAt = 0
            tellAll(.participantHandLowered(participant, hands))
        }
        guard !member.grants.hidden else { return }
        tellAll(.participantLeft(participant, reason))
        rosterChanged()
    }

    /// The one who is in with the same uid on the same device.
    private func present(uid: String, device: String?) -> ParticipantID? {
        guard let device else { return nil }
        return order.first { id in
            members[id].map { $0.participant.uid == uid && $0.participant.deviceID == device } ?? false
        }
    }
}

/// What somebody who comes back gets.
public enum Resumption: Sendable, Equatable {
    case events([NumberedEvent])
    /// The missed events are no longer kept.
    case snapshot(Snapshot)
}
