import EventLoop
import FixedCollections
import JSON
import Synchronization

/// Signalling as Rostrum has it: a WebSocket each, JSON requests and answers, events.
public final class RostrumSignalling: Signalling {
    private let key: LoadKey
    private let now: @Sendable () -> Int64
    private let pool: SocketPool
    private let thread: WorkerThread

    /// - Parameters:
    ///   - server: `http://HOST:PORT` or `https://…`.
    ///   - now: seconds since 1970.
    public init(
        server: String, key: LoadKey, now: @escaping @Sendable () -> Int64, sink: any SignallingSink
    ) throws(LoadError) {
        let address = try ServerAddress(of: server)
        let pool = SocketPool(address, subprotocol: "rostrum.v1")
        self.key = key
        self.now = now
        self.pool = pool
        let dialogues = Dialogues(pool: pool, sink: sink)
        self.dialogues = dialogues
        do {
            thread = try WorkerThread(name: "load-signalling") { _ = pool.run(delegate: dialogues) }
        } catch {
            throw .cannotStart("\(error)")
        }
    }

    private let dialogues: Dialogues

    public func join(_ participant: Int, _ request: JoinRequest) {
        guard
            let token = key.callToken(
                session: request.session, uid: request.uid, scope: request.scope, expiresAt: now() + 3_600)
        else { return }
        let settings: JSONValue = [
            "startVideoPaused": .bool(!request.startsWithVideo), "deviceId": .string("load-\(participant)"),
        ]
        let params: JSONValue = ["offer": .string(request.offer), "settings": settings]
        dialogues.expect(participant, method: "joinSession", params: params)
        pool.post(.connect(participant, path: "/v1/connect?access_token=\(token)"))
    }

    public func request(_ participant: Int, _ request: LoadRequest) {
        dialogues.send(participant, method: request.method, params: request.params)
    }

    /// Rostrum never offers.
    public func answer(_ participant: Int, sdp: String) {}

    public func leave(_ participant: Int) {
        dialogues.send(participant, method: "leaveSession", params: nil)
        pool.post(.close(participant))
    }

    public func stop() {
        pool.post(.stop)
        thread.join()
    }
}

/// What each participant has asked, so that answers find their questions; and the reading of messages.
private final class Dialogues: SocketPoolDelegate, Sendable {
    private struct Dialogue {
        var nextID: Int64 = 1
        var asked: [Int64: (method: String, at: Instant)] = [:]
        /// Of the last event; nil until let in.
        var seq: Int64?
        /// To be sent when the socket opens.
        var first: [UInt8]?
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

    /// Sends a request as soon as the participant's socket, which is yet to be opened, is open.
    func expect(_ participant: Int, method: String, params: JSONValue) {
        let text = prepare(participant, method, params, isFirst: true)
        state.withLock { $0[participant]?.first = text }
    }

    func send(_ participant: Int, method: String, params: JSONValue?) {
        guard let text = prepare(participant, method, params, isFirst: false) else { return }
        pool.post(.send(participant, text))
    }

    private func prepare(
        _ participant: Int, _ method: String, _ params: JSONValue?, isFirst: Bool
    ) -> [UInt8]? {
        let id: Int64? = state.withLock { state in
            if isFirst { state[participant] = Dialogue() }
            guard let id = state[participant]?.nextID else { return nil }
            state[participant]?.nextID += 1
            state[participant]?.asked[id] = (method, MonotonicClock.now())
            return id
        }
        guard let id else { return nil }
        var message = JSONObject([("id", .integer(id)), ("method", .string(method))])
        if let params { message["params"] = params }
        return try? JSONValue.object(message).text()
    }

    func opened(_ socket: Int) {
        sink.signal(.opened, for: socket)
        let first = state.withLock { state in
            defer { state[socket]?.first = nil }
            return state[socket]?.first
        }
        if let first { pool.post(.send(socket, first)) }
    }

    func closed(_ socket: Int, code: Int) {
        state.withLock { $0[socket] = nil }
        sink.signal(.closed(code: code), for: socket)
    }

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
        guard let (method, at) = asked else { return }
        if let code = message["error"]?["code"]?.stringValue {
            sink.signal(.refused(code: code), for: socket)
        } else if method == "joinSession" {
            state.withLock { $0[socket]?.seq = message["result"]?["seq"]?.integerValue }
            if let name = message["result"]?["participant"]?["participantId"]?.stringValue {
                names.withLock { $0[name] = socket }
            }
            sink.signal(.joined(answer: message["result"]?["answer"]?.stringValue ?? ""), for: socket)
        } else {
            let took = MonotonicClock.now() - at
            sink.signal(.answered(method: method, after: took), for: socket)
        }
    }

    private func read(_ message: JSONValue, _ name: String, on socket: Int) -> SessionEvent {
        let data = message["data"]
        var event = SessionEvent(name: name, missed: note(message["seq"]?.integerValue, on: socket))
        if let participant = data?["participant"]?["participantId"]?.stringValue {
            event.participant = names.withLock { $0[participant] }
        }
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

/// Finds an event's name without reading the whole message: lists of a thousand participants come four times a second.
enum EventPeek {
    private static let start = Array(#"{"event":""#.utf8)

    /// The name, if the message begins with it.
    static func name(of text: [UInt8]) -> String? {
        guard text.starts(with: start) else { return nil }
        let rest = text[start.count...].prefix(64)
        guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    /// The event's number, which stands near the beginning; nil if it doesn't.
    static func seq(of text: [UInt8]) -> Int64? {
        let head = text.prefix(300)
        guard let place = head.firstRange(of: mark) else { return nil }
        let digits = head[place.upperBound...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    private static let mark = Array(#""seq":"#.utf8)

    /// Whether more than the name is of interest.
    static func isRead(_ name: String) -> Bool {
        name == "dominantSpeakerChanged" || name == "seatsChanged"
    }
}
