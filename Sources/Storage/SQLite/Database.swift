import CSQLite

/// A connection to a SQLite database; belongs to one thread.
@safe
final class Database {
    enum Access {
        case readWrite
        case readOnly
    }

    /// Statements that stay prepared; a filter's conditions can be combined in more ways than that.
    static let mostStatements = 128
    /// How long to wait for another process that holds the file's lock, milliseconds.
    static let busyTimeoutMs: Int32 = 5_000

    let path: String
    /// Held until the connection is closed.
    var lock: FileLock?
    private let connection: OpaquePointer
    private var statements: [SQL: Statement] = [:]
    private var uses = 0

    /// Opens a file, or a database in memory if the path is `:memory:`. Makes the file if it isn't there and may be
    /// written. Errors: `cannotOpen`, `corrupt`, `busy`.
    init(path: String, access: Access) throws(StoreError) {
        self.path = path
        let mode =
            switch access {
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readOnly: SQLITE_OPEN_READONLY
            }
        var opened: OpaquePointer?
        // The thread is the only one to use it, so that SQLite needs no locks of its own.
        let result = unsafe sqlite3_open_v2(
            path, &opened, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let connection = unsafe opened else {
            throw .cannotOpen(path: path, reason: unsafe String(cString: sqlite3_errstr(result)))
        }
        guard result == SQLITE_OK else {
            let reason = unsafe String(cString: sqlite3_errmsg(connection))
            unsafe sqlite3_close_v2(connection)
            throw .cannotOpen(path: path, reason: reason)
        }
        unsafe self.connection = connection
        unsafe sqlite3_busy_timeout(connection, Self.busyTimeoutMs)
        // What comes out of a file is data; nothing in its schema may call functions with effects.
        try run("PRAGMA trusted_schema = 0")
        try run("PRAGMA foreign_keys = 1")
    }

    deinit {
        statements.removeAll()
        unsafe sqlite3_close_v2(connection)
    }

    /// Whether the file can't be written, whatever was asked for.
    var isReadOnly: Bool { unsafe sqlite3_db_readonly(connection, "main") == 1 }

    /// Whether a transaction is open: after some errors SQLite undoes it by itself.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(connection) == 0 }

    /// Statements that are prepared now.
    var preparedStatements: Int { statements.count }

    /// Steps that SQLite's machine has made for the statements that are prepared now.
    var steps: Int { statements.values.reduce(0) { $0 + $1.steps } }

    /// Runs a statement for its effect; returns how many rows it changed.
    @discardableResult
    func run(_ sql: SQL, _ values: SQLValue...) throws(StoreError) -> Int {
        try run(sql, values)
    }

    @discardableResult
    func run(_ sql: SQL, _ values: [SQLValue]) throws(StoreError) -> Int {
        try statement(sql).run(values) { (_) throws(StoreError) in }
        return unsafe Int(sqlite3_changes(connection))
    }

    /// A statement's rows, each made into a value.
    func rows<Value>(
        _ sql: SQL, _ values: [SQLValue] = [], _ make: (Row) throws(StoreError) -> Value
    ) throws(StoreError) -> [Value] {
        var made: [Value] = []
        try statement(sql).run(values) { (row) throws(StoreError) in made.append(try make(row)) }
        return made
    }

    /// A statement's first row, made into a value.
    func first<Value>(
        _ sql: SQL, _ values: SQLValue..., make: (Row) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        try rows(sql, values, make).first
    }

    /// The number in the first column of the first row; 0 if there is none.
    func number(_ sql: SQL, _ values: [SQLValue] = []) throws(StoreError) -> Int {
        try rows(sql, values) { (row) throws(StoreError) in Int(row.integer(0)) }.first ?? 0
    }

    /// Whether a statement has any row.
    func has(_ sql: SQL, _ values: SQLValue...) throws(StoreError) -> Bool {
        var found = false
        try statement(sql).run(values) { (_) throws(StoreError) in found = true }
        return found
    }

    /// Writes something that changes nothing.
    func touch() throws(StoreError) {
        try run(.pragma("user_version", number("PRAGMA user_version")))
    }

    /// Runs `body` wholly or not at all.
    func transaction<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        try run("BEGIN IMMEDIATE")
        do throws(StoreError) {
            let value = try body()
            try run("COMMIT")
            return value
        } catch {
            undo()
            throw error
        }
    }

    /// Undoes the open transaction, if there is one. SQLite ends it even if that reports an error.
    func undo() {
        if isInTransaction { _ = try? run("ROLLBACK") }
    }

    private func statement(_ sql: SQL) throws(StoreError) -> Statement {
        uses += 1
        if let known = statements[sql] {
            known.lastUse = uses
            return known
        }
        var prepared: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(
            connection, sql.text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard result == SQLITE_OK, let handle = unsafe prepared else {
            throw unsafe StoreError(result, connection)
        }
        let statement = unsafe Statement(handle, of: connection)
        statement.lastUse = uses
        if statements.count >= Self.mostStatements { forgetOldest() }
        statements[sql] = statement
        return statement
    }

    private func forgetOldest() {
        guard let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
        statements[oldest.key] = nil
    }
}

extension StoreError {
    /// What SQLite reports about a call that failed.
    init(_ result: Int32, _ connection: OpaquePointer) {
        let reason = unsafe String(cString: sqlite3_errmsg(connection))
        // The low byte is the class of error, the others tell more.
        switch result & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .corrupt(reason: reason)
        case SQLITE_BUSY: self = .busy
        case SQLITE_FULL, SQLITE_IOERR: self = .disk(reason: reason)
        case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            let name = unsafe sqlite3_db_filename(connection, "main")
            let path = unsafe name.map { unsafe String(cString: $0) } ?? ""
            self = .cannotOpen(path: path, reason: reason)
        default: self = .failed(reason: "\(reason) (\(result))")
        }
    }
}
