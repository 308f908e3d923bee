/// Taking participants out, and changing what they are.
extension MeetingSession {
    /// How long a removed user stays out if nobody says.
    public static let defaultBanSeconds = 60

    /// Takes somebody out and keeps the user out for a while.
    ///
    /// - Parameter banSeconds: 0: it may come back at once; −1: for the meeting's whole life.
    public mutating func removeParticipant(
        _ target: Target, reason: String? = nil, banSeconds: Int = defaultBanSeconds,
        by principal: Principal, now time: Int64
    ) throws(MeetingError) {
        let (acting, ids) = try moderator(principal, of: target)
        guard (-1...31_536_000).contains(banSeconds) else {
            throw .invalid(field: "banSeconds", reason: "must be -1 to 31536000")
        }
        if let reason { try Limit.checkLength(reason, field: "reason", limit: Limit.name) }
        clock(time)
        bans = bans.filter { now < $0.value }
        for uid in Set(ids.compactMap { members[$0]?.participant.uid }) where banSeconds != 0 {
            bans[uid] = banSeconds < 0 ? .max : now + Int64(banSeconds) * 1_000
            dropNewcomers(of: uid, reason: .removed)
        }
        for id in ids {
            tell(.removed(by: acting.author, reason: reason), to: [id])
            remove(id, reason: .removed)
        }
        endIfEmpty()
    }

    /// Gives somebody another scope, for this meeting.
    ///
    /// In the session of a group the scope is the group's: there `checkParticipantScope` comes first, then the group is
    /// changed, then `memberScopeChanged` is called.
    public mutating func setParticipantScope(
        _ target: Target, to scope: Scope, by principal: Principal, now time: Int64
    ) throws(MeetingError) {
        let (acting, ids) = try checkScope(scope, of: target, by: principal)
        clock(time)
        for id in ids { setScope(scope, of: id, by: acting.author) }
    }

    /// Throws what `setParticipantScope` would throw.
    ///
    /// - Returns: The user whose scope is to change.
    public func checkParticipantScope(
        _ scope: Scope, of target: Target, by principal: Principal
    ) throws(MeetingError) -> String {
        let (_, ids) = try checkScope(scope, of: target, by: principal)
        guard let uid = ids.first.flatMap({ members[$0]?.participant.uid }) else {
            throw .participantNotFound
        }
        return uid
    }

    /// Users who stay out of the session's next meeting too, and until when. Who was put out for a meeting's whole life
    /// may come to the next one.
    public func bansRunningOn(at time: Int64) -> [String: Int64] {
        bans.filter { $0.value != .max && time < $0.value }
    }

    // MARK: - The group

    /// The user is no longer in the group: was kicked, was banned or left.
    public mutating func memberRemoved(
        _ uid: String, by author: Author, reason: String? = nil, now time: Int64
    ) {
        clock(time)
        guard !isOver else { return }
        dropNewcomers(of: uid, reason: .removed)
        for id in order where members[id]?.participant.uid == uid {
            tell(.removed(by: author, reason: reason), to: [id])
            remove(id, reason: .removed)
        }
        endIfEmpty()
    }

    /// The user has another scope in the group. Holds for those who wait or join, too. Where all presenters' places are
    /// taken it publishes nothing, until it asks for it when one is free.
    public mutating func memberScopeChanged(
        _ uid: String, to scope: Scope, by author: Author, now time: Int64
    ) {
        clock(time)
        guard !isOver else { return }
        let ids = members.keys.filter { members[$0]?.participant.uid == uid }
        for id in ids.sorted(by: { $0.rawValue < $1.rawValue }) { setScope(scope, of: id, by: author) }
    }

    // MARK: - Parts

    private func checkScope(
        _ scope: Scope, of target: Target, by principal: Principal
    ) throws(MeetingError) -> (Acting, [ParticipantID]) {
        let (acting, ids) = try moderator(principal, of: target)
        let scopes = ids.compactMap { members[$0]?.participant.scope }
        if scopes.contains(.owner) { throw .ownerScope }
        if scope == .owner { throw .invalidScope }
        guard acting.isAbove(scope) else { throw .noClearance }
        if scopes.allSatisfy({ $0 == scope }) { throw .sameScope }
        let newPresenters = ids.count { id in
            members[id].map { $0.grants.publish.isEmpty && !$0.publishable(as: scope).isEmpty } ?? false
        }
        if newPresenters > 0 { try checkPresenters(adding: newPresenters) }
        return (acting, ids)
    }

    /// Takes a user's places and waits away that nobody was told of yet.
    private mutating func dropNewcomers(of uid: String, reason: LeaveReason) {
        let newcomers = members.filter { !$0.value.hasJoined && $0.value.participant.uid == uid }.keys
        for id in newcomers.sorted(by: { $0.rawValue < $1.rawValue }) {
            if members[id]?.isWaiting == true {
                endWait(of: id, by: nil)
            } else {
                members[id] = nil
                put(.drop(id, reason))
            }
        }
    }
}
