import Synchronization

/// The store in a SQLite file, in WAL mode.
///
/// Two threads: one writes, and puts everything that waits into one transaction (a commit costs a write to the disk,
/// whatever it carries); the other reads from a connection of its own and is never kept waiting by the writer. Both
/// have bounded queues; what finds one full is refused (`overloaded`).
public final class SQLiteStore: Store {
    public struct Options: Sendable {
        /// Verbs that may wait for each of the two threads.
        public var waitingVerbs = 4_096
        /// Text that may wait for each of the two threads, bytes.
        public var waitingBytes = 64 << 20

        public init() {}
    }

    /// The path of a database that lives in memory, for tests and for trying things out: gone when it is closed.
    public static let inMemory = ":memory:"

    private let writer: StoreThread
    /// In memory there is one connection, so the writer reads too.
    private let reader: StoreThread
    private let counters: StoreCounters

    private init(writer: StoreThread, reader: StoreThread, counters: StoreCounters) {
        self.writer = writer
        self.reader = reader
        self.counters = counters
    }

    deinit {
        // Whoever forgets `close` must not leave threads behind.
        reader.queue.close()
        writer.queue.close()
    }

    /// Opens a file, or makes it (readable by its owner alone), and brings its schema up to date.
    ///
    /// The folder must exist: SQLite makes two more files beside the file, and `FileLock` a third. One store has it at a
    /// time. Errors: `inUse`, `cannotOpen`, `foreign`, `tooNew`, `corrupt`, `busy`, `disk`.
    public static func open(
        _ path: String, options: Options = Options()
    ) async throws(StoreError) -> SQLiteStore {
        try await open(path, options: options) { (_) throws(StoreError) in }
    }

    /// As above; `prepare` is called with the writer's database once it is ready.
    static func open(
        _ path: String, options: Options,
        prepare: @escaping @Sendable (Database) throws(StoreError) -> Void
    ) async throws(StoreError) -> SQLiteStore {
        let counters = StoreCounters()
        let bounds = JobQueue.Bounds(jobs: options.waitingVerbs, bytes: options.waitingBytes)
        let write = StoreThread.Role(
            name: "store-write", mostJobs: Committer.mostJobs,
            open: { () throws(StoreError) in
                let database = try Schema.open(path)
                try prepare(database)
                return database
            },
            serve: { database, jobs in Committer(database: database, counters: counters).run(jobs) })
        let writer = try await StoreThread.start(write, bounds: bounds)
        guard path != inMemory else {
            return SQLiteStore(writer: writer, reader: writer, counters: counters)
        }
        let read = StoreThread.Role(
            name: "store-read", mostJobs: 16,
            open: { () throws(StoreError) in try Database(path: path, access: .readOnly) },
            serve: { database, jobs in Viewer(database: database, counters: counters).run(jobs) })
        do throws(StoreError) {
            let reader = try await StoreThread.start(read, bounds: bounds)
            return SQLiteStore(writer: writer, reader: reader, counters: counters)
        } catch {
            await writer.close()
            throw error
        }
    }

    /// What was done so far, and what waits.
    public var statistics: StoreStatistics {
        let waiting = writer.queue.count + (reader === writer ? 0 : reader.queue.count)
        return StoreStatistics(
            commits: counters.commits.load(ordering: .relaxed),
            writes: counters.writes.load(ordering: .relaxed), reads: counters.reads.load(ordering: .relaxed),
            refused: counters.refused.load(ordering: .relaxed), waiting: waiting)
    }

    /// Whether nothing more is taken.
    var isClosed: Bool { writer.queue.isClosed && reader.queue.isClosed }

    /// Throws while what is to be kept can't be: when the last write failed for the disk's sake, another one is tried.
    public func checkWritable() async throws(StoreError) {
        guard counters.isDiskFailing.load(ordering: .relaxed) else { return }
        try await write { (database) throws(StoreError) in try database.touch() }
    }

    /// Everything that is wrong with the file, a line each, by SQLite's own check; empty: it is sound. Takes time in
    /// proportion to the file; other reads wait.
    public func problems() async throws(StoreError) -> [String] {
        try await read { (database) throws(StoreError) in try database.problems() }
    }

    public func close() async {
        // The reader first: the last connection to close moves what is in the log into the file.
        writer.queue.close()
        await reader.close()
        await writer.close()
    }

    /// Runs `body` on the writer's thread, and returns what it made once that is on disk. `bytes` is what it keeps
    /// in memory while it waits.
    func write<Value: Sendable>(
        bytes: Int = 0, _ body: @escaping @Sendable (Database) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await run(on: writer, bytes: bytes, body)
    }

    /// Runs `body` on the reader's thread.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await run(on: reader, bytes: 0, body)
    }

    private func run<Value: Sendable>(
        on thread: StoreThread, bytes: Int,
        _ body: @escaping @Sendable (Database) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result = await withCheckedContinuation {
            (waiting: CheckedContinuation<Result<Value, StoreError>, Never>) in
            let job = Job(bytes: bytes, body) { result in waiting.resume(returning: result) }
            switch thread.queue.put(job) {
            case nil: break
            case .closed: job.refuse(.closed)
            case .full(let count):
                counters.refused.add(1, ordering: .relaxed)
                job.refuse(.overloaded(waiting: count))
            }
        }
        return try result.get()
    }
}
