import MediaWorker
import Meeting
import Observability
import Storage

/// Owns one meeting, and is the only one who changes it. What a command brings about goes through one queue: effects
/// on the media, events to the sockets and the answer, each when those before it are done.
actor SessionActor {
    nonisolated let id: String
    let media: any MediaPlane
    let directory: MediaDirectory
    let registry: SessionRegistry
    let store: any Store
    let presence: Presence
    let feed: MeetingFeed
    let log: Log
    /// The meeting's time: nobody is timed out because the system's clock was set.
    let clock = SteadyClock()
    /// Messages that should have been kept and couldn't be, until their senders know.
    var unkept: Set<String> = []
    var meeting: MeetingSession
    var places: [ParticipantID: Place] = [:]
    var participants: [MediaParticipantID: ParticipantID] = [:]
    /// Seats that were reported to somebody who isn't in yet, or with somebody in them who isn't, by viewer.
    var heldSeats: [MediaParticipantID: [SeatState]] = [:]
    private var opening: Task<MediaSessionID, Never>?
    private var queue: [Item] = []
    private var isDraining = false
    private var timer: (deadline: Int64, task: Task<Void, Never>)?

    /// What the session knows of a participant beside the meeting's own state.
    struct Place {
        let uid: String
        let media: MediaParticipantID
        let resumeToken: String
        var sources: NamedSources
        /// Whose participant it is now.
        var owner: Socket
        /// Where its events go; follows `owner` when its turn in the queue comes.
        var outlet: Socket?
        /// When it was let in, in monotonic milliseconds; nil while it is joining.
        var joinedAt: Int64?
    }

    private enum Item {
        case output(Output)
        case run(@Sendable (isolated SessionActor) -> Void)
        case resume(CheckedContinuation<Void, Never>)
    }

    init(
        id: String, group: GroupDirectory.Place?, limits: MeetingLimits, store: any Store,
        presence: Presence, feed: MeetingFeed, media: any MediaPlane, directory: MediaDirectory,
        registry: SessionRegistry, log: Log
    ) {
        self.id = id
        self.log = log
        self.store = store
        self.presence = presence
        self.feed = feed
        self.media = media
        self.directory = directory
        self.registry = registry
        meeting = MeetingSession(
            sessionID: id, meetingID: RandomID.uuid(), guid: group == nil ? nil : id,
            settings: SessionSettings(maxParticipants: group?.places ?? limits.maxParticipants),
            limits: limits,
            now: clock.now())
    }

    // MARK: - Commands

    /// Changes the meeting and answers once the effects took place.
    func perform<Result: Encodable & Sendable>(
        as participant: ParticipantID, _ reply: Reply,
        _ command: @Sendable (inout MeetingSession, ParticipantID, Int64) throws(MeetingError) -> Result
    ) async throws(APIError) {
        let result: Result
        do throws(MeetingError) {
            result = try command(&meeting, participant, clock.now())
        } catch {
            throw APIError(error)
        }
        await settle(after: { _ in reply.succeed(result) })
    }

    /// The participant leaves. Idempotent.
    func leave(_ participant: ParticipantID, _ reply: Reply?) async {
        meeting.leave(participant, now: clock.now())
        await settle(after: { _ in reply?.succeed(NoResult()) })
    }

    /// The socket is gone; the participant may come back on another one.
    func connectionLost(_ participant: ParticipantID, on socket: Socket) async {
        guard places[participant]?.owner === socket else { return }
        meeting.connectionLost(participant, now: clock.now())
        await settle()
    }

    /// What the workers report. Doesn't wait for the queue: whoever reports has other sessions to see to.
    func handle(_ event: MediaEvent) {
        switch event {
        case .connected, .disconnected:
            // ICE comes and goes while the socket lives: the client restarts it. Without socket the time-out decides.
            return
        case .seatsChanged(let viewer, let seats):
            guard let participant = participants[viewer] else { return }
            guard !isJoining(participant), !hasNewcomer(seats) else {
                heldSeats[viewer] = seats
                return
            }
            heldSeats[viewer] = nil
            meeting.setSeats(seats.map(seat), of: participant, now: clock.now())
        case .dominantSpeakerChanged(_, let speaker):
            meeting.setDominantSpeaker(speaker.flatMap { participants[$0] }, now: clock.now())
        }
        enqueue()
        startDraining()
    }

    // MARK: - The queue

    /// Queues what the last command brought about, with something to do `before` or after it, and waits for it.
    func settle(
        before: (@Sendable (isolated SessionActor) -> Void)? = nil,
        after: (@Sendable (isolated SessionActor) -> Void)? = nil
    ) async {
        enqueue(before: before, after: after)
        guard !queue.isEmpty else { return }
        await withCheckedContinuation { continuation in
            queue.append(.resume(continuation))
            startDraining()
        }
    }

    private func enqueue(
        before: (@Sendable (isolated SessionActor) -> Void)? = nil,
        after: (@Sendable (isolated SessionActor) -> Void)? = nil
    ) {
        if let before { queue.append(.run(before)) }
        for output in meeting.takeOutputs() { queue.append(.output(output)) }
        if let after { queue.append(.run(after)) }
        setTimer()
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
            for item in batch {
                switch item {
                case .run(let work): work(self)
                case .resume(let continuation): continuation.resume()
                case .output(let output): await perform(output)
                }
            }
        }
        isDraining = false
    }

    private func perform(_ output: Output) async {
        switch output {
        case .event(let event, let at, let recipients):
            let outlets = recipients.compactMap { recipient in
                places[recipient.participant]?.outlet.map { (socket: $0, seq: recipient.seq) }
            }
            guard !outlets.isEmpty else { return }
            guard let text = EncodedEvent(event, sessionID: id, at: at) else {
                return log.error("an event can't be written", ["event": .string(event.name)])
            }
            for outlet in outlets { outlet.socket.send(text.text(seq: outlet.seq)) }
        case .setSource(let source, let participant, let live):
            guard let place = places[participant] else { return }
            await media.setSource(MediaSource(source), of: place.media, to: live ? .live : .off)
        case .drop(let participant, let reason):
            await drop(participant, reason)
        case .keep(let message): await keep(message)
        case .meetingStarted:
            tellBegan()
            await tellGroup("meetingStarted")
        case .meetingEnded:
            tellEnded()
            await tellGroup("meetingEnded")
        case .setPermissions, .admit:
            // Nothing asks for these yet.
            break
        case .over:
            await registry.ended(self)
            guard let session = await opening?.value else { return }
            directory.remove(session)
            await media.closeSession(session)
        }
    }

    private func drop(_ participant: ParticipantID, _ reason: LeaveReason) async {
        guard let place = places.removeValue(forKey: participant) else { return }
        switch reason {
        case .replaced: place.owner.close(.replaced, reason: "replaced by the same device")
        case .removed: place.owner.close(.removed, reason: "removed")
        case .ended: place.owner.close(.sessionEnded, reason: "session ended")
        case .left, .timeout: break
        }
        await media.leave(place.media)
        participants[place.media] = nil
        heldSeats[place.media] = nil
        directory.remove(place.media)
        directory.givePlaceBack()
        await registry.forget(place.resumeToken)
        noteLeft(participant, place, reason)
    }

    // MARK: - The log

    /// Called in the queue, so that it stands before whatever is said about its leaving.
    func noteJoined(_ participant: ParticipantID) {
        guard let place = places[participant] else { return }
        places[participant]?.joinedAt = Clock.monotonic()
        tellJoined(participant)
        log.info(
            "participant joined",
            [
                "session": .string(id), "uid": .string(place.uid),
                "participant": .string(participant.rawValue),
            ], key: id)
    }

    private func noteLeft(_ participant: ParticipantID, _ place: Place, _ reason: LeaveReason) {
        // Whoever was refused while joining was never in.
        guard let joinedAt = place.joinedAt else { return }
        tellLeft(participant)
        log.info(
            "participant left",
            [
                "session": .string(id), "uid": .string(place.uid),
                "participant": .string(participant.rawValue), "reason": .string(reason.rawValue),
                "seconds": LogValue((Clock.monotonic() - joinedAt) / 1_000),
            ], key: id)
    }

    // MARK: - Time

    private func setTimer() {
        guard let deadline = meeting.nextDeadline else {
            timer?.task.cancel()
            timer = nil
            return
        }
        if let timer, timer.deadline <= deadline { return }
        timer?.task.cancel()
        let wait = max(0, deadline - clock.now())
        timer = (
            deadline,
            Task { [weak self] in
                guard (try? await Task.sleep(for: .milliseconds(wait))) != nil else { return }
                await self?.timeIsUp()
            }
        )
    }

    private func timeIsUp() async {
        timer = nil
        meeting.advance(to: clock.now())
        await settle()
    }

    // MARK: - Media

    /// The session's router, made for the first who needs it.
    func openedMedia() async -> MediaSessionID {
        if let opening { return await opening.value }
        let task = Task { [media, directory] in
            let session = directory.addSession(self)
            await media.openSession(session)
            return session
        }
        opening = task
        return await task.value
    }

    func seat(_ state: SeatState) -> Seat {
        let occupant = state.occupant.flatMap { participants[$0] }
        return Seat(
            mid: state.mid, kind: state.kind == .audio ? .audio : .video, occupant: occupant,
            source: occupant == nil ? nil : state.source.map(Source.init), muted: state.muted)
    }

    /// Whether somebody sits there who hasn't been announced yet.
    private func hasNewcomer(_ seats: [SeatState]) -> Bool {
        seats.contains { seat in
            guard let id = seat.occupant.flatMap({ participants[$0] }) else { return false }
            return isJoining(id)
        }
    }

    private func isJoining(_ participant: ParticipantID) -> Bool {
        meeting.participant(participant)?.state == .joining
    }
}

extension MediaSource {
    init(_ source: Source) {
        switch source {
        case .microphone: self = .microphone
        case .camera: self = .camera
        case .screen: self = .screen
        case .screenAudio: self = .screenAudio
        }
    }
}

extension Source {
    init(_ source: MediaSource) {
        switch source {
        case .microphone: self = .microphone
        case .camera: self = .camera
        case .screen: self = .screen
        case .screenAudio: self = .screenAudio
        }
    }
}
