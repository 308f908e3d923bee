import EventLoop
import FixedCollections
import JSON
import Synchronization

/// What each participant has asked, so that answers find their questions; the reading of messages; and the way back for
/// those whose socket was lost.
final class Dialogues: SocketPoolDelegate, Sendable {
    private struct Dialogue {
        var nextID: Int64 = 1
        var asked: [Int64: (request: LoadRequest, at: Instant)] = [:]
        /// Of the last event; nil until let in.
        var seq: Int64?
        /// To be asked when the socket opens.
        var first: LoadRequest?
        /// Where the socket is opened.
        var path = ""
        var resumeToken: String?
        /// When the socket was lost on purpose.
        var interruptedAt: Instant?
        var isOpen = false
    }

    private let pool: SocketPool
    private let sink: any SignallingSink
    private let state = Mutex<[Int: Dialogue]>([:])
    /// participantId → number.
    private let names = Mutex<[String: Int]>([:])

    init(pool: SocketPool, sink: any SignallingSink) {
        self.pool = pool
        self.sink = sink
    }

    /// Begins anew, with a request to be sent as soon as the socket, which is yet to be opened, is open.
    func begin(_ participant: Int, path: String, _ first: LoadRequest?) {
        state.withLock { $0[participant] = Dialogue(first: first, path: path) }
    }

    /// Whether there is a socket already.
    func isAttached(_ participant: Int) -> Bool {
        state.withLock { $0[participant]?.isOpen ?? false }
    }

    func send(_ participant: Int, _ request: LoadRequest) {
        let id: Int64? = state.withLock { state in
            guard let id = state[participant]?.nextID else { return nil }
            state[participant]?.nextID += 1
            state[participant]?.asked[id] = (request, MonotonicClock.now())
            return id
        }
        guard let id else { return }
        var message = JSONObject([("id", .integer(id)), ("method", .string(request.method))])
        if let params = request.params { message["params"] = params }
        guard let text = try? JSONValue.object(message).text() else { return }
        pool.post(.send(participant, text))
    }

    /// Whether there is a session to come back to: then the socket is to be closed.
    func interrupt(_ participant: Int) -> Bool {
        state.withLock { state in
            guard let dialogue = state[participant], dialogue.isOpen, dialogue.resumeToken != nil,
                dialogue.interruptedAt == nil
            else { return false }
            state[participant]?.interruptedAt = MonotonicClock.now()
            return true
        }
    }

    // MARK: - Sockets

    func opened(_ socket: Int) {
        let dialogue = state.withLock { state in
            state[socket]?.isOpen = true
            defer { state[socket]?.first = nil }
            return state[socket]
        }
        if dialogue?.interruptedAt == nil { sink.signal(.opened, for: socket) }
        if let first = dialogue?.first { send(socket, first) }
    }

    func closed(_ socket: Int, code: Int, reason: String) {
        let path: String? = state.withLock { state in
            guard var dialogue = state[socket], dialogue.interruptedAt != nil, dialogue.isOpen,
                let token = dialogue.resumeToken, let seq = dialogue.seq
            else {
                state[socket] = nil
                return nil
            }
            // Answers that were on their way are lost with the socket.
            (dialogue.asked, dialogue.isOpen, dialogue.resumeToken) = ([:], false, nil)
            dialogue.first = LoadRequest(
                "resumeSession", ["resumeToken": .string(token), "lastSeq": .integer(seq)])
            state[socket] = dialogue
            return dialogue.path
        }
        if let path { return pool.post(.connect(socket, path: path)) }
        sink.signal(.closed(code: code), for: socket)
    }

    // MARK: - Messages

    func received(_ text: [UInt8], on socket: Int) {
        if let name = EventPeek.name(of: text), !EventPeek.isRead(name) {
            let event = SessionEvent(name: name, missed: note(EventPeek.seq(of: text), on: socket))
            return sink.signal(.event(event), for: socket)
        }
        // Answers to joins tell of everybody.
        let limits = JSON.Limits(bytes: 64 << 20, depth: 64)
        guard let message = try? JSON.parse(text, limits: limits) else { return }
        if let name = message["event"]?.stringValue {
            return sink.signal(.event(read(message, name, on: socket)), for: socket)
        }
        guard let id = message["id"]?.integerValue else { return }
        let asked = state.withLock { $0[socket]?.asked.removeValue(forKey: id) }
        guard let (request, at) = asked else { return }
        if let code = message["error"]?["code"]?.stringValue {
            return sink.signal(.refused(code: code), for: socket)
        }
        take(message["result"] ?? [:], to: request, asked: at, on: socket)
    }

    private func take(_ result: JSONValue, to request: LoadRequest, asked: Instant, on socket: Int) {
        if let token = result["resumeToken"]?.stringValue {
            state.withLock { $0[socket]?.resumeToken = token }
        }
        switch request.method {
        case "joinSession":
            state.withLock { $0[socket]?.seq = result["seq"]?.integerValue }
            if let name = result["participant"]?["participantId"]?.stringValue {
                names.withLock { $0[name] = socket }
            }
            sink.signal(.joined(answer: result["answer"]?.stringValue ?? ""), for: socket)
        case "negotiate":
            sink.signal(.renegotiated(answer: result["answer"]?.stringValue ?? ""), for: socket)
        case "resumeSession": resume(result, on: socket)
        default:
            let call = result["call"]?["sessionId"]?.stringValue
            let took = MonotonicClock.now() - asked
            sink.signal(.answered(request, call: call, after: took), for: socket)
        }
    }

    /// What was missed comes with the answer, or how everything stands.
    private func resume(_ result: JSONValue, on socket: Int) {
        for event in result["events"]?.arrayValue ?? [] {
            guard let name = event["event"]?.stringValue else { continue }
            sink.signal(.event(read(event, name, on: socket)), for: socket)
        }
        let lostAt = state.withLock { state in
            if let seq = result["snapshot"]?["seq"]?.integerValue { state[socket]?.seq = seq }
            defer { state[socket]?.interruptedAt = nil }
            return state[socket]?.interruptedAt
        }
        guard let lostAt else { return }
        sink.signal(.resumed(after: MonotonicClock.now() - lostAt), for: socket)
    }

    private func read(_ message: JSONValue, _ name: String, on socket: Int) -> SessionEvent {
        let data = message["data"]
        var event = SessionEvent(name: name, missed: note(message["seq"]?.integerValue, on: socket))
        if let participant = data?["participant"]?["participantId"]?.stringValue {
            event.participant = names.withLock { $0[participant] }
        }
        event.call = data?["call"]?["sessionId"]?.stringValue
        event.causedAt = data?["message"]?["data"]?["sentAt"]?.integerValue.map(Instant.init(nanoseconds:))
        event.seats = (data?["seats"]?.arrayValue ?? []).compactMap { seat in
            guard let mid = seat["mid"]?.stringValue else { return nil }
            guard let occupant = seat["participantId"]?.stringValue else {
                return SeatNews(mid: mid, occupant: .nobody)
            }
            let number = names.withLock { $0[occupant] }
            return SeatNews(mid: mid, occupant: number.map { .somebody($0) } ?? .unknown)
        }
        return event
    }

    /// How many events are missing before this one: numbers have no gaps.
    private func note(_ seq: Int64?, on socket: Int) -> Int {
        state.withLock { state in
            guard let seq, let last = state[socket]?.seq else { return 0 }
            state[socket]?.seq = seq
            return max(0, Int(seq - last - 1))
        }
    }
}
