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
    private let candidates: [ICECandidate]
    var sessions: [MediaSessionID: MediaSession] = [:]
    var members: [MediaParticipantID: MediaMember] = [:]
    private var generator = SystemRandomNumberGenerator()
    /// Counts connections and publications.
    private var lastNumber: UInt64 = 0

    struct MediaSession {
        let home: Int
        /// Workers that have a router for it, its home first.
        var hosts: [Int]
        var participants: Set<MediaParticipantID> = []
        /// Who has joined since it began.
        var joins = 0

        init(home: Int) {
            self.home = home
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

    private func ask<Value: Sendable>(
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

    private func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Sessions

    public func openSession(_ session: MediaSessionID) async {
        guard sessions[session] == nil else { return }
        let worker = leastLoadedWorker()
        sessions[session] = MediaSession(home: worker)
        _ = await ask(worker) { .openSession(session, isHome: true, [], $0) }
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

    public func setSource(
        _ source: MediaSource, of participant: MediaParticipantID, to state: SourceState
    ) async {
        guard let member = members[participant] else { return }
        let isLive = state == .live
        if isLive {
            members[participant]?.off.remove(source.source)
        } else {
            members[participant]?.off.insert(source.source)
        }
        await ask(hosts(of: member)) { worker, reply in
            worker == member.worker
                ? .setSource(source.source, participant, isLive: isLive, reply)
                : .setMirrorSource(source.source, participant, isLive: isLive, reply)
        }
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

    // MARK: Negotiation

    public func negotiate(
        _ participant: MediaParticipantID, offer: String, sources: [String: MediaSource]
    ) async throws(MediaError) -> MediaAnswer {
        let description = try Self.parse(offer)
        await waitForTurn(of: participant)
        defer { endTurn(of: participant) }
        guard let member = members[participant] else { throw .participantGone }
        if let previous = member.negotiated, member.offerOrigin == description.origin.sessionID {
            return try await renegotiate(participant, member, description, previous, sources)
        }
        return try await connect(participant, member, description, sources)
    }

    private static func parse(_ offer: String) throws(MediaError) -> SessionDescription {
        do throws(SDPError) {
            return try SessionDescription.parse(offer)
        } catch {
            throw .invalidOffer(line: error.line, reason: error.reason.text)
        }
    }

    /// A first offer, or one of another peer connection: then what was there before goes.
    private func connect(
        _ participant: MediaParticipantID, _ member: MediaMember, _ offer: SessionDescription,
        _ sources: [String: MediaSource]
    ) async throws(MediaError) -> MediaAnswer {
        let credentials = try credentials(for: member.worker)
        let negotiated = try answer(offer, previous: nil, credentials)
        var sections = MediaSections(
            negotiated, sources: sources, permissions: member.permissions, previous: nil,
            order: nextNumber(), using: &generator)
        sections.localSSRC = SSRC(.random(in: 1...UInt32.max, using: &generator))
        let request = ConnectRequest(
            participant: participant, session: member.session, number: nextNumber(),
            credentials: credentials, remote: negotiated.remote,
            fingerprints: negotiated.remoteFingerprints.compactMap { CertificateFingerprint($0) },
            sections: sections)
        guard
            let seats = await tell(participant, sections, number: request.number, { .connect(request, $0) })
        else {
            // The one before has gone.
            members[participant]?.negotiated = nil
            await disconnect(participant)
            throw members[participant] == nil ? .participantGone : .serverFull
        }
        members[participant]?.sources = [:]
        return remember(participant, offer, negotiated, credentials, sections, seats)
    }

    private func renegotiate(
        _ participant: MediaParticipantID, _ member: MediaMember, _ offer: SessionDescription,
        _ previous: NegotiatedSession, _ sources: [String: MediaSource]
    ) async throws(MediaError) -> MediaAnswer {
        guard var credentials = member.credentials, let old = member.sections else { throw .participantGone }
        let isRestart = Negotiation.isICERestart(offer, previous: previous)
        if isRestart { credentials = try self.credentials(for: member.worker) }
        let negotiated = try answer(offer, previous: previous, credentials)
        if isRestart {
            let restart = credentials
            guard await ask(member.worker, { .restart(participant, restart, negotiated.remote, $0) }),
                members[participant] != nil
            else { throw ended(participant) }
        }
        var known = member.sources
        known.merge(sources) { $1 }
        let sections = MediaSections(
            negotiated, sources: known, permissions: member.permissions, previous: old, order: nextNumber(),
            using: &generator)
        let number = member.original?.connection ?? 0
        guard
            let seats = await tell(
                participant, sections, number: number, { .configure(participant, sections, $0) })
        else {
            await disconnect(participant)
            throw ended(participant)
        }
        return remember(participant, offer, negotiated, credentials, sections, seats)
    }

    /// Why a connection that was negotiated before isn't there.
    private func ended(_ participant: MediaParticipantID) -> MediaError {
        guard members[participant] != nil else { return .participantGone }
        return .invalidOffer(
            line: nil, reason: "the connection has ended: offer from a new peer connection")
    }

    private func remember(
        _ participant: MediaParticipantID, _ offer: SessionDescription, _ negotiated: NegotiatedSession,
        _ credentials: ICECredentials, _ sections: MediaSections, _ seats: [SeatState]
    ) -> MediaAnswer {
        let published = Dictionary(
            sections.publications.map { ($0.mid.description, MediaSource($0.source)) },
            uniquingKeysWith: { $1 })
        members[participant]?.negotiated = negotiated
        members[participant]?.credentials = credentials
        members[participant]?.sections = sections
        members[participant]?.sources.merge(published) { $1 }
        members[participant]?.offerOrigin = offer.origin.sessionID
        let ordered = sections.seats.compactMap { seat in
            seats.first { $0.mid == seat.mid.description }
        }
        return MediaAnswer(sdp: negotiated.answer.write(), seats: ordered, published: published)
    }

    private func credentials(for worker: Int) throws(MediaError) -> ICECredentials {
        do throws(TransportError) {
            return try ICECredentials.random(lane: worker)
        } catch {
            throw .serverFull
        }
    }

    private func answer(
        _ offer: SessionDescription, previous: NegotiatedSession?, _ credentials: ICECredentials
    ) throws(MediaError) -> NegotiatedSession {
        var local = LocalParameters(
            iceUfrag: credentials.ufrag.text, icePwd: credentials.password,
            fingerprint: shared.certificate.fingerprint.digest, candidates: candidates, cname: "rostrum")
        local.maxVideoSeats = shared.settings.maxVideoSeats
        local.maxAudioSeats = shared.settings.maxAudioSeats
        do throws(NegotiationError) {
            return try Negotiation.answer(offer, previous: previous, local: local, using: &generator)
        } catch {
            switch error {
            case .codecUnsupported(let mid, _): throw .codecUnsupported(mid: mid)
            case .invalidOffer(let line, let reason): throw .invalidOffer(line: line, reason: reason.text)
            }
        }
    }

    // MARK: One negotiation at a time

    private func waitForTurn(of participant: MediaParticipantID) async {
        while members[participant]?.isNegotiating == true {
            await withCheckedContinuation { members[participant]?.waiting.append($0) }
        }
        members[participant]?.isNegotiating = true
    }

    private func endTurn(of participant: MediaParticipantID) {
        guard var member = members[participant] else { return }
        member.isNegotiating = false
        let waiting = member.waiting
        member.waiting = []
        members[participant] = member
        for continuation in waiting { continuation.resume() }
    }
}

extension NegotiatedSession {
    var remote: RemoteICECredentials {
        RemoteICECredentials(ufrag: remoteUfrag, password: remotePwd)
    }
}

extension CertificateFingerprint {
    init?(_ fingerprint: Fingerprint) {
        guard let algorithm = Algorithm(rawValue: fingerprint.algorithm) else { return nil }
        self.init(algorithm: algorithm, digest: fingerprint.bytes)
    }
}
