/// The waiting room.
extension MeetingSession {
    /// Whose wait is to end.
    public enum Waiters: Sendable, Equatable {
        case one(ParticipantID)
        case all
    }

    /// Those who wait, in the order in which they came.
    public var waiting: [Participant] {
        waitingOrder.compactMap { members[$0]?.participant }
    }

    /// As above, for moderators.
    public func waiting(for principal: Principal) throws(MeetingError) -> [Participant] {
        _ = try moderator(principal)
        return waiting
    }

    /// Lets somebody in, or all in their order as long as there are places.
    ///
    /// - Returns: How many were let in.
    @discardableResult
    public mutating func admit(
        _ waiters: Waiters, by principal: Principal, now time: Int64
    ) throws(MeetingError) -> Int {
        let acting = try moderator(principal)
        let ids = try find(waiters)
        clock(time)
        var admitted = 0
        for id in ids {
            guard let member = members[id] else { continue }
            let old = placeToTakeOver(uid: member.participant.uid, device: member.participant.deviceID).free
            do throws(MeetingError) {
                try checkPlace(replacing: old, publish: member.grants.publish)
            } catch {
                if admitted == 0, id == ids.last { throw error }
                continue
            }
            admitted += 1
            letIn(id, replacing: old, by: acting.author)
        }
        return admitted
    }

    /// Sends somebody away, or all.
    ///
    /// - Returns: How many were sent away.
    @discardableResult
    public mutating func deny(
        _ waiters: Waiters, by principal: Principal, now time: Int64
    ) throws(MeetingError) -> Int {
        let acting = try moderator(principal)
        let ids = try find(waiters)
        clock(time)
        for id in ids { endWait(of: id, by: acting.author) }
        endIfEmpty()
        return ids.count
    }

    /// How somebody who was admitted comes in; what it doesn't say is as when it began to wait.
    public struct Entry: Sendable {
        public var name: String?
        public var startAudioMuted: Bool?
        public var startVideoPaused: Bool?

        public init(name: String? = nil, startAudioMuted: Bool? = nil, startVideoPaused: Bool? = nil) {
            self.name = name
            self.startAudioMuted = startAudioMuted
            self.startVideoPaused = startVideoPaused
        }
    }

    /// Somebody who was admitted comes in: its place waits no longer for that. Complete or cancel its join.
    public mutating func beginEntry(
        _ id: ParticipantID, _ entry: Entry, now time: Int64
    ) throws(MeetingError) {
        if isOver { throw .over }
        guard let member = members[id], member.participant.state == .joining else { throw .notInSession }
        if let name = entry.name { try Limit.checkName(name, field: "displayName") }
        clock(time)
        var participant = member.participant
        participant.name = entry.name ?? participant.name
        participant.audioMuted = entry.startAudioMuted ?? participant.audioMuted
        participant.videoPaused = entry.startVideoPaused ?? participant.videoPaused
        muteOnEntry(&participant, publish: member.grants.publish)
        members[id]?.participant = participant
        members[id]?.admittedAt = nil
    }

    // MARK: - Parts

    /// The places of those who were admitted and don't come in are free again.
    mutating func endMissedEntries() {
        let missed = members.filter { entry in
            entry.value.admittedAt.map { now >= $0 + limits.enterWithinMs } ?? false
        }
        for id in missed.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            tell(.sessionLeft(.timeout), to: [id])
            members[id] = nil
            put(.drop(id, .timeout))
        }
    }

    private func find(_ waiters: Waiters) throws(MeetingError) -> [ParticipantID] {
        guard case .one(let id) = waiters else { return waitingOrder }
        guard waitingOrder.contains(id) else { throw .participantNotFound }
        return [id]
    }

    private var moderators: [ParticipantID] {
        order.filter { members[$0].map { $0.participant.scope >= .moderator } ?? false }
    }

    /// Somebody begins to wait, once on each device.
    mutating func wait(_ participant: Participant) {
        let old = waitingOrder.filter { id in
            guard let other = members[id]?.participant, other.uid == participant.uid else { return false }
            return other.deviceID != nil && other.deviceID == participant.deviceID
        }
        for id in old { endWait(of: id, by: nil, .replaced) }
        waitingOrder.append(participant.id)
        tell(.waitingParticipant(participant), to: moderators)
    }

    /// The scope of somebody who waits was changed, or the waiting room is no more. Moderators needn't wait; if there is
    /// no place they still do.
    mutating func settleWait(of id: ParticipantID, by author: Author) {
        guard let member = members[id], member.isWaiting, !letInUnlessItMustWait(id, by: author) else {
            return
        }
        tell(.waitingParticipant(member.participant), to: moderators)
    }

    /// Somebody who waits asks again: it may be that it needn't any more, and that there is a place now.
    public mutating func recheckWait(_ id: ParticipantID, now time: Int64) {
        clock(time)
        guard let member = members[id], member.isWaiting else { return }
        _ = letInUnlessItMustWait(id, by: .participant(id, uid: member.participant.uid))
    }

    private mutating func letInUnlessItMustWait(_ id: ParticipantID, by author: Author) -> Bool {
        guard let member = members[id] else { return false }
        let participant = member.participant
        if participant.scope < .moderator, session.settings.waitingRoom { return false }
        let old = placeToTakeOver(uid: participant.uid, device: participant.deviceID).free
        guard (try? checkPlace(replacing: old, publish: member.grants.publish)) != nil else { return false }
        letIn(id, replacing: old, by: author)
        return true
    }

    private mutating func letIn(_ id: ParticipantID, replacing old: ParticipantID?, by author: Author) {
        guard let member = members[id] else { return }
        tell(.admitted(member.participant, by: author), to: moderators + [id])
        waitingOrder.removeAll { $0 == id }
        members[id]?.participant.state = .joining
        members[id]?.replaces = old
        members[id]?.admittedAt = now
        put(.admit(id))
    }

    /// Somebody waits no longer, and doesn't come in. Its socket has other uses.
    mutating func endWait(of id: ParticipantID, by author: Author?, _ reason: LeaveReason = .left) {
        guard let member = members[id], member.isWaiting else { return }
        tell(.denied(member.participant, by: author), to: moderators + [id])
        waitingOrder.removeAll { $0 == id }
        members[id] = nil
        put(.drop(id, reason))
    }
}
