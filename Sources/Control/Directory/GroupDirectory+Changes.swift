import JSON
import Meeting
import Storage

/// Changes of groups and of who is in them. Each holds in the group's session when it returns.
extension GroupDirectory {
    // MARK: - The group itself

    /// Makes or changes a group; true: it is new.
    func put(_ group: Group) async throws(APIError) -> Bool {
        try await turns.pass(group.guid) { () async throws(APIError) in
            let known = try await core.stored { store throws(StoreError) in
                try await store.group(group.guid)
            }
            guard known == nil || group.owner == nil || group.owner == known?.owner else {
                throw APIError(
                    .cannotChangeOwnerScope, "another owner comes by PUT /v1/groups/{guid}/owner",
                    details: [("field", "owner")])
            }
            // What a group of this name left behind, if the server stopped while it was deleted.
            if known == nil { try await forgetMessages(of: group.guid) }
            let isNew = try await core.stored { store throws(StoreError) in
                try await store.putGroup(group, now: Clock.now())
            }
            let session = await core.registry.running(group.guid)
            if isNew {
                // It began without a group, and so without its members.
                await session?.end()
            } else {
                let places = group.maxParticipants ?? core.settings.meeting.maxParticipants
                await core.registry.change(group.guid) { $0.settings.maxParticipants = places }
                await session?.setPlaces(places)
            }
            return isNew
        }
    }

    func delete(_ guid: String) async throws(APIError) {
        try await turns.pass(guid) { () async throws(APIError) in
            try await core.stored { store throws(StoreError) in try await store.deleteGroup(guid) }
            await core.registry.running(guid)?.end()
            await core.exchange.groupDeleted(guid)
            // Last: nobody writes any more, and its session is over whatever the store says.
            try await forgetMessages(of: guid)
        }
    }

    private func forgetMessages(of guid: String) async throws(APIError) {
        try await core.stored { store throws(StoreError) in
            while try await store.deleteMessages(of: .group(guid)) == StoreLimit.deletionsAtOnce {}
        }
    }

    /// Gives the group to another member; the one who had it becomes an admin.
    func transfer(_ guid: String, to uid: String, by caller: Route.Caller) async throws(APIError) -> Group {
        try await turns.pass(guid) { () async throws(APIError) in
            let principal = try await principal(caller, in: guid)
            let former = try await group(guid).owner
            let target = try await member(uid, of: guid)
            try APIError.translating { () throws(MeetingError) in
                try Group.checkTransfer(to: target, by: principal)
            }
            try await core.stored { store throws(StoreError) in
                try await store.transferOwner(of: guid, to: uid, formerOwner: .admin)
            }
            if let former { await scopeChanged(former, to: .admin, in: guid, by: caller.author) }
            await scopeChanged(uid, to: .owner, in: guid, by: caller.author)
            return try await group(guid)
        }
    }

    // MARK: - Members

    /// Makes users members; returns those who weren't yet.
    func add(
        _ wanted: [(uid: String, scope: Scope)], to guid: String, by caller: Route.Caller
    ) async throws(APIError) -> [Member] {
        try await turns.pass(guid) { () async throws(APIError) in
            let principal = try await principal(caller, in: guid)
            let now = Clock.now()
            try APIError.translating { () throws(MeetingError) in
                // Who is banned is for the store to say, about all of them at once.
                for member in wanted {
                    try Group.checkAdding(as: member.scope, ban: nil, by: principal, now: now)
                }
            }
            let members = wanted.map { Member(uid: $0.uid, scope: $0.scope, joinedAt: now) }
            let added = try await core.stored { store throws(StoreError) in
                try await store.addMembers(members, to: guid)
            }
            var rest = Set(added)
            let new = members.filter { rest.remove($0.uid) != nil }
            for member in new {
                await tell(
                    .memberJoined(guid: guid, member, by: caller.author), about: member.uid, in: guid)
            }
            return new
        }
    }

    func setScope(
        _ scope: Scope, of uid: String, in guid: String, by caller: Route.Caller
    ) async throws(APIError) -> Member {
        try await turns.pass(guid) { () async throws(APIError) in
            let principal = try await principal(caller, in: guid)
            return try await setScope(scope, of: uid, in: guid, as: principal, by: caller.author)
        }
    }

    /// As above, for whoever has the group's turn.
    func setScope(
        _ scope: Scope, of uid: String, in guid: String, as principal: Principal, by author: Author
    ) async throws(APIError) -> Member {
        let known = try await member(uid, of: guid)
        try APIError.translating { () throws(MeetingError) in
            try Group.checkScope(scope, of: known, by: principal)
        }
        guard var target = known else { throw APIError(MeetingError.notGroupMember) }
        try await core.stored { store throws(StoreError) in
            try await store.setScope(scope, of: uid, in: guid)
        }
        target.scope = scope
        await scopeChanged(uid, to: scope, in: guid, by: author)
        return target
    }

    func kick(_ uid: String, from guid: String, by caller: Route.Caller) async throws(APIError) {
        try await turns.pass(guid) { () async throws(APIError) in
            let principal = try await principal(caller, in: guid)
            let target = try await member(uid, of: guid)
            try APIError.translating { () throws(MeetingError) in
                // Nobody is kicked by itself.
                if caller.author.uid == uid { throw .selfAction }
                try Group.checkRemoving(target, by: principal)
            }
            try await core.stored { store throws(StoreError) in try await store.kick(uid, from: guid) }
            await core.registry.running(guid)?.memberRemoved(uid, by: caller.author)
            await core.exchange.memberRemoved(uid, from: guid)
            await tell(.memberKicked(guid: guid, uid: uid, by: caller.author), about: uid, in: guid)
        }
    }

    // MARK: - Bans

    /// Keeps a user out, member or not.
    func ban(_ uid: String, from guid: String, by caller: Route.Caller) async throws(APIError) -> Ban {
        try await turns.pass(guid) { () async throws(APIError) in
            let principal = try await principal(caller, in: guid)
            let target = try await member(uid, of: guid)
            let known = try await ban(of: uid, in: guid)
            let now = Clock.now()
            try APIError.translating { () throws(MeetingError) in
                try Group.checkBanning(uid, member: target, ban: known, by: principal, now: now)
            }
            let new = Ban(uid: uid, bannedAt: now)
            _ = try await core.stored { store throws(StoreError) in try await store.ban(new, in: guid) }
            await core.registry.running(guid)?.memberRemoved(uid, by: caller.author)
            await core.exchange.memberRemoved(uid, from: guid)
            await tell(.memberBanned(guid: guid, uid: uid, by: caller.author), about: uid, in: guid)
            return new
        }
    }

    func unban(_ uid: String, in guid: String, by caller: Route.Caller) async throws(APIError) {
        try await turns.pass(guid) { () async throws(APIError) in
            let principal = try await principal(caller, in: guid)
            let ban = try await ban(of: uid, in: guid)
            try APIError.translating { () throws(MeetingError) in
                try Group.checkUnbanning(ban, by: principal, now: Clock.now())
            }
            try await core.stored { store throws(StoreError) in try await store.unban(uid, in: guid) }
        }
    }

    // MARK: - Users

    /// Forgets a user, who leaves calls and the sessions of its groups at once, as do those who live by its tokens.
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
        try await core.stored { store throws(StoreError) in
            try await store.deleteUser(uid, now: Clock.now())
        }
        for guid in guids {
            await core.registry.running(guid)?.memberRemoved(uid, by: .backEnd)
            await core.exchange.memberRemoved(uid, from: guid)
            await tell(.memberLeft(guid: guid, uid: uid), about: uid, in: guid)
        }
        await core.exchange.userDeleted(uid)
        await core.closeSockets(of: uid)
    }
}
