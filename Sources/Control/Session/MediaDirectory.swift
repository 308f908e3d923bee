import MediaWorker
import Synchronization

/// Which session a media event belongs to, and how many participants there are. From any thread.
final class MediaDirectory: Sendable {
    private let state = Mutex(State())
    private let maxParticipants: Int

    private struct State {
        var nextID: UInt64 = 1
        var places = 0
        var participants: [MediaParticipantID: SessionActor] = [:]
        var sessions: [MediaSessionID: SessionActor] = [:]
    }

    init(maxParticipants: Int) {
        self.maxParticipants = maxParticipants
    }

    /// Participants of all sessions, those who are joining included.
    var places: Int { state.withLock { $0.places } }

    var isFull: Bool { places >= maxParticipants }

    /// Takes a place on the server, if there is one.
    func takePlace() -> Bool {
        state.withLock { state in
            guard state.places < maxParticipants else { return false }
            state.places += 1
            return true
        }
    }

    func givePlaceBack() {
        state.withLock { $0.places -= 1 }
    }

    func addSession(_ session: SessionActor) -> MediaSessionID {
        state.withLock { state in
            let id = MediaSessionID(rawValue: state.nextID)
            state.nextID += 1
            state.sessions[id] = session
            return id
        }
    }

    func addParticipant(in session: SessionActor) -> MediaParticipantID {
        state.withLock { state in
            let id = MediaParticipantID(rawValue: state.nextID)
            state.nextID += 1
            state.participants[id] = session
            return id
        }
    }

    func remove(_ id: MediaParticipantID) {
        state.withLock { $0.participants[id] = nil }
    }

    func remove(_ id: MediaSessionID) {
        state.withLock { $0.sessions[id] = nil }
    }

    /// Hands an event to its session. One caller, so that the order stays.
    func route(_ event: MediaEvent) async {
        let session = state.withLock { state in
            switch event {
            case .connected(let id), .disconnected(let id), .seatsChanged(let id, _),
                .publishHint(let id, _), .connectionQuality(let id, _):
                state.participants[id]
            case .dominantSpeakerChanged(let id, _), .activeSpeakersChanged(let id, _): state.sessions[id]
            }
        }
        await session?.handle(event)
    }
}
