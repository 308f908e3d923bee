import MediaWorker
import Meeting
import Synchronization

/// The server as its operators see it.
struct ServerObject: Encodable {
    struct Load: Encodable {
        let sessions: Int
        /// Those who are joining included.
        let participants: Int
        let sockets: Int
        let workers: [Worker]
    }

    struct Worker: Encodable {
        /// Share of its time that it was busy over the last seconds.
        let load: Double
        /// The longest that datagrams have lately waited for it.
        let receiveDelayMs: Double
        let participants: Int
        let packetsPerSecond: Double
    }

    struct Capacity: Encodable {
        let maxSessions: Int
        let maxParticipants: Int
        /// Of all media threads together.
        let maxTransports: Int
        /// Sockets and files that the process may have open.
        let maxOpenFiles: Int
    }

    struct Limits: Encodable {
        let sessionMaxParticipants: Int
        let maxVideoSeats: Int
        let messageBytes: Int
        let socketRequestsPerSecond: Int
        let socketRequestBurst: Int
        let socketQueueMessages: Int
        let socketQueueBytes: Int
        let authTokenSeconds: Int64
        let callTokenSeconds: Int64
    }

    let name: String
    let version: String
    /// ready, starting, draining, full or storage: as `/readyz` says.
    let phase: String
    let startedAt: Int64
    let uptimeSeconds: Int64
    /// When it stops at the latest, if it drains.
    let deadlineAt: Int64?
    let load: Load
    let capacity: Capacity
    let limits: Limits

    init(_ core: ControlCore, phase: String, media: MediaStatistics, sessions: Int) {
        let settings = core.settings
        name = settings.name
        version = settings.version
        self.phase = phase
        startedAt = core.startedAt
        uptimeSeconds = core.uptimeSeconds
        deadlineAt = core.deadline.withLock { $0?.at }
        load = Load(
            sessions: sessions, participants: core.directory.places,
            sockets: core.socketCount.load(ordering: .relaxed),
            workers: media.workers.map { worker in
                Worker(
                    load: worker.load, receiveDelayMs: worker.receiveDelay / .milliseconds(1),
                    participants: worker.participants, packetsPerSecond: worker.packetsPerSecond)
            })
        capacity = Capacity(
            maxSessions: settings.maxSessions, maxParticipants: settings.maxParticipants,
            maxTransports: settings.maxTransports * media.workers.count, maxOpenFiles: FileLimit.current)
        limits = Limits(
            sessionMaxParticipants: settings.meeting.maxParticipants, maxVideoSeats: settings.maxVideoSeats,
            messageBytes: settings.socket.messageBytes,
            socketRequestsPerSecond: settings.socket.requestsPerSecond,
            socketRequestBurst: settings.socket.requestBurst,
            socketQueueMessages: settings.socket.queuedMessages,
            socketQueueBytes: settings.socket.queuedBytes, authTokenSeconds: settings.authTokenSeconds,
            callTokenSeconds: settings.callTokenSeconds)
    }
}
