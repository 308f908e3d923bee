import Meeting
import Testing

@testable import Storage

@Suite struct MigrationTests {
    /// A row in each table that version n brought, by the statements of that time.
    private static let rows: [[SQL]] = [
        [
            "INSERT INTO users VALUES ('ann', 'Ann', NULL, '{}')",
            "INSERT INTO groups VALUES ('g', 'G', 'private', NULL, 'ann', 9, NULL)",
            "INSERT INTO members VALUES ('g', 'ann', 'owner', 5)",
            "INSERT INTO bans VALUES ('g', 'bob', 6, NULL)",
        ],
        [
            """
            INSERT INTO messages VALUES (1, 'm', 'group', 'g', '', 'ann', 'Ann', 'text', 'chat', 'hello', NULL, NULL, 7)
            """
        ],
        [
            """
            INSERT INTO calls VALUES (1, 'c', 's', NULL, 'ann', 'Ann', 'user', 'bob', 'Bob', 'video', 'call', 'ended',
                8, 9, 10, 1, 2, NULL)
            """,
            "INSERT INTO call_participants VALUES (1, 1, 'p', 'bob', 'Bob', NULL, 'ended', 9, 10)",
            "INSERT INTO call_recordings VALUES (1, 1, 'r', 'https://example.org', 9, 10)",
        ],
        ["INSERT INTO revoked_tokens VALUES ('t', 11)"],
        ["INSERT INTO life VALUES (1, 12)"],
        ["INSERT INTO deleted_users VALUES ('cai', 13)"],
    ]

    @Test(arguments: 0...Schema.version)
    func `a file of any earlier version is brought up to date with its data`(
        _ version: Int
    ) async throws {
        let folder = try TemporaryFolder()
        try makeFile(folder.file(), version: version)
        let store = try await SQLiteStore.open(folder.file())
        if version >= 1 {
            #expect(try await store.user("ann") == User(uid: "ann", name: "Ann", metadata: "{}"))
            let group = Group(guid: "g", name: "G", kind: .private, owner: "ann", maxParticipants: 9)
            #expect(try await store.group("g") == group)
            #expect(try await store.member("ann", of: "g") == Member(uid: "ann", scope: .owner, joinedAt: 5))
            #expect(try await store.ban(of: "bob", in: "g") == Ban(uid: "bob", bannedAt: 6))
        }
        if version >= 2 { #expect(try await store.message("m")?.text == "hello") }
        if version >= 3 {
            let call = try #require(try await store.call("c"))
            #expect(call.participants.map(\.uid) == ["bob"] && call.recordings.map(\.id) == ["r"])
        }
        if version >= 4 { #expect(try await store.isTokenRevoked("t", of: "u", issuedAt: nil)) }
        if version >= 6 { #expect(try await store.isTokenRevoked("new", of: "cai", issuedAt: nil)) }
        #expect(try await store.problems() == [])
        let schema = try await store.read { (database) throws(StoreError) in try Self.schema(of: database) }
        await store.close()
        let fresh = try Schema.open(SQLiteStore.inMemory)
        #expect(try schema == Self.schema(of: fresh))
        #expect(!schema.isEmpty)
    }

    @Test func `each version has its rows here`() {
        #expect(Self.rows.count == Schema.version)
    }

    @Test func `a step that fails leaves the file as the step before left it`() throws {
        let folder = try TemporaryFolder()
        try makeFile(folder.file(), version: Schema.version)
        let broken = Migration(statements: ["CREATE TABLE half (id TEXT)", "CREATE TABLE half (id TEXT)"])
        #expect(throws: StoreError.self) {
            try Schema.open(folder.file(), migrations: Schema.migrations + [broken])
        }
        let database = try Schema.open(folder.file())
        #expect(try database.number("PRAGMA user_version") == Schema.version)
        #expect(try database.number("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == 0)
        #expect(try database.user("ann") != nil)
    }

    private func makeFile(_ path: String, version: Int) throws(StoreError) {
        let database = try Schema.open(path, migrations: Array(Schema.migrations.prefix(version)))
        for statement in Self.rows.prefix(version).joined() { try database.run(statement) }
        let found = try database.number("PRAGMA user_version")
        precondition(found == version, "the file has the version that is asked for")
    }

    private static func schema(of database: Database) throws(StoreError) -> [String] {
        try database.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name") {
            (row) throws(StoreError) in try row.text(0)
        }
    }
}
