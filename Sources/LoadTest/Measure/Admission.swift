import Synchronization

/// How many each session has let in; shared by all workers.
final class Admission: Sendable {
    struct Session: Sendable, Equatable {
        var admitted = 0
        var inside = 0
        /// The most that were inside at once. Who says goodbye isn't inside any more, whatever the server knows by then, so
        /// that this is never too high.
        var peak = 0
        /// Refused because the session was full.
        var refused = 0

        /// Those let in beyond the places, and, where nobody left, those refused while places were free.
        func errors(places: Int) -> Int {
            let beyond = max(0, peak - places)
            guard inside == admitted else { return beyond }
            return beyond + max(0, min(places, admitted + refused) - admitted)
        }
    }

    private let sessions = Mutex<[String: Session]>([:])
    private let limited = Mutex<Set<String>>([])

    /// The session's places have been set.
    func open(_ session: String) {
        limited.withLock { _ = $0.insert(session) }
    }

    func isOpen(_ session: String) -> Bool {
        limited.withLock { $0.contains(session) }
    }

    func enter(_ session: String) {
        sessions.withLock { sessions in
            var entry = sessions[session] ?? Session()
            entry.admitted += 1
            entry.inside += 1
            entry.peak = max(entry.peak, entry.inside)
            sessions[session] = entry
        }
    }

    func exit(_ session: String) {
        sessions.withLock { $0[session]?.inside -= 1 }
    }

    func refuse(_ session: String) {
        sessions.withLock { $0[session, default: Session()].refused += 1 }
    }

    /// Of all sessions together.
    func errors(places: Int) -> Int {
        sessions.withLock { $0.values.reduce(0) { $0 + $1.errors(places: places) } }
    }

    var refused: Int { sessions.withLock { $0.values.reduce(0) { $0 + $1.refused } } }
}

/// How exactly a limit of places was kept.
public struct AdmissionFigures: Sendable {
    public var refused: Int
    /// See `Admission.Session.errors(places:)`.
    public var errors: Int
}
