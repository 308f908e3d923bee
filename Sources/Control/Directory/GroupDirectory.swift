import JSON
import Meeting
import Storage

/// Groups, and who may do what in them. What is asked about one group is done one after the other, so that the scope
/// that allowed something is still the one that holds when it is done.
struct GroupDirectory: Sendable {
    let core: ControlCore
    let turns: Turnstile

    /// The group, or the error that it doesn't exist.
    func group(_ guid: String) async throws(APIError) -> Group {
        let group = try await core.stored { store throws(StoreError) in try await store.group(guid) }
        guard let group else { throw APIError(.guidNotFound, "there is no group \(guid)") }
        return group
    }

    /// What the caller may do in a group that exists: a user must be a member of it.
    func standing(of caller: Route.Caller, in guid: String) async throws(APIError) -> Standing {
        _ = try await group(guid)
        guard case .user(let token) = caller else { return .backEnd }
        return Standing(uid: token.uid, scope: try await membership(of: token.uid, in: guid).scope)
    }

    /// A user's place in a group. Errors: banned, or no member.
    func membership(of uid: String, in guid: String) async throws(APIError) -> Member {
        if let member = try await member(uid, of: guid) { return member }
        let ban = try await core.stored { store throws(StoreError) in try await store.ban(of: uid, in: guid) }
        guard ban?.holds(at: Clock.now()) != true else {
            throw APIError(.bannedGroupMember, "\(uid) is banned from the group \(guid)")
        }
        throw APIError(.notGroupMember, "\(uid) is no member of the group \(guid)")
    }

    /// What a user finds under a session's id: its place in the group of that name, or nil for a session without one.
    /// Errors: no such group where sessions need one; banned, or no member.
    func place(of uid: String, in sessionID: String) async throws(APIError) -> Place? {
        if CallID.isOne(sessionID) {
            try await core.exchange.checkMayJoin(uid, sessionID)
            return nil
        }
        let group = try await core.stored { store throws(StoreError) in try await store.group(sessionID) }
        guard let group else {
            guard core.settings.allowsAdHoc else {
                throw APIError(
                    .guidNotFound,
                    "there is no group \(sessionID), and sessions without one aren't allowed here")
            }
            return nil
        }
        return Place(scope: try await membership(of: uid, in: sessionID).scope, places: group.maxParticipants)
    }

    /// What a group says about a member who joins its session.
    struct Place: Sendable, Equatable {
        var scope: Scope
        /// Places in the session, if the group says how many.
        var places: Int?
    }

    // MARK: - The group itself

    /// Makes or changes a group; true: it is new.
    func put(_ group: Group) async throws(APIError) -> Bool {
        try await turns.pass(group.guid) { () async throws(APIError) in
            let known = try await core.stored { store throws(StoreError) in try await store.group(group.guid)
            }
            guard known == nil || group.owner == nil || group.owner == known?.owner else {
                throw APIError(
                    .cannotChangeOwnerScope, "another owner comes by PUT /v1/groups/{guid}/owner",
                    details: [("field", "owner")])
            }
            let isNew = try await core.stored { store throws(StoreError) in
                try await store.putGroup(group, now: Clock.now())
            }
            guard let session = await core.registry.running(group.guid) else { return isNew }
            if isNew {
                // It began without a group, and so without its members.
                await session.end()
            } else {
                await session.setPlaces(group.maxParticipants ?? core.settings.meeting.maxParticipants)
            }
            return isNew
        }
    }

    func delete(_ guid: String) async throws(APIError) {
        try await turns.pass(guid) { () async throws(APIError) in
            try await core.stored { store throws(StoreError) in try await store.deleteGroup(guid) }
            await core.registry.running(guid)?.end()
            await core.exchange.groupDeleted(guid)
        }
    }

    /// Gives the group to another member; the one who had it becomes an admin.
    func transfer(_ guid: String, to uid: String, by caller: Route.Caller) async throws(APIError) -> Group {
        try await turns.pass(guid) { () async throws(APIError) in
            let standing = try await standing(of: caller, in: guid)
            guard standing.scope == nil || standing.scope == .owner else {
                throw APIError(.noClearance, "only its owner gives a group away")
            }
            try standing.checkIsNot(uid)
            let former = try await group(guid).owner
            let target = try await target(uid, of: guid)
            guard target.scope != .owner else { throw APIError(.sameScope, "\(uid) owns the group already") }
            try await core.stored { store throws(StoreError) in
                try await store.transferOwner(of: guid, to: uid, formerOwner: .admin)
            }
            if let former { await scopeChanged(former, to: .admin, in: guid, by: standing) }
            await scopeChanged(uid, to: .owner, in: guid, by: standing)
            return try await group(guid)
        }
    }

    // MARK: - Members

    /// Makes users members; returns those who weren't yet.
    func add(
        _ wanted: [(uid: String, scope: Scope)], to guid: String, by caller: Route.Caller
    ) async throws(APIError) -> [Member] {
        try await turns.pass(guid) { () async throws(APIError) in
            let standing = try await standing(of: caller, in: guid)
            try standing.checkModerates()
            for member in wanted { try standing.checkOutranks(member.scope) }
            let now = Clock.now()
            let members = wanted.map { Member(uid: $0.uid, scope: $0.scope, joinedAt: now) }
            let added = try await core.stored { store throws(StoreError) in
                try await store.addMembers(members, to: guid)
            }
            var rest = Set(added)
            let new = members.filter { rest.remove($0.uid) != nil }
            for member in new {
                await tell(.groupMemberJoined, guid, member.uid, scope: member.scope, by: standing)
            }
            return new
        }
    }

    func setScope(
        _ scope: Scope, of uid: String, in guid: String, by caller: Route.Caller
    ) async throws(APIError) -> Member {
        try await turns.pass(guid) { () async throws(APIError) in
            let standing = try await standing(of: caller, in: guid)
            try standing.checkModerates()
            try standing.checkIsNot(uid)
            var target = try await target(uid, of: guid)
            guard target.scope != .owner else {
                throw APIError(.cannotChangeOwnerScope, "the owner's scope changes by a transfer only")
            }
            try standing.checkOutranks(target.scope)
            try standing.checkOutranks(scope)
            guard target.scope != scope else {
                throw APIError(.sameScope, "\(uid) has scope \(scope.rawValue) already")
            }
            try await core.stored { store throws(StoreError) in
                try await store.setScope(scope, of: uid, in: guid)
            }
            target.scope = scope
            await scopeChanged(uid, to: scope, in: guid, by: standing)
            return target
        }
    }

    func kick(_ uid: String, from guid: String, by caller: Route.Caller) async throws(APIError) {
        try await turns.pass(guid) { () async throws(APIError) in
            let standing = try await standing(of: caller, in: guid)
            try standing.checkModerates()
            try standing.checkIsNot(uid)
            let target = try await target(uid, of: guid)
            try checkIsNoOwner(target, standing)
            try await core.stored { store throws(StoreError) in try await store.kick(uid, from: guid) }
            await core.registry.running(guid)?.memberRemoved(uid, by: standing.author)
            await core.exchange.memberRemoved(uid, from: guid)
            await tell(.groupMemberKicked, guid, uid, by: standing)
        }
    }

    // MARK: - Bans

    /// Keeps a user out, member or not.
    func ban(_ uid: String, from guid: String, by caller: Route.Caller) async throws(APIError) -> Ban {
        try await turns.pass(guid) { () async throws(APIError) in
            let standing = try await standing(of: caller, in: guid)
            try standing.checkModerates()
            try standing.checkIsNot(uid)
            let target = try await member(uid, of: guid)
            if let target { try checkIsNoOwner(target, standing) }
            let ban = Ban(uid: uid, bannedAt: Clock.now())
            _ = try await core.stored { store throws(StoreError) in try await store.ban(ban, in: guid) }
            await core.registry.running(guid)?.memberRemoved(uid, by: standing.author)
            await core.exchange.memberRemoved(uid, from: guid)
            await tell(.groupMemberBanned, guid, uid, by: standing)
            return ban
        }
    }

    func unban(_ uid: String, in guid: String, by caller: Route.Caller) async throws(APIError) {
        try await turns.pass(guid) { () async throws(APIError) in
            try await standing(of: caller, in: guid).checkModerates()
            let ban = try await core.stored { store throws(StoreError) in
                try await store.ban(of: uid, in: guid)
            }
            guard ban?.holds(at: Clock.now()) == true else {
                throw APIError(.notBanned, "\(uid) isn't banned from the group")
            }
            try await core.stored { store throws(StoreError) in try await store.unban(uid, in: guid) }
        }
    }

    // MARK: - Users

    /// Forgets a user, who leaves the sessions of its groups at once.
    func deleteUser(_ uid: String) async throws(APIError) {
        var guids: [String] = []
        var page = PageRequest(size: PageRequest.mostElements)
        while true {
            let groups = try await core.stored { [page] store throws(StoreError) in
                try await store.groups(member: uid, page)
            }
            guids += groups.elements.map(\.guid)
            guard page.number < groups.totalPages else { break }
            page.number += 1
        }
        try await core.stored { store throws(StoreError) in try await store.deleteUser(uid) }
        for guid in guids {
            await core.registry.running(guid)?.memberRemoved(uid, by: .backEnd)
            await core.exchange.memberRemoved(uid, from: guid)
            await tell(.groupMemberLeft, guid, uid, by: .backEnd)
        }
    }

    // MARK: - Parts

    private func scopeChanged(
        _ uid: String, to scope: Scope, in guid: String, by standing: Standing
    ) async {
        await core.registry.running(guid)?.memberScopeChanged(uid, to: scope, by: standing.author)
        await tell(.groupMemberScopeChanged, guid, uid, scope: scope, by: standing)
    }

    /// Tells the members of a group, and the one whom it is about.
    private func tell(
        _ name: GroupEvent.Name, _ guid: String, _ uid: String, scope: Scope? = nil, by standing: Standing
    ) async {
        let event = GroupEvent(guid: guid, uid: uid, scope: scope, by: standing.uid)
        guard let text = AppEvent.text(name.rawValue, event) else { return }
        let members = try? await core.store.memberUIDs(of: guid)
        core.presence.tell(Set((members ?? []) + [uid]), text)
    }

    private func member(_ uid: String, of guid: String) async throws(APIError) -> Member? {
        try await core.stored { store throws(StoreError) in try await store.member(uid, of: guid) }
    }

    /// The member to whom something is to be done.
    private func target(_ uid: String, of guid: String) async throws(APIError) -> Member {
        guard let member = try await member(uid, of: guid) else {
            throw APIError(.notGroupMember, "\(uid) is no member of the group \(guid)")
        }
        return member
    }

    private func checkIsNoOwner(_ target: Member, _ standing: Standing) throws(APIError) {
        guard target.scope != .owner else {
            throw APIError(.cannotKickOwner, "the owner can't be put out of the group")
        }
        try standing.checkOutranks(target.scope)
    }
}
