public import Wire
import EventLoop
import Forwarding
import Transport

/// All media workers of the server, and what was negotiated with each participant.
///
/// SDP is read and written here, off the workers' threads; they get the result. A session lives on its home worker until
/// that one is busy; then others host it too.
public actor MediaPool: MediaPlane {
    public nonisolated let events: AsyncStream<MediaEvent>
    /// Where the workers listen, with the port that was given if 0 was asked for.
    public nonisolated let localAddress: SocketAddress
    /// One line each for what is different from what one might expect (no IPv6, no segmentation offload, …).
    public nonisolated let notices: [String]

    let shared: WorkerShared
    let placement: Placement
    private let threads: [WorkerThread]
    let candidates: [ICECandidate]
    /// Those that clients are told for UDP.
    public nonisolated let addresses: [SocketAddress]
    var sessions: [MediaSessionID: MediaSession] = [:]
    var members: [MediaParticipantID: MediaMember] = [:]
    var generator = SystemRandomNumberGenerator()
    /// Counts connections and publications.
    private var lastNumber: UInt64 = 0

    struct MediaSession {
        let home: Int
        var limits: RouterLimits
        /// Workers that have a router for it, its home first.
        var hosts: [Int]
        var participants: Set<MediaParticipantID> = []
        /// Who has joined since it began.
        var joins = 0

        init(home: Int, limits: RouterLimits) {
            self.home = home
            self.limits = limits
            hosts = [home]
        }
    }

    private init(
        shared: WorkerShared, start: WorkerStart, threads: [WorkerThread], events: AsyncStream<MediaEvent>
    ) {
        self.shared = shared
        placement = Placement(spreadAbove: shared.settings.spreadAbove)
        self.threads = threads
        self.events = events
        localAddress = start.localAddress
        notices = start.notices
        candidates = start.candidates
        addresses = start.candidates.filter { $0.transport == .udp }.compactMap {
            SocketAddress(host: $0.address, port: $0.port)
        }
    }

    /// Opens the ports and starts the workers' threads.
    ///
    /// - Parameters:
    ///   - clockOffset: what to add to the monotonic clock to get the time since 1970.
    ///   - log: takes lines for the operator, from any thread.
    /// - Throws: one line about what is missing or taken; nothing is left running then.
    public static func start(
        _ settings: MediaSettings, clockOffset: Duration, log: @escaping @Sendable (String) -> Void
    ) async throws(MediaStartError) -> MediaPool {
        let (events, continuation) = AsyncStream<MediaEvent>.makeStream()
        let shared: WorkerShared
        do {
            shared = try WorkerShared(
                settings: settings, certificate: DTLSCertificate.generate(), events: continuation,
                clockOffset: clockOffset, log: log)
        } catch let error as SocketError {
            throw MediaStartError(error.description)
        } catch {
            throw MediaStartError("the DTLS certificate can't be made: OpenSSL has no P-256")
        }
        let (start, threads) = try await WorkerStart.run(shared) { () throws(SocketError) in
            try NetworkInterface.advertisable(loopback: settings.advertisesLoopback)
        }
        return MediaPool(shared: shared, start: start, threads: threads, events: events)
    }

    /// Says goodbye to all peers and ends the threads.
    public func stop() async {
        for worker in shared.mailboxes.indices {
            await ask(worker) { .stop($0) }
        }
        for thread in threads { thread.join() }
        shared.events.finish()
    }

    // MARK: Workers

    func ask<Value: Sendable>(
        _ worker: Int, _ command: (Reply<Value>) -> WorkerCommand
    ) async -> Value {
        await withCheckedContinuation { continuation in
            post(command(Reply(continuation)), to: worker)
        }
    }

    /// Asks several workers, and waits for all of them. Each gets the pool's commands in the same order: nothing else is
    /// posted in between.
    ///
    /// - Returns: their answers, in the workers' order.
    @discardableResult
    func ask<Value: Sendable>(
        _ workers: [Int], _ command: (_ worker: Int, Reply<Value>) -> WorkerCommand
    ) async -> [Value] {
        guard !workers.isEmpty else { return [] }
        return await withCheckedContinuation { continuation in
            let replies = GatheredReplies<Value>(workers.count, continuation)
            for (place, worker) in workers.enumerated() {
                post(command(worker, replies.reply(place)), to: worker)
            }
        }
    }

    private func post(_ command: WorkerCommand, to worker: Int) {
        // The mailbox holds far more than can be under way; when it is full the worker is behind, and its answer is
        // worth waiting for.
        while !shared.mailboxes[worker].post(command) {
            guard shared.hasEnded(worker) else { continue }
            command.refuse()
            return
        }
    }

    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Sessions

    public func openSession(_ session: MediaSessionID, limits: MediaLimits = MediaLimits()) async {
        guard sessions[session] == nil else { return }
        let worker = leastLoadedWorker()
        let limits = RouterLimits(limits)
        sessions[session] = MediaSession(home: worker, limits: limits)
        _ = await ask(worker) { .openSession(session, limits, isHome: true, [], $0) }
    }

    public func setLimits(of session: MediaSessionID, to limits: MediaLimits) async {
        let limits = RouterLimits(limits)
        guard let known = sessions[session], known.limits != limits else { return }
        sessions[session]?.limits = limits
        await ask(known.hosts) { .setLimits(limits, session, $1) }
    }

    private func leastLoadedWorker() -> Int {
        var load = Array(repeating: 0, count: shared.mailboxes.count)
        for session in sessions.values { load[session.home] += 1 }
        for member in members.values { load[member.worker] += 1 }
        return load.indices.min { load[$0] < load[$1] } ?? 0
    }

    public func closeSession(_ session: MediaSessionID) async {
        guard let closed = sessions.removeValue(forKey: session) else { return }
        for participant in closed.participants { forget(participant) }
        await ask(closed.hosts) { .closeSession(session, closed.participants, $1) }
    }

    // MARK: Participants

    public func join(
        _ participant: MediaParticipantID, session: MediaSessionID, permissions: MediaPermissions
    ) async {
        guard let worker = place(in: session), members[participant] == nil else { return }
        sessions[session]?.participants.insert(participant)
        sessions[session]?.joins += 1
        members[participant] = MediaMember(session: session, worker: worker, permissions: permissions)
        await host(session, for: participant)
    }

    public func leave(_ participant: MediaParticipantID) async {
        guard let member = forget(participant) else { return }
        sessions[member.session]?.participants.remove(participant)
        await ask(hosts(of: member)) { worker, reply in
            worker == member.worker ? .leave(participant, reply) : .endMirror(participant, reply)
        }
        await unhost(member.session, on: member.worker)
    }

    /// Negotiations that wait for their turn find the participant gone.
    @discardableResult
    private func forget(_ participant: MediaParticipantID) -> MediaMember? {
        guard let member = members.removeValue(forKey: participant) else { return nil }
        for continuation in member.waiting { continuation.resume() }
        return member
    }

    public func statistics() async -> MediaStatistics {
        var total = MediaStatistics()
        for worker in shared.mailboxes.indices {
            let part = await ask(worker) { .statistics($0) }
            total.counters.merge(part.counters) { $0 &+ $1 }
            total.gauges.merge(part.gauges) { $0 + $1 }
            total.workers += part.workers
        }
        return total
    }
}

extension RouterLimits {
    init(_ limits: MediaLimits) {
        self.init(maxVideoSeats: limits.maxVideoSeats, maxAudible: limits.maxAudible)
    }
}
