import Foundation
import Meeting
import Testing

@testable import Storage

@Suite struct OpeningTests {
    @Test func `what was written is there after closing and opening`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.open(folder.file())
        try await store.putUser(User(uid: "ann", name: "Ann"))
        await store.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.db"])
        let again = try await SQLiteStore.open(folder.file())
        #expect(try await again.user("ann") == User(uid: "ann", name: "Ann"))
        await again.close()
    }

    @Test func `commits are flushed to the disk, and references are checked`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.open(folder.file())
        let settings = try await store.write { (database) throws(StoreError) in
            [
                try database.number("PRAGMA synchronous"), try database.number("PRAGMA foreign_keys"),
                try database.number("PRAGMA busy_timeout"),
            ]
        }
        #expect(settings == [2, 1, 5_000])
        let mode = try await store.read { (database) throws(StoreError) in
            try database.first("PRAGMA journal_mode") { (row) throws(StoreError) in try row.text(0) }
        }
        #expect(mode == "wal")
        await store.close()
    }

    @Test func `nobody but the owner can read the files`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.open(folder.file())
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        await store.close()
    }

    @Test func `the reader's connection can't write`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.open(folder.file())
        await #expect(throws: StoreError.self) {
            try await store.read { (database) throws(StoreError) in try database.run("DELETE FROM users") }
        }
        #expect(try await store.user("ann") == nil)
        await store.close()
    }

    @Test func `two stores in memory have nothing in common`() async throws {
        let one = try await SQLiteStore.open(SQLiteStore.inMemory)
        let other = try await SQLiteStore.open(SQLiteStore.inMemory)
        try await one.putUser(User(uid: "ann", name: "Ann"))
        #expect(try await one.user("ann") != nil)
        #expect(try await other.user("ann") == nil)
        await one.close()
        await other.close()
    }

    @Test func `a newer release's file is refused, and stays as it is`() async throws {
        let folder = try TemporaryFolder()
        let known = Schema.version
        do {
            let database = try Schema.open(folder.file())
            try database.run(.pragma("user_version", known + 1))
        }
        let before = try Data(contentsOf: URL(filePath: folder.file()))
        await #expect(throws: StoreError.tooNew(found: known + 1, known: known)) {
            try await SQLiteStore.open(folder.file())
        }
        #expect(try Data(contentsOf: URL(filePath: folder.file())) == before)
    }

    @Test func `another program's database is refused, and stays as it is`() async throws {
        let folder = try TemporaryFolder()
        do {
            let database = try Database(path: folder.file(), access: .readWrite)
            try database.run("CREATE TABLE users (name TEXT)")
        }
        let before = try Data(contentsOf: URL(filePath: folder.file()))
        await #expect(throws: StoreError.foreign(path: folder.file())) {
            try await SQLiteStore.open(folder.file())
        }
        #expect(try Data(contentsOf: URL(filePath: folder.file())) == before)
    }

    @Test func `a file that isn't a database is refused`() async throws {
        let folder = try TemporaryFolder()
        try Data(repeating: 0x5A, count: 8_192).write(to: URL(filePath: folder.file()))
        await #expect(throws: StoreError.corrupt(reason: "file is not a database")) {
            try await SQLiteStore.open(folder.file())
        }
    }

    @Test func `damage in the middle of a file is reported, not served`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.open(folder.file())
        let name = String(repeating: "x", count: 500)
        for number in 0..<200 { try await store.putUser(User(uid: "u\(number)", name: name)) }
        await store.close()
        var bytes = try Data(contentsOf: URL(filePath: folder.file()))
        // The second half, which has users; the schema is in the first.
        let half = bytes.count / 2
        bytes.replaceSubrange(half..<bytes.count, with: Data(repeating: 0xA5, count: bytes.count - half))
        try bytes.write(to: URL(filePath: folder.file()))
        let damaged = try await SQLiteStore.open(folder.file())
        #expect(try await damaged.problems() != [])
        let error = await #expect(throws: StoreError.self) {
            for number in 0..<200 { _ = try await damaged.user("u\(number)") }
        }
        guard case .corrupt = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await damaged.close()
    }

    @Test func `another process's lock is waited for, then reported to all who wait`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.open(folder.file(), options: .init()) {
            (database) throws(StoreError) in
            try database.run(.pragma("busy_timeout", 1))
        }
        let other = try Database(path: folder.file(), access: .readWrite)
        try other.run("BEGIN IMMEDIATE")
        let writes = (0..<20).map { number in
            Task { try await store.putUser(User(uid: "u\(number)", name: "U")) }
        }
        for write in writes { await #expect(throws: StoreError.busy) { try await write.value } }
        // Reading needs no lock that a writer holds.
        #expect(try await store.users(PageRequest()).total == 0)
        try other.run("COMMIT")
        #expect(try await store.putUser(User(uid: "ann", name: "Ann")))
        await store.close()
    }

    @Test func `a file that a store has open is refused to another, by whatever name`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.open(folder.file())
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link.db"), withDestinationPath: folder.file())
        for name in ["store.db", "link.db"] {
            await #expect(throws: StoreError.inUse(path: folder.file(name))) {
                try await SQLiteStore.open(folder.file(name))
            }
        }
        // The refusals took nothing away from the one who has it.
        #expect(try await store.putUser(User(uid: "ann", name: "Ann")))
        await #expect(throws: StoreError.inUse(path: folder.file())) {
            try await SQLiteStore.open(folder.file())
        }
        await store.close()
        let again = try await SQLiteStore.open(folder.file("link.db"))
        #expect(try await again.user("ann") != nil)
        await again.close()
    }

    @Test func `a lock file that a dead process left keeps nobody out`() async throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(filePath: folder.file() + "-lock"))
        let store = try await SQLiteStore.open(folder.file())
        await store.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.db"])
    }

    @Test func `a place where no file can be made or written is named`() async throws {
        let folder = try TemporaryFolder()
        // The last is a file of the kernel's, which not even root can write.
        for path in ["", folder.path, folder.file("none/store.db"), "/proc/sys/kernel/osrelease"] {
            let error = await #expect(throws: StoreError.self) { try await SQLiteStore.open(path) }
            guard case .cannotOpen(path, let reason) = error else {
                Issue.record("\(path): \(String(describing: error))")
                continue
            }
            #expect(!reason.isEmpty)
        }
    }

    @Test func `a store that nobody closes gives its file back`() async throws {
        let folder = try TemporaryFolder()
        do {
            let store = try await SQLiteStore.open(folder.file())
            try await store.putUser(User(uid: "ann", name: "Ann"))
        }
        // The last connection to close removes the log.
        await until { !FileManager.default.fileExists(atPath: folder.file() + "-wal") }
        #expect(FileManager.default.fileExists(atPath: folder.file()))
    }
}
