import MediaWorker
import Meeting
import Observability
import Storage

/// Finds or makes the session that somebody wants to join, and whom a resume token belongs to.
actor SessionRegistry {
    private let settings: ControlSettings
    private let store: any Store
    private let presence: Presence
    private let media: any MediaPlane
    private let directory: MediaDirectory
    private let log: Log
    private var sessions: [String: SessionActor] = [:]
    private var resumable: [String: (session: SessionActor, participant: ParticipantID)] = [:]

    init(
        settings: ControlSettings, store: any Store, presence: Presence, media: any MediaPlane,
        directory: MediaDirectory, log: Log
    ) {
        self.settings = settings
        self.store = store
        self.presence = presence
        self.media = media
        self.directory = directory
        self.log = log
    }

    var sessionCount: Int { sessions.count }

    /// All that go on.
    var all: [SessionActor] { Array(sessions.values) }

    /// The session that goes on under this id, if one does.
    func running(_ id: String) -> SessionActor? { sessions[id] }

    /// The session that goes on under this id, or a new one with a new meeting id.
    ///
    /// - Parameter group: what the group of this name says about its session; nil if there is no such group.
    func session(_ id: String, group: GroupDirectory.Place?) throws(APIError) -> SessionActor {
        if let session = sessions[id] { return session }
        guard sessions.count < settings.maxSessions else { throw .serverFull(retryAfterSeconds: 5) }
        let session = SessionActor(
            id: id, group: group, limits: settings.meeting, store: store, presence: presence, media: media,
            directory: directory, registry: self, log: log)
        sessions[id] = session
        return session
    }

    /// The session's last participant left: whoever joins next starts a new one.
    func ended(_ session: SessionActor) {
        if sessions[session.id] === session { sessions[session.id] = nil }
    }

    func keep(_ token: String, session: SessionActor, participant: ParticipantID) {
        resumable[token] = (session, participant)
    }

    func forget(_ token: String) {
        resumable[token] = nil
    }

    func bearer(of token: String) -> (session: SessionActor, participant: ParticipantID)? {
        resumable[token]
    }
}
