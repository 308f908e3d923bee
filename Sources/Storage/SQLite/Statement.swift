import CSQLite

/// A prepared statement; belongs to its database's thread.
@safe
final class Statement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    /// When it was last used, by the database's count of uses.
    var lastUse = 0

    init(_ handle: OpaquePointer, of connection: OpaquePointer) {
        unsafe self.handle = handle
        unsafe self.connection = connection
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// Steps that SQLite's machine has made for it so far.
    var steps: Int { unsafe Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0)) }

    /// Runs the statement with its parameters bound in order, and hands over each row.
    func run(
        _ values: [SQLValue], _ row: (Row) throws(StoreError) -> Void
    ) throws(StoreError) {
        defer {
            unsafe sqlite3_reset(handle)
            unsafe sqlite3_clear_bindings(handle)
        }
        precondition(
            unsafe values.count == Int(sqlite3_bind_parameter_count(handle)), "each parameter has a value")
        for (index, value) in values.enumerated() {
            try check(bind(value, at: Int32(index + 1)))
        }
        while true {
            let result = unsafe sqlite3_step(handle)
            if result == SQLITE_DONE { return }
            guard result == SQLITE_ROW else { throw unsafe StoreError(result, connection) }
            try row(unsafe Row(handle))
        }
    }

    private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
        switch value {
        case .null: unsafe sqlite3_bind_null(handle, index)
        case .integer(let integer): unsafe sqlite3_bind_int64(handle, index, integer)
        case .text(var text):
            // With its length: a NUL within is part of the text.
            text.withUTF8 { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                    // An empty text has no address, which would mean null.
                    guard let start = characters.baseAddress else {
                        return unsafe csqlite_bind_text(handle, index, "", 0)
                    }
                    guard let count = Int32(exactly: characters.count) else { return SQLITE_TOOBIG }
                    return unsafe csqlite_bind_text(handle, index, start, count)
                }
            }
        }
    }

    private func check(_ result: Int32) throws(StoreError) {
        guard result == SQLITE_OK else { throw unsafe StoreError(result, connection) }
    }
}

/// A row of a statement's result, valid while it is handed over. Columns count from 0.
@safe
struct Row {
    private let handle: OpaquePointer

    fileprivate init(_ handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    /// Throws `corrupt` for null.
    func text(_ column: Int) throws(StoreError) -> String {
        guard let text = optionalText(column) else { throw .corrupt(reason: "column \(column) is null") }
        return text
    }

    func optionalText(_ column: Int) -> String? {
        guard let start = unsafe sqlite3_column_text(handle, Int32(column)) else { return nil }
        let count = unsafe Int(sqlite3_column_bytes(handle, Int32(column)))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func integer(_ column: Int) -> Int64 {
        unsafe sqlite3_column_int64(handle, Int32(column))
    }

    func optionalInteger(_ column: Int) -> Int64? {
        unsafe sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL ? nil : integer(column)
    }

    /// One of a type's words. Throws `corrupt` for any other.
    func word<Word: RawRepresentable<String>>(_ column: Int) throws(StoreError) -> Word {
        let text = try text(column)
        guard let word = Word(rawValue: text) else {
            throw .corrupt(reason: "\(text) is no \(Word.self)")
        }
        return word
    }
}
