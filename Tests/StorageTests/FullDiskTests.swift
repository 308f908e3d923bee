import Meeting
import Testing

@testable import Storage

@Suite struct FullDiskTests {
    @Test func `on a full disk, answers are true, and service goes on once there is room`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.open(folder.file(), options: .init()) {
            (database) throws(StoreError) in
            let pages = try database.number("PRAGMA page_count")
            try database.run(.pragma("max_page_count", pages + 40))
        }
        var kept: Set<String> = []
        var refused: Set<String> = []
        // Many at once, so that transactions hold both what fits and what doesn't.
        try await withThrowingTaskGroup(of: (String, StoreError?).self) { group in
            for number in 0..<200 {
                let message = message("m\(number)", size: number % 2 == 0 ? 3_000 : 10)
                group.addTask {
                    do throws(StoreError) {
                        try await store.addMessage(message)
                        return (message.id, nil)
                    } catch {
                        return (message.id, error)
                    }
                }
            }
            for try await (id, error) in group {
                switch error {
                case nil: kept.insert(id)
                case .disk: refused.insert(id)
                default: Issue.record("\(String(describing: error))")
                }
            }
        }
        #expect(!kept.isEmpty && !refused.isEmpty)
        for id in kept { #expect(try await store.message(id) != nil) }
        for id in refused { #expect(try await store.message(id) == nil) }
        while try await store.deleteMessages(of: .group("g")) > 0 {}
        try await store.addMessage(message("after", size: 3_000))
        #expect(try await store.message("after") != nil)
        #expect(try await store.problems() == [])
        await store.close()
    }

    private func message(_ id: String, size: Int) -> StoredMessage {
        StoredMessage(
            id: id, conversation: .group("g"), sender: .init(uid: "u", name: "U"), category: .text,
            type: "chat",
            text: String(repeating: "x", count: size), sentAt: 1)
    }
}
