/// What differs when a group is called.
extension Call {
    mutating func applyInGroup(
        _ command: CallCommand, by uid: String, _ party: Party, device: String?, now: Int64
    ) throws(MeetingError) -> [CallOutput] {
        let isCaller = uid == caller.uid
        let isOngoing = record.status == .ongoing
        switch command {
        case .accept:
            if party.isIn || (isCaller && !isOngoing) { throw .alreadyJoined }
            return isOngoing ? join(uid, device: device, now) : answer(by: uid, device: device, now)
        case .reject, .busy: throw .groupInvalidStatus
        case .cancel, .unanswered:
            if isOngoing { throw .callOngoing }
            if !isCaller { throw .otherSide }
            return giveUp(command, now)
        case .end:
            if !isOngoing { throw .callNotStarted }
            if !party.isIn { throw .alreadyLeft }
            return leave(uid, now)
        }
    }

    mutating func join(_ uid: String, device: String?, _ now: Int64) -> [CallOutput] {
        let rang = rings(uid)
        enter(uid, device: device, now)
        parties[uid]?.isRung = false
        return rang ? [.record(record), silenceOthers(of: uid, device)] : [.record(record)]
    }

    mutating func leave(_ uid: String, _ now: Int64) -> [CallOutput] {
        exit(uid, now)
        if present.isEmpty { return close(now) }
        let isInside = (parties[uid]?.devicesInside ?? 0) > 0
        return [.record(record)] + (isInside ? [.leaveSession(sessionID, uid: uid)] : [])
    }

    /// Somebody is no longer in the group: it has no part in the call any more.
    mutating func expel(_ uid: String, now: Int64) -> [CallOutput] {
        isGroupCall ? dismiss(uid, now: now) : []
    }

    /// Somebody has no part in the call any more, and its devices are told what ends it for them. Before anybody answered
    /// the call goes with its caller, and with the last one who could answer.
    mutating func dismiss(_ uid: String, now: Int64) -> [CallOutput] {
        guard !isOver, let party = parties[uid] else { return [] }
        if uid == caller.uid, record.status == .initiated {
            return giveUp(.cancel, now) + [.event(.callEnded(record), to: [caller])]
        }
        guard isGroupCall else { return record.status == .initiated ? giveUp(.unanswered, now) : close(now) }
        var outputs = party.isIn ? leave(uid, now) : []
        let rang = rings(uid)
        let wasIn = party.isIn && !isOver
        parties[uid] = nil
        if record.status == .initiated, called.allSatisfy({ parties[$0] == nil }) {
            outputs += giveUp(.unanswered, now)
        }
        let address = [CallAddress(uid: uid)]
        if rang { outputs.append(.event(.incomingCallCancelled(record, .cancelled), to: address)) }
        if wasIn { outputs.append(.event(.callEnded(record), to: address)) }
        return outputs
    }

    /// The group is gone: nobody answered, or the call ends.
    mutating func dissolve(now: Int64) -> [CallOutput] {
        guard isGroupCall, !isOver else { return [] }
        return record.status == .initiated ? giveUp(.unanswered, now) : close(now)
    }
}
