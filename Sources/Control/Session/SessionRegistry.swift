import MediaWorker
import Meeting
import Observability
import Storage

/// Finds or makes the session that somebody wants to join, and whom a resume token belongs to.
actor SessionRegistry {
    private let settings: ControlSettings
    private let store: any Store
    private let presence: Presence
    private let feed: MeetingFeed
    private let media: any MediaPlane
    private let directory: MediaDirectory
    private let log: Log
    private var sessions: [String: SessionActor] = [:]
    /// Sessions that back ends made: there is always one of this id.
    private var plans: [String: MadeAhead] = [:]
    private var bans = KeptBans()
    private var resumable: [String: (session: SessionActor, participant: ParticipantID)] = [:]

    private struct MadeAhead {
        var plan: SessionPlan
        /// Since when nobody has been seen in it, in monotonic milliseconds.
        var unusedSince = Clock.monotonic()
    }

    init(
        settings: ControlSettings, store: any Store, presence: Presence, feed: MeetingFeed,
        media: any MediaPlane, directory: MediaDirectory, log: Log
    ) {
        self.settings = settings
        self.store = store
        self.presence = presence
        self.feed = feed
        self.media = media
        self.directory = directory
        self.log = log
    }

    var sessionCount: Int { sessions.count }

    /// The ids of all sessions, those that were made ahead too, in order.
    var ids: [String] { sessions.keys.sorted() }

    /// All that go on.
    var all: [SessionActor] { Array(sessions.values) }

    /// The session that goes on under this id, if one does.
    func running(_ id: String) -> SessionActor? { sessions[id] }

    /// The session that goes on under this id, or a new one with a new meeting id.
    ///
    /// - Parameter group: what the group of this name says about its session; nil if there is no such group.
    func session(_ id: String, group: GroupDirectory.Place?) throws(APIError) -> SessionActor {
        if let session = sessions[id] { return session }
        try checkRoom()
        var plan = SessionPlan(guid: group == nil ? nil : id, settings: settings.session)
        plan.settings.maxParticipants = group?.places ?? settings.meeting.maxParticipants
        return begin(id, plan)
    }

    /// Keeps a token with which somebody can come back.
    func keep(_ token: String, session: SessionActor, participant: ParticipantID) {
        resumable[token] = (session, participant)
    }

    func forget(_ token: String) {
        resumable[token] = nil
    }

    func bearer(of token: String) -> (session: SessionActor, participant: ParticipantID)? {
        resumable[token]
    }

    // MARK: - Sessions of back ends

    /// Makes a session before anybody joins it, or takes over the one that goes on, which keeps its own state.
    func make(_ id: String, _ plan: SessionPlan) throws(APIError) -> (session: SessionActor, isNew: Bool) {
        if let session = sessions[id] {
            plans[id] = MadeAhead(plan: plan)
            return (session, false)
        }
        try checkRoom()
        plans[id] = MadeAhead(plan: plan)
        return (begin(id, plan), true)
    }

    /// What the next meetings of a session that was made ahead begin with.
    func change(_ id: String, _ edit: @Sendable (inout SessionPlan) -> Void) {
        guard var made = plans[id] else { return }
        edit(&made.plan)
        plans[id] = made
    }

    /// Ends those in which nobody has been for as long as the settings say.
    func endUnused(now: Int64 = Clock.monotonic()) async {
        bans.forgetOver(now: Clock.now())
        for (id, made) in plans where now - made.unusedSince >= settings.unusedSessionMs {
            guard let session = sessions[id], await session.endIfUnused() else {
                plans[id]?.unusedSince = now
                continue
            }
            log.info("unused session ended", ["session": .string(id)], key: id)
        }
    }

    // MARK: - The end

    /// A meeting is over. Whoever joins next starts a new one; one that a back end made is there at once.
    ///
    /// - Parameters:
    ///   - bans: who stays out of the next one.
    ///   - isForGood: whether somebody ended the session, and not only its last participant left.
    func ended(_ session: SessionActor, bans running: [String: Int64], isForGood: Bool) {
        let id = session.id
        guard sessions[id] === session else { return }
        sessions[id] = nil
        bans.keep(running, of: id, now: Clock.now())
        if isForGood { plans[id] = nil }
        guard let next = plans[id]?.plan else { return }
        plans[id]?.unusedSince = Clock.monotonic()
        _ = begin(id, next)
    }

    // MARK: - Parts

    private func checkRoom() throws(APIError) {
        guard sessions.count < settings.maxSessions else { throw .serverFull(retryAfterSeconds: 5) }
    }

    private func begin(_ id: String, _ plan: SessionPlan) -> SessionActor {
        let session = SessionActor(
            id: id, plan: plan, bans: bans.take(of: id), limits: settings.meeting, store: store,
            presence: presence, feed: feed, media: media, directory: directory, registry: self, log: log)
        sessions[id] = session
        return session
    }
}
