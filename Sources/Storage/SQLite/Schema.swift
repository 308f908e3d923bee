import Glibc

/// The tables, and how a file gets from any earlier release's to these.
enum Schema {
    /// Marks files as ours ("Rost"), so that another program's database isn't taken for an empty one.
    static let applicationID = 0x526F_7374

    /// What this release knows.
    static var version: Int { migrations.count }

    /// Opens a file for writing, for this process alone, and brings it up to date.
    static func open(
        _ path: String, migrations: [Migration] = migrations
    ) throws(StoreError) -> Database {
        guard !path.isEmpty else { throw .cannotOpen(path: path, reason: "the path is empty") }
        var lock: FileLock?
        if path != SQLiteStore.inMemory {
            try makeFile(path)
            lock = try FileLock(database: path)
        }
        let database = try Database(path: path, access: .readWrite)
        database.lock = lock
        guard !database.isReadOnly else {
            throw .cannotOpen(path: path, reason: "it can't be written")
        }
        let found = try identify(database, known: migrations.count)
        if path != SQLiteStore.inMemory { try useLog(database) }
        try migrate(database, from: found, migrations)
        return database
    }

    /// What is in the database is for the owner alone, whatever the umask; SQLite gives its other files the same
    /// mode. A file that exists isn't opened here: closing it would drop the locks that the process has on it.
    private static func makeFile(_ path: String) throws(StoreError) {
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw .cannotOpen(path: path, reason: unsafe String(cString: strerror(errno)))
        }
    }

    /// The schema's version in the file; 0 for a new one.
    private static func identify(_ database: Database, known: Int) throws(StoreError) -> Int {
        let found = try database.number("PRAGMA user_version")
        let tables = try database.number("SELECT count(*) FROM sqlite_schema")
        if found == 0 && tables == 0 { return 0 }
        guard try database.number("PRAGMA application_id") == applicationID else {
            throw .foreign(path: database.path)
        }
        guard found <= known else { throw .tooNew(found: found, known: known) }
        return found
    }

    /// Changes go to a log beside the file, which is flushed to the disk with each commit.
    private static func useLog(_ database: Database) throws(StoreError) {
        let mode = try database.first("PRAGMA journal_mode = WAL") { (row) throws(StoreError) in
            try row.text(0)
        }
        guard mode == "wal" else {
            throw .cannotOpen(path: database.path, reason: "its file system allows no write-ahead log")
        }
        try database.run("PRAGMA synchronous = FULL")
        // After a burst the log gets this short again.
        try database.run(.pragma("journal_size_limit", 16 << 20))
    }

    /// Each step is a transaction of its own: a file is at one version or the next, never between.
    static func migrate(
        _ database: Database, from found: Int, _ migrations: [Migration]
    ) throws(StoreError) {
        for (index, migration) in migrations.enumerated().dropFirst(found) {
            try database.transaction { () throws(StoreError) in
                // Another process may have been faster.
                guard try database.number("PRAGMA user_version") == index else { return }
                for statement in migration.statements { try database.run(statement) }
                try database.run(.pragma("application_id", applicationID))
                try database.run(.pragma("user_version", index + 1))
            }
        }
    }
}

/// A step from one version of the schema to the next. Once released it is never changed.
struct Migration: Sendable {
    var statements: [SQL]
}

extension Database {
    /// SQLite's check of the whole file; empty: it is sound.
    func problems() throws(StoreError) -> [String] {
        do throws(StoreError) {
            let lines = try rows("PRAGMA integrity_check") { (row) throws(StoreError) in try row.text(0) }
            let dangling = try rows("PRAGMA foreign_key_check") { (row) throws(StoreError) in
                "a row in \(try row.text(0)) refers to nothing"
            }
            return lines.filter { $0 != "ok" } + dangling
        } catch .corrupt(let reason) {
            // Too damaged to be checked to the end.
            return [reason]
        }
    }
}
