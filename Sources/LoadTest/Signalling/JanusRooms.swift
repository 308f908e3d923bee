import JSON
import Synchronization

/// Who is how far on the way into a room, and which publishers a room has.
///
/// A participant's way: `create` a session, `attach` to the plugin, `create` the room unless it is there, then `join`. Each
/// answer leads to the next request; a request's transaction is the name of its step.
final class JanusRooms: SocketPoolDelegate, Sendable {
    /// A request to VideoRoom that the room is there already (`JANUS_VIDEOROOM_ERROR_ROOM_EXISTS`).
    private static let roomExists: Int64 = 427

    private struct Guest {
        var request: JoinRequest
        var room: Int64
        var session: Int64 = 0
        var handle: Int64 = 0
    }

    private struct State {
        var guests: [Int: Guest] = [:]
        /// By the name of the session; numbers from 1.
        var rooms: [String: Int64] = [:]
        /// Participants whose media flows into a room, in the order in which it began.
        var publishers: [Int64: [Int]] = [:]
        /// Who waits for publishers.
        var watchers: [Int64: [Int]] = [:]
    }

    private let pool: SocketPool
    private let sink: any SignallingSink
    private let state = Mutex(State())

    init(pool: SocketPool, sink: any SignallingSink) {
        self.pool = pool
        self.sink = sink
    }

    /// Takes down what is wanted by a participant whose socket is yet to be opened.
    func expect(_ participant: Int, _ request: JoinRequest) {
        state.withLock { state in
            let room = state.rooms[request.session] ?? Int64(state.rooms.count + 1)
            state.rooms[request.session] = room
            state.guests[participant] = Guest(request: request, room: room)
        }
    }

    func answer(_ participant: Int, sdp: String) {
        post("start", ["request": "start"], of: participant, jsep: ["type": "answer", "sdp": .string(sdp)])
    }

    // MARK: - What sockets bring

    func opened(_ socket: Int) {
        sink.signal(.opened, for: socket)
        send(["janus": "create", "transaction": "create"], on: socket)
    }

    func closed(_ socket: Int, code: Int, reason: String) {
        state.withLock { state in
            guard let guest = state.guests.removeValue(forKey: socket) else { return }
            state.publishers[guest.room]?.removeAll { $0 == socket }
            state.watchers[guest.room]?.removeAll { $0 == socket }
        }
        sink.signal(.closed(code: code), for: socket)
    }

    func received(_ text: [UInt8], on socket: Int) {
        guard let message = try? JSON.parse(text, limits: JSON.Limits(bytes: 8 << 20, depth: 32)) else {
            return
        }
        switch message["janus"]?.stringValue {
        case "success": succeeded(message, on: socket)
        case "event": heard(message, on: socket)
        case "webrtcup": connected(socket)
        case "error": refuse(socket, message["error"]?["code"]?.integerValue)
        case "hangup": pool.post(.close(socket))
        default: break
        }
    }

    private func succeeded(_ message: JSONValue, on socket: Int) {
        let id = message["data"]?["id"]?.integerValue ?? 0
        switch message["transaction"]?.stringValue {
        case "create":
            state.withLock { $0.guests[socket]?.session = id }
            send(
                [
                    "janus": "attach", "plugin": "janus.plugin.videoroom", "transaction": "attach",
                    "session_id": .integer(id),
                ], on: socket)
        case "attach":
            state.withLock { $0.guests[socket]?.handle = id }
            makeRoom(for: socket)
        case "room":
            let code = message["plugindata"]?["data"]?["error_code"]?.integerValue
            if let code, code != Self.roomExists { refuse(socket, code) } else { enter(socket) }
        default: break
        }
    }

    private func heard(_ message: JSONValue, on socket: Int) {
        if let code = message["plugindata"]?["data"]?["error_code"]?.integerValue {
            return refuse(socket, code)
        }
        guard let sdp = message["jsep"]?["sdp"]?.stringValue else { return }
        switch message["jsep"]?["type"]?.stringValue {
        case "answer": sink.signal(.joined(answer: sdp), for: socket)
        case "offer": sink.signal(.offered(offer: sdp), for: socket)
        default: break
        }
    }

    private func refuse(_ socket: Int, _ code: Int64?) {
        sink.signal(.refused(code: "Janus \(code ?? 0)"), for: socket)
    }

    // MARK: - Rooms

    private func makeRoom(for socket: Int) {
        guard let room = state.withLock({ $0.guests[socket]?.room }) else { return }
        let body: JSONValue = [
            "request": "create", "room": .integer(room), "publishers": 10_000, "bitrate": 0,
            "videocodec": "vp8",
            "audiocodec": "opus", "transport_wide_cc_ext": false, "audiolevel_ext": false,
            "notify_joining": false,
        ]
        post("room", body, of: socket)
    }

    private func enter(_ socket: Int) {
        guard let guest = state.withLock({ $0.guests[socket] }) else { return }
        let request = guest.request
        if !request.sends { return watch(socket, guest) }
        guard request.audioSeats + request.videoSeats == 0 else {
            return sink.signal(.refused(code: "Janus: sends or watches, not both"), for: socket)
        }
        let body: JSONValue = [
            "request": "joinandconfigure", "ptype": "publisher", "room": .integer(guest.room),
            "id": .integer(Int64(socket) + 1),
        ]
        // As one that is offered "actpass", Janus would open the handshake itself.
        let offer = request.offer.split(separator: "\r\n", omittingEmptySubsequences: false)
            .map { $0 == "a=setup:actpass" ? "a=setup:active" : $0 }.joined(separator: "\r\n")
        post("join", body, of: socket, jsep: ["type": "offer", "sdp": .string(offer)])
    }

    private func watch(_ socket: Int, _ guest: Guest) {
        state.withLock { $0.watchers[guest.room, default: []].append(socket) }
        admitWatchers(of: guest.room)
    }

    private func connected(_ socket: Int) {
        let room: Int64? = state.withLock { state in
            guard let guest = state.guests[socket], guest.request.sends else { return nil }
            state.publishers[guest.room, default: []].append(socket)
            return guest.room
        }
        if let room { admitWatchers(of: room) }
    }

    /// Lets those in who wait for no more publishers than there are.
    private func admitWatchers(of room: Int64) {
        let admitted: [(Int, [Int])] = state.withLock { state in
            let publishers = state.publishers[room] ?? []
            var admitted: [(Int, [Int])] = []
            state.watchers[room]?.removeAll { watcher in
                guard let request = state.guests[watcher]?.request else { return true }
                let wanted = max(request.audioSeats, request.videoSeats)
                guard publishers.count >= wanted else { return false }
                admitted.append((watcher, Array(publishers.prefix(wanted))))
                return true
            }
            return admitted
        }
        for (watcher, publishers) in admitted {
            let streams: [JSONValue] = publishers.map { ["feed": .integer(Int64($0) + 1)] }
            let body: JSONValue = [
                "request": "join", "ptype": "subscriber", "room": .integer(room), "streams": .array(streams),
            ]
            post("join", body, of: watcher)
        }
    }

    // MARK: - Sending

    /// A request to the plugin.
    private func post(_ transaction: String, _ body: JSONValue, of socket: Int, jsep: JSONValue? = nil) {
        guard let guest = state.withLock({ $0.guests[socket] }) else { return }
        var message = JSONObject([
            ("janus", "message"), ("transaction", .string(transaction)),
            ("session_id", .integer(guest.session)),
            ("handle_id", .integer(guest.handle)), ("body", body),
        ])
        if let jsep { message["jsep"] = jsep }
        send(.object(message), on: socket)
    }

    private func send(_ message: JSONValue, on socket: Int) {
        guard let text = try? message.text() else { return }
        pool.post(.send(socket, text))
    }
}
