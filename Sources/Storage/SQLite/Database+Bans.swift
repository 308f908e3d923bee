import Meeting

extension Database {
    func ban(_ ban: Ban, in guid: String) throws(StoreError) -> Bool {
        guard let group = try group(guid) else { throw .notFound(.group(guid)) }
        guard group.owner != ban.uid else { throw .isOwner(uid: ban.uid) }
        if let earlier = try self.ban(of: ban.uid, in: guid), earlier.holds(at: ban.bannedAt) {
            throw .exists(.ban(guid: guid, uid: ban.uid))
        }
        try run(
            """
            INSERT INTO bans (guid, uid, banned_at, until) VALUES (?, ?, ?, ?)
            ON CONFLICT (guid, uid) DO UPDATE SET banned_at = excluded.banned_at, until = excluded.until
            """,
            .text(guid), .text(ban.uid), .integer(ban.bannedAt), .optional(ban.until))
        return try removeMember(ban.uid, from: guid)
    }

    func ban(of uid: String, in guid: String) throws(StoreError) -> Ban? {
        try first(
            "SELECT uid, banned_at, until FROM bans WHERE guid = ? AND uid = ?", .text(guid), .text(uid),
            make: Self.makeBan)
    }

    func bans(in guid: String, now: Int64, _ page: PageRequest) throws(StoreError) -> Page<Ban> {
        guard try hasGroup(guid) else { throw .notFound(.group(guid)) }
        return try list(
            page,
            counting: "SELECT count(*) FROM bans WHERE guid = ? AND (until IS NULL OR until > ?)",
            listing: """
                SELECT uid, banned_at, until FROM bans WHERE guid = ? AND (until IS NULL OR until > ?)
                ORDER BY uid
                """,
            [.text(guid), .integer(now)], Self.makeBan)
    }

    func unban(_ uid: String, in guid: String) throws(StoreError) {
        guard try run("DELETE FROM bans WHERE guid = ? AND uid = ?", .text(guid), .text(uid)) == 1 else {
            throw .notFound(.ban(guid: guid, uid: uid))
        }
    }

    private static func makeBan(_ row: Row) throws(StoreError) -> Ban {
        Ban(uid: try row.text(0), bannedAt: row.integer(1), until: row.optionalInteger(2))
    }
}
