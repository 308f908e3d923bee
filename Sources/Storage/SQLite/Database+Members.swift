import Meeting

extension Database {
    func addMembers(_ members: [Member], to guid: String) throws(StoreError) -> [String] {
        guard (1...StoreLimit.membersAtOnce).contains(members.count) else {
            throw .invalid(parameter: "members", reason: "must be 1 to \(StoreLimit.membersAtOnce)")
        }
        guard try hasGroup(guid) else { throw .notFound(.group(guid)) }
        var added: [String] = []
        for member in members {
            guard try self.member(member.uid, of: guid) == nil else { continue }
            guard member.scope != .owner else { throw .isOwner(uid: member.uid) }
            guard try hasUser(member.uid) else { throw .notFound(.user(member.uid)) }
            if let ban = try ban(of: member.uid, in: guid), ban.holds(at: member.joinedAt) {
                throw .banned(uid: member.uid)
            }
            try insertMember(member, guid: guid)
            added.append(member.uid)
        }
        return added
    }

    func insertMember(_ member: Member, guid: String) throws(StoreError) {
        try run(
            "INSERT INTO members (guid, uid, scope, joined_at) VALUES (?, ?, ?, ?)",
            .text(guid), .text(member.uid), .word(member.scope), .integer(member.joinedAt))
    }

    func member(_ uid: String, of guid: String) throws(StoreError) -> Member? {
        try first(
            "SELECT uid, scope, joined_at FROM members WHERE guid = ? AND uid = ?", .text(guid), .text(uid),
            make: Self.makeMember)
    }

    func members(of guid: String, _ page: PageRequest) throws(StoreError) -> Page<Member> {
        guard try hasGroup(guid) else { throw .notFound(.group(guid)) }
        return try list(
            page, counting: "SELECT count(*) FROM members WHERE guid = ?",
            listing: "SELECT uid, scope, joined_at FROM members WHERE guid = ? ORDER BY joined_at, uid",
            [.text(guid)], Self.makeMember)
    }

    func memberUIDs(of guid: String) throws(StoreError) -> [String] {
        try rows("SELECT uid FROM members WHERE guid = ? ORDER BY uid", [.text(guid)]) {
            (row) throws(StoreError) in try row.text(0)
        }
    }

    func memberParties(of guid: String) throws(StoreError) -> [CallParty] {
        try rows(
            "SELECT uid, name FROM members JOIN users USING (uid) WHERE guid = ? ORDER BY uid", [.text(guid)]
        ) { (row) throws(StoreError) in CallParty(uid: try row.text(0), name: try row.text(1)) }
    }

    func setScope(_ scope: Scope, of uid: String, in guid: String) throws(StoreError) {
        try checkIsNoOwner(uid, of: guid)
        guard scope != .owner else { throw .isOwner(uid: uid) }
        try updateScope(scope, of: uid, in: guid)
    }

    func updateScope(_ scope: Scope, of uid: String, in guid: String) throws(StoreError) {
        try run(
            "UPDATE members SET scope = ? WHERE guid = ? AND uid = ?", .word(scope), .text(guid), .text(uid))
    }

    func kick(_ uid: String, from guid: String) throws(StoreError) {
        try checkIsNoOwner(uid, of: guid)
        try removeMember(uid, from: guid)
    }

    /// Whether there was one.
    @discardableResult
    func removeMember(_ uid: String, from guid: String) throws(StoreError) -> Bool {
        try run("DELETE FROM members WHERE guid = ? AND uid = ?", .text(guid), .text(uid)) == 1
    }

    /// Throws unless the user is a member but not the owner.
    private func checkIsNoOwner(_ uid: String, of guid: String) throws(StoreError) {
        guard let member = try member(uid, of: guid) else {
            throw .notFound(.member(guid: guid, uid: uid))
        }
        guard member.scope != .owner else { throw .isOwner(uid: uid) }
    }

    private static func makeMember(_ row: Row) throws(StoreError) -> Member {
        Member(uid: try row.text(0), scope: try row.word(1), joinedAt: row.integer(2))
    }
}
