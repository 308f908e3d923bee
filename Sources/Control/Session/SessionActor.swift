import MediaWorker
import Meeting
import Observability
import Storage

/// Owns one meeting, and is the only one who changes it. What a command brings about goes through one queue: effects
/// on the media, events to the sockets and the answer, each when those before it are done.
actor SessionActor {
    nonisolated let id: String
    /// The group whose session it is.
    nonisolated let guid: String?
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
    /// The session's router, made for the first who needs it.
    var opening: Task<MediaSessionID, Never>?
    /// Sockets of those whom the end of the meeting put out: closed when all has been said.
    var leaving: [Socket] = []
    private var queue: [Item] = []
    private var isDraining = false
    private var timer = DeadlineTimer()

    /// What the session knows of a participant beside the meeting's own state.
    struct Place {
        let uid: String
        let media: MediaParticipantID
        /// With which it can come back, once.
        var resumeToken: String
        /// The one before: good until the client has shown that it got the answer which replaced it.
        var formerToken: String?
        /// The auth token that its client lived by when it joined.
        let authTokenID: String?
        /// Whether it receives anything.
        let subscribes: Bool
        var sources: NamedSources
        /// How it arranges what it gets, as it said when it joined.
        var layout: ViewingLayout?
        /// Whose participant it is now.
        var owner: Socket
        /// Where its events go; follows `owner` when its turn in the queue comes.
        var outlet: Socket?
        /// Whether it has a place on the server, and media: not while it waits to be admitted.
        var holdsPlace = true
        /// When it was let in, in monotonic milliseconds; nil while it is joining.
        var joinedAt: Int64?
    }

    private enum Item {
        case output(Output)
        case run(@Sendable (isolated SessionActor) -> Void)
        case resume(CheckedContinuation<Void, Never>)
    }

    /// - Parameter bans: those whom the last meeting put out and who are to stay out, and until when.
    init(
        id: String, plan: SessionPlan, bans: [String: Int64], limits: MeetingLimits, store: any Store,
        presence: Presence, feed: MeetingFeed, media: any MediaPlane, directory: MediaDirectory,
        registry: SessionRegistry, log: Log
    ) {
        self.id = id
        guid = plan.guid
        self.log = log
        self.store = store
        self.presence = presence
        self.feed = feed
        self.media = media
        self.directory = directory
        self.registry = registry
        meeting = MeetingSession(
            sessionID: id, meetingID: RandomID.uuid(), guid: plan.guid, settings: plan.settings,
            title: plan.title, bans: bans, isMadeAhead: plan.isMadeAhead, limits: limits,
            now: clock.now())
    }

    // MARK: - Commands

    typealias Command<Result> =
        @Sendable (inout MeetingSession, _ now: Int64) throws(MeetingError) -> Result

    /// Changes the meeting; returns once the effects took place.
    @discardableResult
    func perform<Result: Sendable>(_ command: Command<Result>) async throws(APIError) -> Result {
        let result = try change(command)
        await settle()
        return result
    }

    /// Changes the meeting, and answers once the effects took place.
    func perform<Result: Encodable & Sendable>(
        _ reply: Reply, _ command: Command<Result>
    ) async throws(APIError) {
        let result = try change(command)
        await settle(after: { _ in reply.succeed(result) })
    }

    private func change<Result>(_ command: Command<Result>) throws(APIError) -> Result {
        do throws(MeetingError) {
            return try command(&meeting, clock.now())
        } catch {
            throw APIError(error)
        }
    }

    /// The participant leaves, or waits no longer. Idempotent.
    func leave(_ participant: ParticipantID, _ reply: Reply?) async {
        if meeting.participant(participant)?.state == .joining {
            meeting.cancelJoin(participant, now: clock.now())
        } else {
            meeting.leave(participant, now: clock.now())
        }
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
        case .activeSpeakersChanged(_, let speakers):
            meeting.setActiveSpeakers(speakers.compactMap(speaker), now: clock.now())
        case .publishHint(let publisher, let hints):
            guard let participant = participants[publisher] else { return }
            meeting.setPublishHints(hints.map(EncodingHint.init), of: participant, now: clock.now())
        case .connectionQuality(let id, let score):
            guard let participant = participants[id] else { return }
            meeting.setConnectionQuality(score, of: participant, now: clock.now())
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
                await feed.room()
                switch item {
                case .run(let work): work(self)
                case .resume(let continuation): continuation.resume()
                case .output(let output): await perform(output)
                }
            }
        }
        for socket in leaving { socket.close(.sessionEnded, reason: "session ended") }
        leaving = []
        isDraining = false
    }

    // MARK: - Time

    private func setTimer() {
        timer.set(meeting.nextDeadline, now: clock.now()) { [weak self] in await self?.timeIsUp() }
    }

    private func timeIsUp() async {
        timer.woke()
        meeting.advance(to: clock.now())
        await settle()
    }
}
