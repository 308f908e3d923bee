/// One call, from ringing to its end: a state machine whose commands return what has to happen.
///
/// Between two users it is over when either hangs up. In a group the caller is in from the start, anybody who was
/// called joins, leaves and comes back, and it is over when nobody is in.
public struct Call: Sendable {
    /// As the call log has it.
    public internal(set) var record: CallRecord
    /// When it stops to ring, in milliseconds since 1970.
    public let ringsUntil: Int64
    /// Somebody's devices ring.
    public internal(set) var isRinging = true
    /// When it ends if nobody has come to its session by then; nil once somebody has.
    var joinBy: Int64?

    let caller: CallAddress
    var parties: [String: Party] = [:]
    /// Those called, in the order in which they were named.
    let called: [String]

    struct Party: Sendable {
        let name: String
        var isIn = false
        /// Answered, was let go of, or was never rung.
        var isRung: Bool
        var device: String?
        /// Where its present or last stay is in the record.
        var index: Int
        var stays = 0
        /// Of its devices, those that are in the call's session.
        var devicesInside = 0
    }

    /// A call that rings from `now` on.
    init(_ request: CallRequest, now: Int64) throws(MeetingError) {
        try request.check()
        let called = request.called
        self.called = called.map(\.uid)
        caller = CallAddress(uid: request.caller.uid, devices: request.device.map { .only($0) } ?? .all)
        ringsUntil = now + Int64(request.timeoutSeconds) * 1_000
        record = CallRecord(
            id: request.recordID, sessionID: request.sessionID, initiator: request.caller,
            receiver: request.receiver, kind: request.kind, mode: .call, initiatedAt: now,
            metadata: request.metadata)
        for (index, party) in ([request.caller] + called).enumerated() {
            parties[party.uid] = Party(name: party.name, isRung: index > 0, index: index)
            record.participants.append(
                CallParticipant(id: party.uid, uid: party.uid, name: party.name, state: .unanswered))
        }
        record.participants[0].deviceID = request.device
        parties[request.caller.uid]?.device = request.device
    }

    public var sessionID: String { record.sessionID }
    public var isGroupCall: Bool { record.receiver?.kind == .group }
    public var isOver: Bool { record.status != .initiated && record.status != .ongoing }

    /// Whether the user calls, is called or takes part.
    public func hasPart(_ uid: String) -> Bool { parties[uid] != nil }

    /// Whether the user's devices ring.
    public func rings(_ uid: String) -> Bool { isRinging && parties[uid]?.isRung == true }

    /// Whether the call keeps the user from others: those who are in, and before it is answered its caller and the one
    /// user who is called.
    public func engages(_ uid: String) -> Bool {
        guard !isOver, let party = parties[uid] else { return false }
        return party.isIn || (record.status == .initiated && (!isGroupCall || uid == caller.uid))
    }

    /// When something happens by itself: it stops to ring, or nobody came.
    var nextDeadline: Int64? {
        guard !isOver, let joinBy else { return isRinging ? ringsUntil : nil }
        return isRinging ? min(ringsUntil, joinBy) : joinBy
    }

    // MARK: - Commands

    /// What follows from the call having been made.
    func begin() -> [CallOutput] {
        [
            .record(record),
            .event(.incomingCallReceived(record), to: called.map { CallAddress(uid: $0) }),
            .push(record, to: called),
        ]
    }

    /// Carries out a command, or throws and changes nothing.
    mutating func apply(
        _ command: CallCommand, by uid: String, device: String?, now: Int64
    ) throws(MeetingError) -> [CallOutput] {
        guard let party = parties[uid] else { throw .notAPart }
        if isOver { throw .callOver }
        if isGroupCall { return try applyInGroup(command, by: uid, party, device: device, now: now) }
        let isCaller = uid == caller.uid
        switch (command, record.status) {
        case (.accept, .ongoing) where !isCaller && party.device == device: return []
        case (.end, .ongoing): return close(now)
        case (.end, _): throw .callNotStarted
        case (_, .ongoing): throw .callOngoing
        case (.accept, _), (.reject, _), (.busy, _): if isCaller { throw .otherSide }
        case (.cancel, _), (.unanswered, _): if !isCaller { throw .otherSide }
        }
        switch command {
        case .accept: return answer(by: uid, device: device, now)
        case .reject: return turnDown(as: .rejected, by: uid, device: device, now)
        case .busy: return turnDown(as: .busy, by: uid, device: device, now)
        case .cancel, .unanswered, .end: return giveUp(command, now)
        }
    }

    /// The time to ring is up, if it is: nobody answered, or in a group call some didn't. Or nobody came to the session.
    mutating func expire(now: Int64) -> [CallOutput] {
        if !isOver, let joinBy, now >= joinBy { return close(now) }
        guard isRinging, now >= ringsUntil else { return [] }
        if record.status == .initiated { return giveUp(.unanswered, now) }
        isRinging = false
        return stopRinging(.timeout)
    }

    // MARK: - Parts

    /// The first answer: both sides are in.
    mutating func answer(by uid: String, device: String?, _ now: Int64) -> [CallOutput] {
        record.status = .ongoing
        record.startedAt = now
        joinBy = now + Self.joinWithinMs
        enter(caller.uid, device: parties[caller.uid]?.device, now)
        enter(uid, device: device, now)
        if !isGroupCall { isRinging = false }
        let by = CallParty(uid: uid, name: parties[uid]?.name ?? uid)
        return [
            .record(record), .event(.outgoingCallAccepted(record, by: by), to: [caller]),
            silenceOthers(of: uid, device),
        ]
    }

    private mutating func turnDown(
        as status: CallRecord.Status, by uid: String, device: String?, _ now: Int64
    ) -> [CallOutput] {
        finish(as: status, now)
        if let index = parties[uid]?.index { record.participants[index].state = .rejected }
        return [
            .record(record), .event(.outgoingCallRejected(record), to: [caller]),
            silenceOthers(of: uid, device),
        ]
    }

    /// Nobody answered. The caller is told unless it gave up itself.
    mutating func giveUp(_ command: CallCommand, _ now: Int64) -> [CallOutput] {
        finish(as: command == .cancel ? .cancelled : .unanswered, now)
        let stops = stopRinging(command == .cancel ? .cancelled : .timeout)
        guard command != .cancel else { return [.record(record)] + stops }
        return [.record(record), .event(.outgoingCallRejected(record), to: [caller])] + stops
    }

    /// Ends for all who were ever in.
    mutating func close(_ now: Int64) -> [CallOutput] {
        for uid in present { exit(uid, now) }
        finish(as: .ended, now)
        let stops = stopRinging(.cancelled)
        let were = ([caller.uid] + called).filter { (parties[$0]?.stays ?? 0) > 0 }
        return [.record(record)] + stops + [
            .event(.callEnded(record), to: were.map { CallAddress(uid: $0) }), .endSession(sessionID),
        ]
    }

    /// Silences those who still ring.
    mutating func stopRinging(_ reason: CallEvent.CancelReason) -> [CallOutput] {
        let rung = called.filter { parties[$0]?.isRung == true }
        for uid in rung { parties[uid]?.isRung = false }
        guard !rung.isEmpty else { return [] }
        return [.event(.incomingCallCancelled(record, reason), to: rung.map { CallAddress(uid: $0) })]
    }

    mutating func silenceOthers(of uid: String, _ device: String?) -> CallOutput {
        parties[uid]?.isRung = false
        let others = CallAddress(uid: uid, devices: device.map { .allBut($0) } ?? .all)
        return .event(.incomingCallCancelled(record, .answeredElsewhere), to: [others])
    }

    mutating func finish(as status: CallRecord.Status, _ now: Int64) {
        record.status = status
        record.endedAt = now
        isRinging = false
    }

    /// A stay begins. The first one has the entry that was made when the user was rung; each other one its own.
    mutating func enter(_ uid: String, device: String?, _ now: Int64) {
        guard var party = parties[uid] else { return }
        party.stays += 1
        if party.stays > 1 {
            party.index = record.participants.count
            record.participants.append(
                CallParticipant(id: "\(uid)#\(party.stays)", uid: uid, name: party.name, state: .ongoing))
        }
        party.isIn = true
        party.device = device
        parties[uid] = party
        record.participants[party.index].state = .ongoing
        record.participants[party.index].deviceID = device
        record.participants[party.index].joinedAt = now
    }

    mutating func exit(_ uid: String, _ now: Int64) {
        guard let party = parties[uid], party.isIn else { return }
        parties[uid]?.isIn = false
        record.participants[party.index].state = .ended
        record.participants[party.index].leftAt = now
    }
}
