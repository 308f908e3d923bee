/// Who may do what to whom.
extension MeetingSession {
    /// Somebody who acts, as it is at this moment.
    struct Acting {
        let author: Author
        /// Nil: a back end, which is above all scopes.
        let scope: Scope?

        /// Moderators' verbs are for moderators and above.
        func checkModerator() throws(MeetingError) {
            guard let scope else { return }
            guard scope >= .moderator else { throw .noModeratorScope }
        }

        /// Whether it stands above somebody.
        func isAbove(_ other: Scope) -> Bool {
            scope.map { $0 > other } ?? true
        }
    }

    /// Who it is that does something, as the others are told.
    public func author(_ principal: Principal) throws(MeetingError) -> Author {
        try acting(principal).author
    }

    func acting(_ principal: Principal) throws(MeetingError) -> Acting {
        if isOver { throw .over }
        switch principal.identity {
        case .backEnd: return Acting(author: .backEnd, scope: nil)
        case .user(let uid): return Acting(author: .user(uid: uid), scope: principal.scope ?? .viewer)
        case .participant(let id):
            let member = try joined(id).participant
            return Acting(
                author: .participant(id, uid: member.uid), scope: principal.scope ?? member.scope)
        }
    }

    /// Somebody who acts on the session as a whole.
    func moderator(_ principal: Principal) throws(MeetingError) -> Acting {
        let acting = try acting(principal)
        try acting.checkModerator()
        return acting
    }

    /// Somebody who acts on others, and on whom: each of them is below it.
    ///
    /// - Parameter openly: whether `openModeration` lets any participant do this to anybody else.
    func moderator(
        _ principal: Principal, of target: Target, openly: Bool = false
    ) throws(MeetingError) -> (Acting, [ParticipantID]) {
        let acting = try acting(principal)
        let isOpen =
            openly && session.settings.openModeration && (acting.scope.map { $0 >= .participant } ?? true)
        if !isOpen { try acting.checkModerator() }
        let ids = try find(target, for: acting)
        for id in ids {
            guard let participant = members[id]?.participant else { continue }
            guard participant.uid != acting.author.uid else { throw .selfAction }
            guard isOpen || acting.isAbove(participant.scope) else { throw .noClearance }
        }
        return (acting, ids)
    }

    /// Everybody who is in and below somebody who acts on all, itself apart.
    func those(below acting: Acting, except: [ParticipantID] = []) -> [ParticipantID] {
        let spared = Set(except)
        return order.filter { id in
            guard let member = members[id], !member.grants.hidden, !spared.contains(id) else { return false }
            return acting.isAbove(member.participant.scope) && member.participant.uid != acting.author.uid
        }
    }

    /// Those who are meant. Hidden ones are there for back ends, and for admins and owners who know their ids.
    private func find(_ target: Target, for acting: Acting) throws(MeetingError) -> [ParticipantID] {
        let seesHidden = acting.scope.map { $0 >= .admin } ?? true
        let found = order.filter { id in
            guard let member = members[id], !member.grants.hidden || seesHidden else { return false }
            return switch target {
            case .participant(let wanted): id == wanted
            case .user(let uid): member.participant.uid == uid
            }
        }
        guard !found.isEmpty else { throw .participantNotFound }
        return found
    }
}
