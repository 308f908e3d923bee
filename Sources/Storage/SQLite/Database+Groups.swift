import Meeting

extension Database {
    func putGroup(_ group: Group, now: Int64) throws(StoreError) -> Bool {
        if try hasGroup(group.guid) {
            try run(
                """
                UPDATE groups SET
                    name = ?, kind = ?, password_hash = ?, max_participants = ?, metadata = ? WHERE guid = ?
                """,
                .text(group.name), .word(group.kind), .optional(group.passwordHash),
                .optional(group.maxParticipants), .optional(group.metadata), .text(group.guid))
            return false
        }
        if let owner = group.owner, try !hasUser(owner) { throw .notFound(.user(owner)) }
        try run(
            """
            INSERT INTO groups (guid, name, kind, password_hash, owner, max_participants, metadata)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            .text(group.guid), .text(group.name), .word(group.kind), .optional(group.passwordHash),
            .optional(group.owner), .optional(group.maxParticipants), .optional(group.metadata))
        if let owner = group.owner {
            try insertMember(Member(uid: owner, scope: .owner, joinedAt: now), guid: group.guid)
        }
        return true
    }

    func hasGroup(_ guid: String) throws(StoreError) -> Bool {
        try has("SELECT 1 FROM groups WHERE guid = ?", .text(guid))
    }

    func group(_ guid: String) throws(StoreError) -> Group? {
        try first(Self.allGroups + " WHERE guid = ?", .text(guid), make: Self.makeGroup)
    }

    func groups(member: String?, _ page: PageRequest) throws(StoreError) -> Page<Group> {
        guard let member else {
            return try list(
                page, counting: "SELECT count(*) FROM groups", listing: Self.allGroups + " ORDER BY guid", [],
                Self.makeGroup)
        }
        return try list(
            page, counting: "SELECT count(*) FROM members WHERE uid = ?",
            listing: Self.allGroups
                + " WHERE guid IN (SELECT guid FROM members WHERE uid = ?) ORDER BY guid",
            [.text(member)], Self.makeGroup)
    }

    func deleteGroup(_ guid: String) throws(StoreError) {
        guard try run("DELETE FROM groups WHERE guid = ?", .text(guid)) == 1 else {
            throw .notFound(.group(guid))
        }
    }

    func transferOwner(of guid: String, to uid: String, formerOwner: Scope) throws(StoreError) {
        guard formerOwner != .owner else {
            throw .invalid(parameter: "formerOwner", reason: "can't stay owner")
        }
        guard let group = try group(guid) else { throw .notFound(.group(guid)) }
        guard group.owner != uid else { return }
        guard try member(uid, of: guid) != nil else { throw .notFound(.member(guid: guid, uid: uid)) }
        if let owner = group.owner { try updateScope(formerOwner, of: owner, in: guid) }
        try updateScope(.owner, of: uid, in: guid)
        try run("UPDATE groups SET owner = ? WHERE guid = ?", .text(uid), .text(guid))
    }

    private static let allGroups: SQL = """
        SELECT guid, name, kind, password_hash, owner, max_participants, metadata FROM groups
        """

    private static func makeGroup(_ row: Row) throws(StoreError) -> Group {
        Group(
            guid: try row.text(0), name: try row.text(1), kind: try row.word(2),
            passwordHash: row.optionalText(3), owner: row.optionalText(4),
            maxParticipants: row.optionalInteger(5).map { Int($0) }, metadata: row.optionalText(6))
    }
}
