/// One meeting: who is in it, in which state, and what they are told. A state machine without clock or sockets.
///
/// Commands are methods that either throw and change nothing, or take effect; what has to happen because of them is
/// then polled with `takeOutputs()`, which the caller does after each input. `now` is milliseconds since 1970; a time
/// that runs backwards stands still.
public struct MeetingSession: Sendable {
    public internal(set) var session: Session
    public let limits: MeetingLimits
    /// Nobody is in it any more. Commands throw `over` from then on.
    public internal(set) var isOver = false
    /// Somebody ended it; otherwise its last participant has left.
    public internal(set) var wasEnded = false
    /// Participants with raised hands, in the order in which they were raised.
    public internal(set) var hands: [Hand] = []
    /// Who speaks, the loudest first.
    var activeSpeakers: [ActiveSpeaker] = []
    /// Scores that are to be told when their turn comes.
    var qualities = QualityQueue()

    var members: [ParticipantID: Member] = [:]
    /// Those who joined (not those joining), in that order.
    var order: [ParticipantID] = []
    /// Those in the waiting room, in the order in which they came.
    var waitingOrder: [ParticipantID] = []
    /// Users who were removed, and until when they stay out; milliseconds since 1970.
    public internal(set) var bans: [String: Int64] = [:]
    /// Whether those who are muted on entry can't unmute themselves.
    var locksOnEntry = false
    /// Users who left with a locked microphone: a lock isn't got rid of by coming in again.
    var lockedOutside: Set<String> = []
    /// Somebody has joined.
    var hasBegun = false
    /// It was made before anybody asked for it: it doesn't end before somebody has joined.
    let isMadeAhead: Bool
    /// Members of the group have been told.
    var isAnnounced = false
    /// Who was in and for how long, for the call log.
    var stays: [CallParticipant] = []
    /// Until when the server lets those who are in stay, once it is about to stop.
    var drainingDeadlineAt: Int64?
    /// Since when there is no company, and whether that was said.
    var aloneSince: Int64?
    var isWarned = false
    var now: Int64
    /// When the next full list is due, if one is.
    private var listDueAt: Int64?
    private var lastListAt = Int64.min / 2
    private var outputs: [Output] = []

    struct Member: Sendable {
        var participant: Participant
        /// With what the scope allows to publish.
        var grants: Grants
        /// What the token allows to publish, under any scope.
        let granted: Set<Source>
        var log: EventLog
        var seats: [Seat] = []
        let wantsActiveSpeakers: Bool
        /// What it is asked to send; empty: nothing was said.
        var hints: [EncodingHint] = []
        /// When its socket was lost, and whether the others know.
        var lostAt: Int64?
        var lossTold = false
        /// Whose place it will take over.
        var replaces: ParticipantID?
        /// When it was admitted, until it comes in.
        var admittedAt: Int64?

        var hasJoined: Bool { participant.state == .joined || participant.state == .reconnecting }
        var isWaiting: Bool { participant.state == .waiting }

        /// What its token lets it publish in a scope.
        func publishable(as scope: Scope) -> Set<Source> {
            Grants(publish: granted, hidden: grants.hidden).publishable(as: scope)
        }
    }

    /// A meeting that nobody has joined yet.
    ///
    /// - Parameters:
    ///   - sessionID: as people join it; valid as an id.
    ///   - meetingID: a UUID made up by the caller.
    ///   - guid: the group whose session it is.
    ///   - settings: valid ones; nil: the default ones, with the places that the limits say.
    ///   - bans: those of the last meeting that still hold.
    ///   - isMadeAhead: whether it waits for its first participant, however many are refused before.
    public init(
        sessionID: String, meetingID: String, guid: String? = nil, settings: SessionSettings? = nil,
        title: String? = nil, bans: [String: Int64] = [:], isMadeAhead: Bool = false,
        limits: MeetingLimits = MeetingLimits(), now: Int64
    ) {
        session = Session(
            id: sessionID, meetingID: meetingID, guid: guid, title: title, type: .video, startedAt: now,
            participantCount: 0,
            settings: settings ?? SessionSettings(maxParticipants: limits.maxParticipants))
        self.bans = bans
        self.isMadeAhead = isMadeAhead
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
            if member.isWaiting { return false }
            guard let replaced = member.replaces else { return true }
            return members[replaced] == nil
        }
    }

    public func participant(_ id: ParticipantID) -> Participant? {
        members[id]?.participant
    }

    /// The sources that somebody may publish now, whether it is in, on its way in or waiting.
    public func publishable(by id: ParticipantID) -> Set<Source>? {
        members[id]?.grants.publish
    }

    /// Everything that a participant may know now.
    public func snapshot(for id: ParticipantID) throws(MeetingError) -> Snapshot {
        guard let member = members[id], member.hasJoined else { throw .notInSession }
        return Snapshot(
            session: session, participant: member.participant, participants: roster, hands: hands,
            seats: member.seats, waiting: member.participant.scope >= .moderator ? waiting : [],
            seq: member.log.lastSeq)
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
        if listDueAt == nil { listDueAt = max(now, lastListAt + listIntervalMs) }
        sendListIfDue()
    }

    /// Ends a meeting that nobody is in or joining, such as one whose first join was refused. Those who wait for
    /// its first participant keep it; once it has begun they go with the last one.
    public mutating func endIfEmpty() {
        guard !isOver else { return }
        let mayEnd = members.isEmpty ? hasBegun || !isMadeAhead : hasBegun
        guard mayEnd, members.values.allSatisfy(\.isWaiting) else { return }
        finish(reason: "everyone has left")
    }

    // MARK: - Time

    /// When `advance(to:)` has something to do next, in milliseconds since 1970. Complexity: O(participants).
    public var nextDeadline: Int64? {
        var next = [listDueAt, idleDeadline, qualities.dueAt].compactMap { $0 }.min()
        for member in members.values {
            if let admittedAt = member.admittedAt {
                let due = admittedAt + limits.enterWithinMs
                next = min(next ?? due, due)
            }
            guard let lostAt = member.lostAt else { continue }
            let tellAfter = min(limits.tellLostAfterMs, limits.resumeWithinMs)
            let due = lostAt + (member.lossTold ? limits.resumeWithinMs : tellAfter)
            next = min(next ?? due, due)
        }
        return next
    }

    /// Does what is due: tells of lost connections, times out those who didn't come back, those who were admitted and
    /// didn't come in and those who are alone, sends the full list.
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
        endMissedEntries()
        endIfIdle()
        sendListIfDue()
        tellQualities()
        endIfEmpty()
    }

    private var listIntervalMs: Int64 {
        let (entries, prompt) = (Int64(order.count), Int64(max(1, limits.promptListEntries)))
        return entries <= prompt
            ? limits.listIntervalMs : limits.listIntervalMs * entries * entries / (prompt * prompt)
    }

    private mutating func sendListIfDue() {
        guard let due = listDueAt, now >= due else { return }
        listDueAt = nil
        lastListAt = now
        guard !order.isEmpty else { return }
        tellAll(.participantListChanged(roster))
    }
}
