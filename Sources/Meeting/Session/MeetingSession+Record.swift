/// What the call log and those outside see of a meeting.
extension MeetingSession {
    /// More stays than this aren't listed one by one.
    static let mostStays = 10_000

    /// The meeting as an entry of the call log; nil if nobody was in whom others could see.
    ///
    /// - Parameters:
    ///   - id: the entry's, the same each time.
    ///   - group: the group's name, if it is the session of one.
    public func record(id: String, group: String? = nil) -> CallRecord? {
        guard isAnnounced, let first = stays.first, let startedAt = first.joinedAt else { return nil }
        let receiver = session.guid.map { CallReceiver(kind: .group, id: $0, name: group ?? $0) }
        return CallRecord(
            id: id, sessionID: session.id, meetingID: session.meetingID,
            initiator: CallParty(uid: first.uid, name: first.name), receiver: receiver,
            kind: session.type == .audio ? .audio : .video,
            mode: session.settings.mode == .presenter ? .presenter : .meet,
            status: isOver ? .ended : .ongoing,
            initiatedAt: startedAt, startedAt: startedAt, endedAt: isOver ? now : nil, participants: stays)
    }

    /// Somebody's stay as the call log has it, also after it ended; nil for those who aren't listed.
    public func stay(of id: ParticipantID) -> CallParticipant? {
        stays.last { $0.id == id.rawValue }
    }

    /// What there is to join, for those outside; nil: nobody is in, so that joining starts a meeting.
    public var activeMeeting: ActiveMeeting? {
        guard !isOver, session.participantCount > 0 else { return nil }
        return ActiveMeeting(
            session: session, isLocked: session.settings.locked,
            isFull: placesTaken >= session.maxParticipants)
    }

    mutating func beginStay(of id: ParticipantID) {
        guard let member = members[id], !member.grants.hidden, stays.count < Self.mostStays else { return }
        stays.append(
            CallParticipant(
                id: id.rawValue, uid: member.participant.uid, name: member.participant.name,
                deviceID: member.participant.deviceID, state: .ongoing, joinedAt: now))
    }

    mutating func endStay(of id: ParticipantID) {
        guard let index = stays.lastIndex(where: { $0.id == id.rawValue }) else { return }
        stays[index].state = .ended
        stays[index].leftAt = now
    }
}

/// A meeting that goes on, as `getActiveCall` answers for a group.
public struct ActiveMeeting: Sendable, Equatable {
    public var session: Session
    /// Moderators alone come in.
    public var isLocked: Bool
    public var isFull: Bool
}
