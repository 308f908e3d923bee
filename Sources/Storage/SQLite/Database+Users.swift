import Meeting

extension Database {
    func putUser(_ user: User) throws(StoreError) -> Bool {
        let isNew = try !hasUser(user.uid)
        try run(
            """
            INSERT INTO users (uid, name, avatar, metadata) VALUES (?, ?, ?, ?)
            ON CONFLICT (uid) DO UPDATE SET
                name = excluded.name, avatar = excluded.avatar, metadata = excluded.metadata
            """,
            .text(user.uid), .text(user.name), .optional(user.avatar), .optional(user.metadata))
        return isNew
    }

    func hasUser(_ uid: String) throws(StoreError) -> Bool {
        try has("SELECT 1 FROM users WHERE uid = ?", .text(uid))
    }

    func user(_ uid: String) throws(StoreError) -> User? {
        try first(
            "SELECT uid, name, avatar, metadata FROM users WHERE uid = ?", .text(uid), make: Self.makeUser)
    }

    func users(_ page: PageRequest) throws(StoreError) -> Page<User> {
        try list(
            page, counting: "SELECT count(*) FROM users",
            listing: "SELECT uid, name, avatar, metadata FROM users ORDER BY uid", [], Self.makeUser)
    }

    func deleteUser(_ uid: String, now: Int64) throws(StoreError) {
        let owned = try number("SELECT count(*) FROM groups WHERE owner = ?", [.text(uid)])
        guard owned == 0 else { throw .ownsGroups(uid: uid, count: owned) }
        guard try run("DELETE FROM users WHERE uid = ?", .text(uid)) == 1 else {
            throw .notFound(.user(uid))
        }
        try run(
            """
            INSERT INTO deleted_users (uid, deleted_at) VALUES (?, ?)
            ON CONFLICT (uid) DO UPDATE SET deleted_at = excluded.deleted_at
            """, .text(uid), .integer(now))
    }

    /// One page of a list, and how long the list is. Both statements take `values`; the one that lists is told how
    /// much.
    func list<Element>(
        _ page: PageRequest, counting: SQL, listing: SQL, _ values: [SQLValue],
        _ make: (Row) throws(StoreError) -> Element
    ) throws(StoreError) -> Page<Element> {
        try page.check()
        let total = try number(counting, values)
        let bounds: [SQLValue] = [.integer(page.size), .integer(page.offset)]
        let elements = try rows(listing + " LIMIT ? OFFSET ?", values + bounds, make)
        return Page(elements: elements, total: total, request: page)
    }

    private static func makeUser(_ row: Row) throws(StoreError) -> User {
        User(
            uid: try row.text(0), name: try row.text(1), avatar: row.optionalText(2),
            metadata: row.optionalText(3))
    }
}
