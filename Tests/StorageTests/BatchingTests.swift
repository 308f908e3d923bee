import Meeting
import Synchronization
import Testing

@testable import Storage

/// Each test ends by itself; what is never answered would last until the limit.
@Suite(.timeLimit(.minutes(5))) struct BatchingTests {
    private func withStore(
        _ options: SQLiteStore.Options = .init(), _ body: (SQLiteStore, _ path: String) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.open(folder.file(), options: options)
        try await body(store, folder.file())
        #expect(try await store.problems() == [])
        await store.close()
    }

    /// Keeps the writer's thread until the gate is opened.
    private func hold(_ store: SQLiteStore, _ gate: Gate) async -> Task<Void, any Error> {
        let held = Task { try await store.write { (_) throws(StoreError) in gate.pass() } }
        await gate.reached()
        return held
    }

    @Test func `a thousand waiting writes take five commits, and each is visible once it is answered`()
        async throws
    {
        try await withStore { store, path in
            let gate = Gate()
            let held = await hold(store, gate)
            let before = store.statistics
            let writes = Task {
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<1_000 {
                        group.addTask {
                            let uid = "u\(number)"
                            try await store.putUser(User(uid: uid, name: uid))
                            // By another connection, to which only what is committed shows.
                            return try await store.user(uid) != nil
                        }
                    }
                    return try await group.reduce(into: 0) { count, isThere in count += isThere ? 1 : 0 }
                }
            }
            await until { store.statistics.waiting == 1_000 }
            gate.open()
            try await held.value
            #expect(try await writes.value == 1_000)
            let after = store.statistics
            #expect(after.writes - before.writes == 1_001)
            // That of the thread's keeper, and 1,000 writes at 256 a transaction.
            #expect(after.commits - before.commits == 5)
            #expect(try await store.users(PageRequest()).total == 1_000)
        }
    }

    @Test func `a write in an open transaction is neither answered nor visible`() async throws {
        try await withStore { store, path in
            let first = Gate()
            let second = Gate()
            let isAnswered = Atomic(false)
            let held = await hold(store, first)
            let write = Task {
                try await store.putUser(User(uid: "ann", name: "Ann"))
                isAnswered.store(true, ordering: .releasing)
            }
            await until { store.statistics.waiting == 1 }
            let last = Task { try await store.write { (_) throws(StoreError) in second.pass() } }
            await until { store.statistics.waiting == 2 }
            first.open()
            await second.reached()
            // The user's row is written by now, in the transaction that `second` keeps open.
            #expect(try await store.user("ann") == nil)
            #expect(isAnswered.load(ordering: .acquiring) == false)
            second.open()
            try await write.value
            #expect(try await store.user("ann") != nil)
            try await held.value
            try await last.value
        }
    }

    @Test func `a verb that fails takes nothing else of its transaction along`() async throws {
        try await withStore { store, _ in
            try await store.putGroup(Group(guid: "g", name: "G"), now: 1)
            try await store.putUser(User(uid: "u0", name: "U"))
            let gate = Gate()
            let held = await hold(store, gate)
            let results = (0..<30).map { number in
                Task {
                    if number % 3 == 1 {
                        // Fails at the second member, after the first was inserted.
                        try await store.addMembers(
                            [Member(uid: "u0", joinedAt: 1), Member(uid: "nobody", joinedAt: 1)], to: "g")
                    } else {
                        try await store.putUser(User(uid: "new\(number)", name: "U"))
                    }
                }
            }
            await until { store.statistics.waiting == 30 }
            let before = store.statistics.commits
            gate.open()
            try await held.value
            for (number, task) in results.enumerated() {
                if number % 3 == 1 {
                    await #expect(throws: StoreError.notFound(.user("nobody"))) { try await task.value }
                } else {
                    try await task.value
                }
            }
            #expect(store.statistics.commits == before + 2)
            #expect(try await store.memberUIDs(of: "g") == [])
            #expect(try await store.users(PageRequest()).total == 21)
        }
    }

    @Test func `more than may wait is refused, and what waits is done`() async throws {
        var options = SQLiteStore.Options()
        options.waitingVerbs = 10
        try await withStore(options) { store, _ in
            let gate = Gate()
            let held = await hold(store, gate)
            let waiting = (0..<10).map { number in
                Task { try await store.putUser(User(uid: "u\(number)", name: "U")) }
            }
            await until { store.statistics.waiting == 10 }
            for _ in 0..<100 {
                await #expect(throws: StoreError.overloaded(waiting: 10)) {
                    try await store.putUser(User(uid: "late", name: "U"))
                }
            }
            #expect(store.statistics.refused == 100)
            // Reads have a thread and a queue of their own.
            #expect(try await store.user("late") == nil)
            gate.open()
            try await held.value
            for task in waiting { #expect(try await task.value) }
            #expect(try await store.users(PageRequest()).total == 10)
            #expect(try await store.putUser(User(uid: "late", name: "U")))
        }
    }

    @Test func `text that waits is bounded too`() async throws {
        var options = SQLiteStore.Options()
        options.waitingBytes = 1_000
        try await withStore(options) { store, _ in
            let gate = Gate()
            let held = await hold(store, gate)
            let name = String(repeating: "x", count: 600)
            let waiting = Task { try await store.putUser(User(uid: "a", name: name)) }
            await until { store.statistics.waiting == 1 }
            await #expect(throws: StoreError.overloaded(waiting: 1)) {
                try await store.putUser(User(uid: "b", name: name))
            }
            gate.open()
            try await held.value
            #expect(try await waiting.value)
            #expect(try await store.putUser(User(uid: "b", name: name)))
        }
    }

    @Test func `closing waits for what was taken and refuses the rest`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.open(folder.file())
        let gate = Gate()
        let held = await hold(store, gate)
        let taken = (0..<300).map { number in
            Task { try await store.putUser(User(uid: "u\(number)", name: "U")) }
        }
        await until { store.statistics.waiting == 300 }
        let closing = Task { await store.close() }
        let again = Task { await store.close() }
        // Nothing more is taken from some moment on, while 300 wait still.
        await until { store.isClosed }
        await #expect(throws: StoreError.closed) { try await store.putUser(User(uid: "late", name: "U")) }
        gate.open()
        try await held.value
        for task in taken { #expect(try await task.value) }
        await closing.value
        await again.value
        await #expect(throws: StoreError.closed) { try await store.user("u0") }
        let reopened = try await SQLiteStore.open(folder.file())
        #expect(try await reopened.users(PageRequest()).total == 300)
        await reopened.close()
    }
}
