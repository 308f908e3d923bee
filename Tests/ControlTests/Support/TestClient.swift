import JSON
import Synchronization

/// An error that the server answered with.
struct Refusal: Error {
    let code: String
    let message: String
    let details: JSONValue?
}

/// A WebSocket client (RFC 6455) on a raw socket: requests, events, close codes.
final class TestClient: Sendable {
    struct State {
        var buffer: [UInt8] = []
        var isOpen = false
        var status = 0
        var nextID: Int64 = 1
        var answers: [Int64: JSONValue] = [:]
        /// What was asked for.
        var methods: [Int64: String] = [:]
        /// Errors that belong to no request.
        var strays: [JSONValue] = []
        var events: [JSONValue] = []
        var pings = 0
        var answersPings = true
        var closeCode: Int?
        var isGone = false
        /// All that came, answers and events, in order: `answer`, or the event's name.
        var order: [String] = []
    }

    let state = Mutex(State())
    private let descriptor = Mutex<Int32>(-1)

    /// Connects and waits for the handshake, unless it is refused.
    static func connect(
        port: UInt16, query: String = "", authorization: String? = nil, subprotocol: String? = "rostrum.v1",
        path: String = "/v1/connect", receiveBuffer: Int32? = nil
    ) async throws -> TestClient {
        let client = TestClient()
        let descriptor = TestNetwork.shared.connect(port: port, receiveBuffer: receiveBuffer) {
            [weak client] in
            client?.receive($0)
        }
        client.descriptor.withLock { $0 = descriptor }
        var lines = [
            "GET \(path)\(query) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Upgrade: websocket",
            "Connection: Upgrade", "Sec-WebSocket-Key: AAECAwQFBgcICQoLDA0ODw==", "Sec-WebSocket-Version: 13",
        ]
        if let subprotocol { lines.append("Sec-WebSocket-Protocol: \(subprotocol)") }
        if let authorization { lines.append("Authorization: \(authorization)") }
        TestNetwork.shared.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8), on: descriptor)
        try await eventually("handshake") { client.read { $0.isOpen || $0.isGone } ? true : nil }
        return client
    }

    deinit {
        TestNetwork.shared.close(descriptor.withLock { $0 })
    }

    func read<Value: Sendable>(_ body: (State) -> Value) -> Value {
        state.withLock { body($0) }
    }

    // MARK: - Sending

    func send(_ text: String) {
        send(frame: Array(text.utf8), opcode: 1)
    }

    /// One frame, masked as clients must.
    func send(frame payload: [UInt8], opcode: UInt8, isFinal: Bool = true) {
        var bytes: [UInt8] = [opcode | (isFinal ? 0x80 : 0)]
        switch payload.count {
        case ..<126: bytes.append(0x80 | UInt8(payload.count))
        case ..<65_536: bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        default:
            bytes.append(0x80 | 127)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        let mask: [UInt8] = [1, 2, 3, 4]
        bytes += mask
        bytes += payload.enumerated().map { $0.element ^ mask[$0.offset & 3] }
        TestNetwork.shared.send(bytes, on: descriptor.withLock { $0 })
    }

    /// Sends a request, and returns its id.
    func post(_ method: String, _ params: JSONValue? = nil) throws -> Int64 {
        let id = state.withLock { state in
            state.nextID += 1
            state.methods[state.nextID] = method
            return state.nextID
        }
        var object = JSONObject([("id", .integer(id)), ("method", .string(method))])
        if let params { object["params"] = params }
        send(String(decoding: try JSONValue.object(object).text(), as: UTF8.self))
        return id
    }

    /// The answer to a request.
    func answer(to id: Int64) async throws -> JSONValue {
        let answer = try await eventually("answer") {
            self.state.withLock { $0.answers.removeValue(forKey: id) }
        }
        if let error = answer["error"] {
            throw Refusal(
                code: error["code"]?.stringValue ?? "", message: error["message"]?.stringValue ?? "",
                details: error["details"])
        }
        return answer["result"] ?? .null
    }

    @discardableResult
    func request(_ method: String, _ params: JSONValue? = nil) async throws -> JSONValue {
        try await answer(to: try post(method, params))
    }

    // MARK: - Waiting

    /// The first event of this name that hasn't been taken yet.
    func event(_ name: String) async throws -> JSONValue {
        try await eventually(name) {
            self.state.withLock { state in
                guard let index = state.events.firstIndex(where: { $0["event"]?.stringValue == name }) else {
                    return nil
                }
                return state.events.remove(at: index)
            }
        }
    }

    /// The close code, 0 for a connection that broke.
    func closed(within seconds: Double = 10) async throws -> Int {
        try await eventually("close", within: seconds) {
            self.read { $0.closeCode ?? ($0.isGone ? 0 : nil) }
        }
    }

    func pauseReading(_ isPaused: Bool) {
        TestNetwork.shared.pause(descriptor.withLock { $0 }, isPaused)
    }

    /// Drops the connection without a closing handshake.
    func drop() {
        // Taken, since another connection gets the number, which mustn't be closed again at the end.
        let open = descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
        TestNetwork.shared.close(open)
    }

    // MARK: - Receiving

    private func receive(_ bytes: [UInt8]?) {
        let pongs = state.withLock { state -> [[UInt8]] in
            guard let bytes else {
                state.isGone = true
                return []
            }
            state.buffer += bytes
            if !state.isOpen, !Self.takeHandshake(&state) { return [] }
            var pongs: [[UInt8]] = []
            while let (opcode, payload) = Self.takeFrame(&state.buffer) {
                switch opcode {
                case 1: Self.take(payload, &state)
                case 8: Self.takeClose(payload, &state)
                case 9:
                    state.pings += 1
                    if state.answersPings { pongs.append(payload) }
                default: break
                }
            }
            return pongs
        }
        for pong in pongs { send(frame: pong, opcode: 10) }
    }

    private static func takeHandshake(_ state: inout State) -> Bool {
        // Frames may come with it, which are no text.
        guard let end = state.buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return false }
        let text = String(decoding: state.buffer[..<end.lowerBound], as: UTF8.self)
        state.status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        guard state.status == 101 else { return false }
        state.isOpen = true
        Coverage.shared.note(.route, "GET /v1/connect")
        state.buffer.removeFirst(end.upperBound)
        return true
    }

    private static func takeClose(_ payload: [UInt8], _ state: inout State) {
        let code = payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : 1005
        Coverage.shared.note(.closeCode, "\(code)")
        state.closeCode = code
    }

    private static func takeFrame(_ buffer: inout [UInt8]) -> (UInt8, [UInt8])? {
        guard buffer.count >= 2 else { return nil }
        var length = Int(buffer[1] & 127)
        var header = 2
        if length == 126 {
            guard buffer.count >= 4 else { return nil }
            length = Int(buffer[2]) << 8 | Int(buffer[3])
            header = 4
        } else if length == 127 {
            guard buffer.count >= 10 else { return nil }
            length = buffer[2..<10].reduce(0) { $0 << 8 | Int($1) }
            header = 10
        }
        guard buffer.count >= header + length else { return nil }
        let opcode = buffer[0] & 15
        let payload = Array(buffer[header..<header + length])
        buffer.removeFirst(header + length)
        return (opcode, payload)
    }

    private static func take(_ text: [UInt8], _ state: inout State) {
        let limits = JSON.Limits(bytes: 64 << 20, depth: 64)
        guard let value = try? JSON.parse(text, limits: limits) else { return }
        if let event = value["event"]?.stringValue {
            DescriptionContract.shared.check(event: value)
            state.events.append(value)
            state.order.append(event)
        } else if let id = value["id"]?.integerValue {
            if let method = state.methods.removeValue(forKey: id) {
                DescriptionContract.shared.check(answer: value, to: method)
            }
            state.answers[id] = value
            state.order.append("answer")
        } else {
            DescriptionContract.shared.check(stray: value)
            state.strays.append(value)
        }
    }
}

extension String {
    fileprivate func range(of text: String) -> Range<String.Index>? {
        let wanted = Array(text.utf8)
        let bytes = Array(utf8)
        guard bytes.count >= wanted.count else { return nil }
        for start in 0...(bytes.count - wanted.count)
        where Array(bytes[start..<start + wanted.count]) == wanted {
            let low = utf8.index(utf8.startIndex, offsetBy: start)
            return low..<utf8.index(low, offsetBy: wanted.count)
        }
        return nil
    }
}
