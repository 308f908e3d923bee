extension Database {
    func revokeToken(_ token: RevokedToken) throws(StoreError) {
        try run(
            "INSERT INTO revoked_tokens (id, expires_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
            .text(token.id), .integer(token.expiresAt))
    }

    func isTokenRevoked(_ id: String, of uid: String, issuedAt: Int64?) throws(StoreError) -> Bool {
        if try has("SELECT 1 FROM revoked_tokens WHERE id = ?", .text(id)) { return true }
        let deletedAt = try first("SELECT deleted_at FROM deleted_users WHERE uid = ?", .text(uid)) { row in
            row.integer(0)
        }
        guard let deletedAt else { return false }
        if let issuedAt, issuedAt / 1_000 < deletedAt / 1_000 { return true }
        return try !hasUser(uid)
    }

    func revokedTokens(now: Int64, _ page: PageRequest) throws(StoreError) -> Page<RevokedToken> {
        try list(
            page, counting: "SELECT count(*) FROM revoked_tokens WHERE expires_at > ?",
            listing: "SELECT id, expires_at FROM revoked_tokens WHERE expires_at > ? ORDER BY id",
            [.integer(now)]
        ) { (row) throws(StoreError) in RevokedToken(id: try row.text(0), expiresAt: row.integer(1)) }
    }

    func forgetExpiredTokens(now: Int64) throws(StoreError) -> Int {
        try run(
            """
            DELETE FROM revoked_tokens WHERE id IN (
                SELECT id FROM revoked_tokens WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
            """,
            .integer(now), .integer(StoreLimit.deletionsAtOnce))
    }
}
