public import Meeting

extension SQLiteStore {
    @discardableResult
    public func putUser(_ user: User) async throws(StoreError) -> Bool {
        try await write(bytes: size(user.uid, user.name, user.avatar, user.metadata)) {
            (database) throws(StoreError) in try database.putUser(user)
        }
    }

    public func user(_ uid: String) async throws(StoreError) -> User? {
        try await read { (database) throws(StoreError) in try database.user(uid) }
    }

    public func users(_ page: PageRequest) async throws(StoreError) -> Page<User> {
        try await read { (database) throws(StoreError) in try database.users(page) }
    }

    public func deleteUser(_ uid: String, now: Int64) async throws(StoreError) {
        try await write { (database) throws(StoreError) in try database.deleteUser(uid, now: now) }
    }

    @discardableResult
    public func putGroup(_ group: Group, now: Int64) async throws(StoreError) -> Bool {
        try await write(bytes: size(group.guid, group.name, group.metadata)) {
            (database) throws(StoreError) in try database.putGroup(group, now: now)
        }
    }

    public func group(_ guid: String) async throws(StoreError) -> Group? {
        try await read { (database) throws(StoreError) in try database.group(guid) }
    }

    public func groups(member: String?, _ page: PageRequest) async throws(StoreError) -> Page<Group> {
        try await read { (database) throws(StoreError) in try database.groups(member: member, page) }
    }

    public func deleteGroup(_ guid: String) async throws(StoreError) {
        try await write { (database) throws(StoreError) in try database.deleteGroup(guid) }
    }

    public func transferOwner(
        of guid: String, to uid: String, formerOwner: Scope
    ) async throws(StoreError) {
        try await write { (database) throws(StoreError) in
            try database.transferOwner(of: guid, to: uid, formerOwner: formerOwner)
        }
    }

    @discardableResult
    public func addMembers(_ members: [Member], to guid: String) async throws(StoreError) -> [String] {
        try await write { (database) throws(StoreError) in try database.addMembers(members, to: guid) }
    }

    public func member(_ uid: String, of guid: String) async throws(StoreError) -> Member? {
        try await read { (database) throws(StoreError) in try database.member(uid, of: guid) }
    }

    public func members(of guid: String, _ page: PageRequest) async throws(StoreError) -> Page<Member> {
        try await read { (database) throws(StoreError) in try database.members(of: guid, page) }
    }

    public func memberUIDs(of guid: String) async throws(StoreError) -> [String] {
        try await read { (database) throws(StoreError) in try database.memberUIDs(of: guid) }
    }

    public func memberParties(of guid: String) async throws(StoreError) -> [CallParty] {
        try await read { (database) throws(StoreError) in try database.memberParties(of: guid) }
    }

    public func setScope(_ scope: Scope, of uid: String, in guid: String) async throws(StoreError) {
        try await write { (database) throws(StoreError) in try database.setScope(scope, of: uid, in: guid) }
    }

    public func kick(_ uid: String, from guid: String) async throws(StoreError) {
        try await write { (database) throws(StoreError) in try database.kick(uid, from: guid) }
    }

    @discardableResult
    public func ban(_ ban: Ban, in guid: String) async throws(StoreError) -> Bool {
        try await write { (database) throws(StoreError) in try database.ban(ban, in: guid) }
    }

    public func ban(of uid: String, in guid: String) async throws(StoreError) -> Ban? {
        try await read { (database) throws(StoreError) in try database.ban(of: uid, in: guid) }
    }

    public func bans(
        in guid: String, now: Int64, _ page: PageRequest
    ) async throws(StoreError) -> Page<Ban> {
        try await read { (database) throws(StoreError) in try database.bans(in: guid, now: now, page) }
    }

    public func unban(_ uid: String, in guid: String) async throws(StoreError) {
        try await write { (database) throws(StoreError) in try database.unban(uid, in: guid) }
    }
}

/// Bytes of text.
func size(_ texts: String?...) -> Int {
    texts.reduce(0) { sum, text in sum + (text?.utf8.count ?? 0) }
}
