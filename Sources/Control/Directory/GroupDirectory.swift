import JSON
import Meeting
import Storage

/// Groups, and who is what in them. The domain says who may do what; this asks the store, does it, and tells.
///
/// What is asked about one group is done one after the other, so that the scope that allowed something is still the one
/// that holds when it is done.
struct GroupDirectory: Sendable {
    let core: ControlCore
    let turns: Turnstile

    /// The group, or the error that it doesn't exist.
    func group(_ guid: String) async throws(APIError) -> Group {
        let group = try await core.stored { store throws(StoreError) in try await store.group(guid) }
        guard let group else { throw APIError(.guidNotFound, "there is no group \(guid)") }
        return group
    }

    /// What the caller is in a group that exists: a user must be a member of it.
    func principal(_ caller: Route.Caller, in guid: String) async throws(APIError) -> Principal {
        _ = try await group(guid)
        guard case .user(let token) = caller else { return .backEnd }
        return .user(token.uid, scope: try await scope(of: token.uid, in: guid))
    }

    /// The scope of a user in a group. Errors: banned, or no member.
    func scope(of uid: String, in guid: String) async throws(APIError) -> Scope {
        let member = try await member(uid, of: guid)
        // Whoever is banned is no member.
        let ban = try await member == nil ? ban(of: uid, in: guid) : nil
        return try APIError.translating { () throws(MeetingError) in
            try Group.admit(member, ban: ban, now: Clock.now())
        }
    }

    /// What a user finds under a session's id: its place in the group of that name, or nil for a session without one.
    /// Errors: no such group where sessions need one; banned, or no member.
    func place(of uid: String, in sessionID: String) async throws(APIError) -> Place? {
        if CallID.isOne(sessionID) {
            try await core.exchange.checkMayJoin(uid, sessionID)
            return nil
        }
        guard let group = try await groupMeeting(in: sessionID) else { return nil }
        return Place(scope: try await scope(of: uid, in: sessionID), places: group.maxParticipants)
    }

    /// The group whose session has this id; nil for a session without one. Errors: no such group where sessions need one.
    func groupMeeting(in sessionID: String) async throws(APIError) -> Group? {
        let group = try await core.stored { store throws(StoreError) in try await store.group(sessionID) }
        guard group != nil || core.settings.allowsAdHoc else {
            throw APIError(
                .guidNotFound, "there is no group \(sessionID), and sessions without one aren't allowed here")
        }
        return group
    }

    /// What a group says about a member who joins its session.
    struct Place: Sendable, Equatable {
        var scope: Scope
        /// Places in the session, if the group says how many.
        var places: Int?
    }

    // MARK: - For what changes groups

    func member(_ uid: String, of guid: String) async throws(APIError) -> Member? {
        try await core.stored { store throws(StoreError) in try await store.member(uid, of: guid) }
    }

    func ban(of uid: String, in guid: String) async throws(APIError) -> Ban? {
        try await core.stored { store throws(StoreError) in try await store.ban(of: uid, in: guid) }
    }

    /// Tells a running session of a scope, then the members of the group.
    func scopeChanged(_ uid: String, to scope: Scope, in guid: String, by author: Author) async {
        await core.registry.running(guid)?.memberScopeChanged(uid, to: scope, by: author)
        await tell(.memberScopeChanged(guid: guid, uid: uid, scope, by: author), about: uid, in: guid)
    }

    /// Tells the members of a group, and the one whom it is about.
    func tell(_ event: GroupEvent, about uid: String, in guid: String) async {
        guard let text = AppEvent.text(event) else { return }
        let members = try? await core.store.memberUIDs(of: guid)
        core.presence.tell(Set((members ?? []) + [uid]), text)
    }
}

extension Route.Caller {
    /// Who it is, as others are told.
    var author: Author {
        guard case .user(let token) = self else { return .backEnd }
        return .user(uid: token.uid)
    }
}
