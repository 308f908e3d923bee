/// One meeting: who is in it, in which state, and what they are told. A state machine without clock or sockets.
///
/// Commands are methods that either throw and change nothing, or take effect; what has to happen because of them is
/// then polled with `takeOutputs()`, which the caller does after each input. `now` is milliseconds since 1970; a time
/// that runs backwards stands still.
public struct MeetingSession: Sendable {
    public internal(set) var session: Session
    public let limits: MeetingLimits
    /// Nobody is in it any more. Commands throw `over` from then on.
    public private(set) var isOver = false
    /// Participants with raised hands, in the order in which they were raised.
    public internal(set) var hands: [Hand] = []
    public internal(set) var dominantSpeaker: ParticipantID?

    var members: [ParticipantID: Member] = [:]
    /// Those who joined (not those joining), in that order.
    var order: [ParticipantID] = []
    var now: Int64
    /// When the next full list is due, if one is.
    private var listDueAt: Int64?
    private var lastListAt = Int64.min / 2
    private var outputs: [Output] = []

    struct Member: Sendable {
        var participant: Participant
        var grants: Grants
        var log: EventLog
        var seats: [Seat] = []
        /// When its socket was lost, and whether the others know.
        var lostAt: Int64?
        var lossTold = false
        /// Whose place it will take over.
        var replaces: ParticipantID?

        var hasJoined: Bool { participant.state != .joining }
    }

    /// A meeting that nobody has joined yet.
    ///
    /// - Parameters:
    ///   - sessionID: as people join it; valid as an id.
    ///   - meetingID: a UUID made up by the caller.
    public init(sessionID: String, meetingID: String, limits: MeetingLimits = MeetingLimits(), now: Int64) {
        session = Session(
            id: sessionID, meetingID: meetingID, title: nil, type: .video, startedAt: now,
            participantCount: 0,
            maxParticipants: limits.maxParticipants)
        self.limits = limits
        self.now = now
    }

    /// What has to happen, in this order, since the last call.
    public mutating func takeOutputs() -> [Output] {
        defer { outputs.removeAll() }
        return outputs
    }

    /// Everybody who isn't hidden, in join order. Complexity: O(participants).
    public var roster: [Participant] {
        order.compactMap { id in
            guard let member = members[id], !member.grants.hidden else { return nil }
            return member.participant
        }
    }

    /// Places that are taken: those who joined and those who are joining, except where they replace one of the former.
    public var placesTaken: Int {
        members.values.count { member in
            guard let replaced = member.replaces else { return true }
            return members[replaced] == nil
        }
    }

    public func participant(_ id: ParticipantID) -> Participant? {
        members[id]?.participant
    }

    /// Everything that a participant may know now.
    public func snapshot(for id: ParticipantID) throws(MeetingError) -> Snapshot {
        guard let member = members[id], member.hasJoined else { throw .notInSession }
        return Snapshot(
            session: session, participant: member.participant, participants: roster, hands: hands,
            dominantSpeaker: dominantSpeaker, seats: member.seats, seq: member.log.lastSeq)
    }

    // MARK: - For the commands

    func joined(_ id: ParticipantID) throws(MeetingError) -> Member {
        if isOver { throw .over }
        guard let member = members[id], member.hasJoined else { throw .notInSession }
        return member
    }

    mutating func clock(_ time: Int64) {
        now = max(now, time)
    }

    mutating func put(_ output: Output) {
        outputs.append(output)
    }

    /// Numbers an event in the stream of each of these, and puts it out.
    mutating func tell(_ event: SessionEvent, to ids: [ParticipantID]) {
        var recipients: [Output.Recipient] = []
        recipients.reserveCapacity(ids.count)
        for id in ids {
            guard let seq = members[id]?.log.append(event, at: now) else { continue }
            recipients.append(Output.Recipient(participant: id, seq: seq))
        }
        if !recipients.isEmpty { outputs.append(.event(event, at: now, to: recipients)) }
    }

    mutating func tellAll(_ event: SessionEvent, except: ParticipantID? = nil) {
        tell(event, to: except == nil ? order : order.filter { $0 != except })
    }

    /// Tells everyone about somebody who isn't hidden; a hidden one's changes are told to itself alone.
    mutating func tellAll(about id: ParticipantID, _ event: SessionEvent) {
        guard let member = members[id] else { return }
        if member.grants.hidden {
            tell(event, to: [id])
        } else {
            tellAll(event)
        }
    }

    mutating func rosterChanged() {
        session.participantCount = order.count { members[$0]?.grants.hidden == false }
        if listDueAt == nil { listDueAt = max(now, lastListAt + limits.listIntervalMs) }
        sendListIfDue()
    }

    /// Ends a meeting that nobody is in or joining, such as one whose first join was refused.
    public mutating func endIfEmpty() {
        guard members.isEmpty, !isOver else { return }
        isOver = true
        outputs.append(.over)
    }

    // MARK: - Time

    /// When `advance(to:)` has something to do next, in milliseconds since 1970. Complexity: O(participants).
    public var nextDeadline: Int64? {
        var next = listDueAt
        for member in members.values {
            guard let lostAt = member.lostAt else { continue }
            let tellAfter = min(limits.tellLostAfterMs, limits.resumeWithinMs)
            let due = lostAt + (member.lossTold ? limits.resumeWithinMs : tellAfter)
            next = min(next ?? due, due)
        }
        return next
    }

    /// Does what is due: tells of lost connections, times out those who didn't come back, sends the full list.
    public mutating func advance(to time: Int64) {
        clock(time)
        for id in order {
            guard let member = members[id], let lostAt = member.lostAt else { continue }
            if now >= lostAt + limits.resumeWithinMs {
                remove(id, reason: .timeout)
            } else if now >= lostAt + limits.tellLostAfterMs, !member.lossTold {
                members[id]?.lossTold = true
                members[id]?.participant.state = .reconnecting
                if let lost = members[id]?.participant {
                    tellAll(about: id, .participantConnectionLost(lost))
                }
            }
        }
        sendListIfDue()
        endIfEmpty()
    }

    private mutating func sendListIfDue() {
        guard let due = listDueAt, now >= due else { return }
        listDueAt = nil
        lastListAt = now
        guard !order.isEmpty else { return }
        tellAll(.participantListChanged(roster))
    }
}
