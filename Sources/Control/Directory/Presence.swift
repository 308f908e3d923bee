import Meeting
import Synchronization

/// Which sockets belong to whom, by the auth tokens that they showed. From any thread.
final class Presence: Sendable {
    private struct State {
        var tokens: [String: [UInt64: Client]] = [:]
        var sockets: [String: [UInt64: Socket]] = [:]
        /// Under what a socket stands above.
        var places: [UInt64: Place] = [:]
        /// No socket's `until` is earlier.
        var earliestExpiry = Int64.max
        /// The devices that sockets have named.
        var devices: [UInt64: String] = [:]
        /// What everybody is told who comes.
        var announcement: OutboundText?
    }

    private struct Place {
        let tokenID: String
        /// Whose token it is.
        let bearer: String
        /// When to see to it because the token's time is up, in seconds since 1970; `.max`: not, or it was.
        var until: Int64
        /// Whether it gets what its user is told.
        var hasAppeared = false
    }

    private let state = Mutex(State())

    /// From here on a client is found by the token that it shows, whether or not that will do.
    ///
    /// - Parameter until: when `takeExpired` gives it, in seconds since 1970; nil: never.
    func watch(
        _ client: Client, on socket: Socket, tokenID: String, of uid: String, until: Int64? = nil
    ) {
        state.withLock { state in
            Self.remove(socket.id, &state)
            state.tokens[tokenID, default: [:]][socket.id] = client
            let place = Place(tokenID: tokenID, bearer: uid, until: until ?? .max)
            state.places[socket.id] = place
            state.earliestExpiry = min(state.earliestExpiry, place.until)
        }
    }

    /// Clients whose time is up, each once. Complexity: O(1) until the first one's is, then O(sockets).
    ///
    /// - Parameter now: seconds since 1970.
    func takeExpired(_ now: Int64) -> [Client] {
        state.withLock { state in
            guard now >= state.earliestExpiry else { return [] }
            let expired = state.places.filter { $0.value.until <= now }
            for id in expired.keys { state.places[id]?.until = .max }
            state.earliestExpiry = state.places.values.map(\.until).min() ?? .max
            return expired.compactMap { id, place in state.tokens[place.tokenID]?[id] }
        }
    }

    /// From here on a watched socket gets what its user is told; at once what was announced before.
    func appear(_ socket: Socket, as uid: String) {
        let announcement = state.withLock { state -> OutboundText? in
            guard state.places[socket.id] != nil else { return nil }
            state.places[socket.id]?.hasAppeared = true
            state.sockets[uid, default: [:]][socket.id] = socket
            return state.announcement
        }
        if let announcement { socket.send(announcement) }
    }

    /// Logged out, or gone.
    func leave(_ socket: Socket) {
        state.withLock { state in
            Self.remove(socket.id, &state)
            state.devices[socket.id] = nil
        }
    }

    /// From here on a socket that has appeared is this device of its user.
    func name(_ socket: Socket, device: String) {
        state.withLock { state in
            if state.places[socket.id] != nil { state.devices[socket.id] = device }
        }
    }

    /// The device that a socket has named, or else one of its own.
    func device(of socket: Socket) -> String {
        state.withLock { $0.devices[socket.id] } ?? DeviceKey.make(socket: socket.id)
    }

    /// The sockets of some of a user's devices. Where only one is meant and it isn't here, those of all.
    func sockets(at address: CallAddress) -> [Socket] {
        state.withLock { state in
            let all = Array(state.sockets[address.uid, default: [:]].values)
            func isAt(_ device: String, _ socket: Socket) -> Bool {
                state.devices[socket.id] == device || DeviceKey.make(socket: socket.id) == device
            }
            switch address.devices {
            case .all: return all
            case .allBut(let device): return all.filter { !isAt(device, $0) }
            case .only(let device):
                let meant = all.filter { isAt(device, $0) }
                return meant.isEmpty ? all : meant
            }
        }
    }

    func clients(showing tokenID: String) -> [Client] {
        state.withLock { Array($0.tokens[tokenID, default: [:]].values) }
    }

    /// Those who showed a token of this user.
    func clients(bearing uid: String) -> [Client] {
        state.withLock { state in
            state.places.compactMap { id, place in
                place.bearer == uid ? state.tokens[place.tokenID]?[id] : nil
            }
        }
    }

    /// Sends an event to every socket of these users, except of one.
    func tell(_ uids: some Sequence<String>, _ text: [UInt8], except: String? = nil) {
        let sockets = state.withLock { state in
            uids.flatMap { uid in uid == except ? [] : Array(state.sockets[uid, default: [:]].values) }
        }
        let shared = OutboundText([text])
        for socket in sockets { socket.send(shared) }
    }

    /// Sends an event to every socket that somebody's auth token stands for, and to those that come later. What is
    /// announced next takes its place.
    func announce(_ text: [UInt8]) {
        let shared = OutboundText([text])
        let sockets = state.withLock { state in
            state.announcement = shared
            return state.sockets.values.flatMap(\.values)
        }
        for socket in sockets { socket.send(shared) }
    }

    private static func remove(_ id: UInt64, _ state: inout State) {
        guard let place = state.places.removeValue(forKey: id) else { return }
        state.tokens[place.tokenID]?[id] = nil
        if state.tokens[place.tokenID]?.isEmpty == true { state.tokens[place.tokenID] = nil }
        guard place.hasAppeared else { return }
        state.sockets[place.bearer]?[id] = nil
        if state.sockets[place.bearer]?.isEmpty == true { state.sockets[place.bearer] = nil }
    }
}
