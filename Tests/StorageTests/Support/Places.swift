import Foundation
import Synchronization
import Testing

@testable import Storage

/// A folder of its own, deleted with this.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "storage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String = "store.db") -> String { path + "/" + name }
}

/// Where a store under test keeps its data. Both must behave alike.
enum Place: CaseIterable {
    case memory, file

    /// Runs `body` with an empty store.
    func withStore(_ body: (SQLiteStore) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let path = self == .file ? folder.file() : SQLiteStore.inMemory
        let store = try await SQLiteStore.open(path)
        try await body(store)
        #expect(try await store.problems() == [])
        await store.close()
    }
}

/// Keeps the thread that runs it until it is opened: to see what happens meanwhile.
final class Gate: Sendable {
    private let entered = Atomic(false)
    private let opened = DispatchSemaphore(value: 0)

    /// For the thread to be kept.
    func pass() {
        entered.store(true, ordering: .releasing)
        opened.wait()
    }

    func open() { opened.signal() }

    /// Returns once a thread is kept.
    func reached() async {
        await until { entered.load(ordering: .acquiring) }
    }
}

/// Lets others run until the condition holds.
func until(_ condition: () -> Bool) async {
    while !condition() { await Task.yield() }
}
