import Meeting
import Observability
import Storage

/// Owns the calls that ring and go on, and is the only one who changes them. What a command brings about goes through
/// one queue: the call log first, then those who are told, then the answer.
///
/// A call that can't be logged isn't made. One that goes on goes on whatever the disk does, and its log catches up; but
/// nobody is answered that something is done which isn't on disk: who asks again, and it is by then, is.
actor CallExchange {
    private let log: CallLog
    private let presence: Presence
    private let registry: SessionRegistry
    private let store: any Store
    /// Nobody rings longer because the system's clock was set.
    private let clock = SteadyClock()
    private var book = CallBook()
    private var queue: [Item] = []
    private var isDraining = false
    private var timer = DeadlineTimer()
    /// Sockets that were told of a call that rings.
    private var told: [String: Set<UInt64>] = [:]
    /// Calls that the log doesn't have yet, by the id of their entry.
    private var unlogged: [String: String] = [:]
    /// Calls that couldn't be logged, and so weren't made: what they brought about is dropped.
    private var withdrawn: [String: StoreError] = [:]

    /// What an answer is given with: the call as the command left it.
    typealias Answer = @Sendable (CallRecord) -> Void

    private enum Item {
        case output(CallOutput)
        case answer(call: String, @Sendable (StoreError?) -> Void)
        case greet(Socket, uid: String)
    }

    init(log: CallLog, presence: Presence, registry: SessionRegistry, store: any Store) {
        self.log = log
        self.presence = presence
        self.registry = registry
        self.store = store
    }

    // MARK: - Commands

    /// Rings. `answer` is called in the queue, before anything that follows from an answer of those who are called.
    @discardableResult
    func initiate(_ request: CallRequest, _ answer: Answer? = nil) async throws(APIError) -> CallRecord {
        let record: CallRecord
        do throws(MeetingError) {
            record = try book.initiate(request, now: clock.now())
        } catch {
            throw APIError(error)
        }
        unlogged[record.id] = record.sessionID
        return try await settle(record, answer)
    }

    /// Carries out what somebody in a call asks for. `answer` is called in the queue, before the call's session ends.
    @discardableResult
    func apply(
        _ command: CallCommand, to sessionID: String, by uid: String, device: String?, _ answer: Answer? = nil
    ) async throws(APIError) -> CallRecord {
        let record: CallRecord
        do throws(MeetingError) {
            record = try book.apply(command, to: sessionID, by: uid, device: device, now: clock.now())
        } catch {
            throw await refusal(error, of: sessionID, by: uid)
        }
        return try await settle(record, answer)
    }

    /// Why a call can't be made anew.
    func refuseToInitiate(_ sessionID: String, by uid: String) async -> APIError {
        guard let call = book.call(sessionID) else {
            return await refusal(.callNotFound, of: sessionID, by: uid)
        }
        if !call.hasPart(uid) { return APIError(MeetingError.notAPart) }
        return APIError(call.isOver ? MeetingError.callOver : .callExists)
    }

    /// Refuses whoever may not come to a call's session now.
    func checkMayJoin(_ uid: String, _ sessionID: String) async throws(APIError) {
        do throws(MeetingError) {
            try book.checkMayJoin(uid, sessionID)
        } catch .callNotStarted {
            throw APIError(.callNotStarted, "nobody answered yet: the caller joins after that")
        } catch {
            throw await refusal(error, of: sessionID, by: uid)
        }
    }

    /// The call that the user makes, is in, or is called for.
    func activeCall(of uid: String) -> CallRecord? {
        (book.activeCall(of: uid) ?? book.ringing(uid).first).map { shown($0.record) }
    }

    /// The group's call, ringing or going on.
    func activeCall(ofGroup guid: String) -> CallRecord? {
        book.activeCall(ofGroup: guid).map { shown($0.record) }
    }

    // MARK: - What happens elsewhere

    /// Somebody came to the session of a call, or left it.
    func take(_ news: MeetingFeed.News) {
        let (id, now) = (news.sessionID, clock.now())
        switch news.change {
        case .joined(let stay):
            book.deviceJoined(id, by: stay.uid, device: stay.deviceID, meetingID: news.meetingID, now: now)
        case .left(let stay): book.deviceLeft(id, by: stay.uid, now: now)
        case .ended: book.sessionEnded(id, now: now)
        case .began: return
        }
        enqueue()
    }

    /// A device of a user who may be called already.
    func greet(_ socket: Socket, as uid: String) {
        queue.append(.greet(socket, uid: uid))
        startDraining()
    }

    func memberRemoved(_ uid: String, from guid: String) {
        book.memberRemoved(uid, fromGroup: guid, now: clock.now())
        enqueue()
    }

    func userDeleted(_ uid: String) {
        book.userDeleted(uid, now: clock.now())
        enqueue()
    }

    func groupDeleted(_ guid: String) {
        book.groupDeleted(guid, now: clock.now())
        enqueue()
    }

    // MARK: - The queue

    /// - Parameter record: the call that is answered; it is written with what follows from the command, or by itself if
    ///   that is nothing new.
    private func enqueue(_ answer: Item? = nil, with record: CallRecord? = nil) {
        var rest = answer
        var outputs = book.takeOutputs()
        if outputs.isEmpty, let record { outputs = [.record(record)] }
        for output in outputs {
            // A socket that is in the session gets its answer before that ends.
            if output.concernsSession, let item = rest.take() { queue.append(item) }
            queue.append(.output(output))
        }
        if let item = rest.take() { queue.append(item) }
        setTimer()
        startDraining()
    }

    private func settle(_ record: CallRecord, _ answer: Answer?) async throws(APIError) -> CallRecord {
        let record = shown(record)
        let failure = await withCheckedContinuation { (waiting: CheckedContinuation<StoreError?, Never>) in
            enqueue(
                .answer(call: record.sessionID) { failure in
                    if failure == nil { answer?(record) }
                    waiting.resume(returning: failure)
                }, with: record)
        }
        if let failure { throw APIError(failure) }
        return record
    }

    private func startDraining() {
        guard !isDraining, !queue.isEmpty else { return }
        isDraining = true
        Task { await self.drain() }
    }

    private func drain() async {
        while !queue.isEmpty {
            let batch = queue
            queue = []
            let failed = await writeLog(of: batch)
            for item in batch {
                switch item {
                case .output(let output):
                    if withdrawn[output.record?.sessionID ?? ""] == nil { perform(output) }
                case .answer(let call, let give): give(withdrawn[call] ?? failed[call])
                case .greet(let socket, let uid): tellOfRinging(socket, uid)
                }
            }
        }
        withdrawn = [:]
        isDraining = false
    }

    /// Writes what the outputs have for the log, each entry once, and withdraws calls whose first entry can't be.
    ///
    /// - Returns: The calls of which the log doesn't have what they are now, by sessionId.
    private func writeLog(of batch: [Item]) async -> [String: StoreError] {
        var records: [String: CallRecord] = [:]
        for case .output(.record(let record)) in batch { records[record.id] = shown(record) }
        guard !records.isEmpty else { return [:] }
        let failures = await log.write(Array(records.values))
        var failed: [String: StoreError] = [:]
        for (id, record) in records {
            let isNew = unlogged.removeValue(forKey: id) != nil
            guard let failure = failures[id] else { continue }
            failed[record.sessionID] = failure
            guard isNew else { continue }
            book.withdraw(record.sessionID)
            withdrawn[record.sessionID] = failure
            await log.forget(id)
        }
        return failed
    }

    private func perform(_ output: CallOutput) {
        switch output {
        case .record(let record):
            if record.status != .initiated && record.status != .ongoing { told[record.sessionID] = nil }
        case .event(let event, let addresses):
            var sockets = addresses.flatMap { presence.sockets(at: $0) }
            if case .incomingCallReceived(let record) = event {
                // Who came meanwhile may have been told as it came.
                sockets.removeAll { !told[record.sessionID, default: []].insert($0.id).inserted }
            }
            send(event, to: sockets)
        case .push:
            // Nothing wakes phones yet.
            break
        case .leaveSession(let id, let uid):
            // Not waited for: a worker that is busy keeps nobody from calling.
            Task { [registry] in await registry.running(id)?.dismiss(uid) }
        case .endSession(let id):
            Task { [registry] in await registry.running(id)?.end() }
        }
    }

    private func send(_ event: CallEvent, to sockets: [Socket]) {
        guard !sockets.isEmpty, let text = AppEvent.text(event.name, CallNews(event)) else { return }
        let shared = OutboundText([text])
        for socket in sockets { socket.send(shared) }
    }

    private func tellOfRinging(_ socket: Socket, _ uid: String) {
        for call in book.ringing(uid) where unlogged[call.record.id] == nil {
            guard told[call.sessionID, default: []].insert(socket.id).inserted else { continue }
            send(.incomingCallReceived(call.record), to: [socket])
        }
    }

    // MARK: - Parts

    /// As others see it: what only tells sockets apart is no device's id.
    private func shown(_ record: CallRecord) -> CallRecord {
        var record = record
        for index in record.participants.indices {
            record.participants[index].deviceID = DeviceKey.deviceID(record.participants[index].deviceID)
        }
        return record
    }

    /// Of a call that isn't known any more the log may know why it can't be changed.
    private func refusal(_ error: MeetingError, of sessionID: String, by uid: String) async -> APIError {
        guard error == .callNotFound, let record = try? await store.latestCall(in: sessionID),
            record.mode == .call
        else { return APIError(error) }
        return APIError(CallBook.refusal(of: record, by: uid))
    }

    private func setTimer() {
        timer.set(book.nextDeadline, now: clock.now()) { [weak self] in await self?.timeIsUp() }
    }

    private func timeIsUp() {
        timer.woke()
        book.advance(to: clock.now())
        enqueue()
    }
}

extension CallOutput {
    /// The call as it is then, if the output has it.
    fileprivate var record: CallRecord? {
        switch self {
        case .record(let record), .push(let record, _): record
        case .event(let event, _): event.record
        case .leaveSession, .endSession: nil
        }
    }

    fileprivate var concernsSession: Bool {
        switch self {
        case .leaveSession, .endSession: true
        case .record, .event, .push: false
        }
    }
}
