import Meeting
import Observability
import Storage

/// Writes entries of the call log. What comes while the disk is at work is written together afterwards, an entry that
/// changed several times once; what can't be written is tried again until it can.
actor CallLog {
    private let store: any Store
    private let log: Log
    private var waiting: [String: Entry] = [:]
    private var waiters: [Waiter] = []
    private var isWriting = false
    private var isStopped = false
    private var retry: Task<Void, Never>?
    /// What the process before left open has to be closed before anything is written.
    private var opening: Task<Void, Never>?

    /// Entries that are kept while the disk refuses them.
    private static let mostWaiting = 10_000

    /// What is to be written of a call: all of it but participants, and those that changed.
    private struct Entry {
        var head: CallRecord
        var participants: [String: CallParticipant] = [:]
        var order: [String] = []

        init(_ record: CallRecord) {
            head = record.withoutParticipants
            add(record.participants)
        }

        mutating func add(_ changed: [CallParticipant]) {
            for participant in changed
            where participants.updateValue(participant, forKey: participant.id) == nil {
                order.append(participant.id)
            }
        }

        /// This, and then what came later.
        func followed(by later: Entry) -> Entry {
            var both = self
            both.head = later.head
            both.add(later.order.compactMap { later.participants[$0] })
            return both
        }

        var record: CallRecord {
            var record = head
            record.participants = order.compactMap { participants[$0] }
            return record
        }
    }

    private struct Waiter {
        let ids: [String]
        let continuation: CheckedContinuation<[String: StoreError], Never>
    }

    init(store: any Store, log: Log) {
        self.store = store
        self.log = log
    }

    /// Closes what the process before left open: at the moment until when it is known to have lived.
    func start() {
        guard opening == nil else { return }
        opening = Task { await self.close(at: nil) }
    }

    /// Closes what is open now, after all that was to be written. Nothing is written from then on.
    func stop() async {
        retry?.cancel()
        while isWriting { _ = await write([]) }
        isStopped = true
        _ = await put(waiting)
        await close(at: Clock.now())
    }

    /// Writes down that what goes on still does.
    func noteAlive() async {
        try? await store.noteAlive(at: Clock.now())
    }

    /// Writes entries over what the log has under their ids; participants that aren't named stay as they are.
    ///
    /// - Returns: What isn't on disk when this returns, and why.
    func write(_ records: [CallRecord]) async -> [String: StoreError] {
        if isStopped { return Dictionary(records.map { ($0.id, StoreError.closed) }) { first, _ in first } }
        take(records)
        return await withCheckedContinuation { continuation in
            waiters.append(Waiter(ids: records.map(\.id), continuation: continuation))
            startWriting()
        }
    }

    /// The same, without waiting for it.
    func note(_ record: CallRecord) {
        if isStopped { return }
        take([record])
        startWriting()
    }

    /// An entry that couldn't be written isn't to be written any more.
    func forget(_ id: String) {
        waiting[id] = nil
    }

    // MARK: - Parts

    private func take(_ records: [CallRecord]) {
        for record in records {
            let entry = Entry(record)
            waiting[record.id] = waiting[record.id]?.followed(by: entry) ?? entry
        }
    }

    private func startWriting() {
        guard !isWriting else { return }
        isWriting = true
        Task { await self.writeAll() }
    }

    private func writeAll() async {
        start()
        await opening?.value
        var failed: [String: StoreError] = [:]
        // What failed waits for the next time, unless something new has come meanwhile.
        while !waiters.isEmpty || waiting.keys.contains(where: { failed[$0] == nil }) {
            let (batch, served) = (waiting, waiters)
            (waiting, waiters) = ([:], [])
            failed = await put(batch)
            keep(batch.filter { failed[$0.key] != nil })
            for waiter in served {
                let ids = waiter.ids
                waiter.continuation.resume(returning: failed.filter { ids.contains($0.key) })
            }
        }
        isWriting = false
        if !waiting.isEmpty { tryAgain() }
    }

    /// What couldn't be written goes before what came meanwhile.
    private func keep(_ entries: [String: Entry]) {
        guard waiting.count + entries.count <= Self.mostWaiting else {
            return log.error("entries of the call log are lost", ["entries": LogValue(entries.count)])
        }
        for (id, entry) in entries {
            waiting[id] = waiting[id].map { entry.followed(by: $0) } ?? entry
        }
    }

    private func tryAgain() {
        guard retry == nil, !isStopped else { return }
        retry = Task {
            let isDue = (try? await Task.sleep(for: .seconds(1))) != nil
            self.retry = nil
            if isDue { self.startWriting() }
        }
    }

    /// Writes all at once, for the store to commit them together.
    private func put(_ entries: [String: Entry]) async -> [String: StoreError] {
        let (store, log) = (store, log)
        return await withTaskGroup(of: (id: String, error: StoreError)?.self) { group in
            for (id, entry) in entries {
                group.addTask {
                    do throws(StoreError) {
                        try await store.putCall(entry.record)
                        return nil
                    } catch {
                        // It is tried again every second.
                        let limit = LogLimit(lines: 1, window: .seconds(60))
                        log.error("\(error)", limit: limit, key: "call log \(error)")
                        return (id, error)
                    }
                }
            }
            var failed: [String: StoreError] = [:]
            for await failure in group { if let failure { failed[failure.id] = failure.error } }
            return failed
        }
    }

    private func close(at time: Int64?) async {
        do throws(StoreError) {
            let count = try await store.closeCalls(at: time)
            if count > 0 { log.info("calls that were open are closed", ["calls": LogValue(count)]) }
        } catch {
            log.error("\(error)", key: "store")
        }
    }
}
