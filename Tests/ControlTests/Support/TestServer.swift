import Configuration
import Control
import JSON
import Meeting
import Observability
import Storage
import Synchronization
import Testing

/// A server with a fake media plane on a free port of loopback.
struct TestServer {
    static let key = APIKey(id: "test", secret: "a-secret-of-the-tests-only")
    let port: UInt16
    let media: FakeMediaPlane
    let store: SQLiteStore
    let server: ControlServer
    let log: MemorySink

    /// Times are short where a test waits for them: set them in `change`.
    init(
        path: String = SQLiteStore.inMemory, _ change: (inout ControlSettings) -> Void = { _ in }
    ) async throws {
        var settings = ControlSettings()
        settings.host = "127.0.0.1"
        settings.port = 0
        settings.keys = [Self.key]
        settings.allowsAdHoc = true
        settings.tickMs = 20
        settings.expiryMs = 20
        change(&settings)
        media = FakeMediaPlane()
        log = MemorySink()
        store = try await SQLiteStore.open(path)
        server = ControlServer(
            settings: settings, store: store, media: media, metrics: MetricRegistry(),
            log: Log(level: .debug, sink: log))
        port = try server.start()
    }

    /// Runs a test against a server, and stops it whatever happens. Whatever it said must be described.
    static func with(
        _ change: (inout ControlSettings) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
    ) async throws {
        let server = try await TestServer(change)
        do {
            try await body(server)
        } catch {
            await server.server.stop()
            throw error
        }
        await server.server.stop()
        for fault in DescriptionContract.shared.takeFaults() { Issue.record("\(fault)") }
    }

    // MARK: - Tokens

    static func seconds(fromNow seconds: Int64) -> Int64 {
        Timestamp.now.milliseconds / 1_000 + seconds
    }

    static func authToken(_ uid: String, expiresIn seconds: Int64 = 600) -> String {
        TokenAuthority(keys: [key]).sign(Token(uid: uid, expiresAt: Self.seconds(fromNow: seconds))) ?? ""
    }

    static func callToken(
        _ uid: String, session: String = "room", scope: Scope = .participant, grants: Grants = Grants(),
        expiresIn seconds: Int64 = 600
    ) -> String {
        let call = Token.Call(sessionID: session, scope: scope, grants: grants)
        let token = Token(
            uid: uid, name: uid.uppercased(), expiresAt: Self.seconds(fromNow: seconds), call: call)
        return TokenAuthority(keys: [key]).sign(token) ?? ""
    }

    // MARK: - Clients

    func client(
        authorization: String? = nil, query: String = "", receiveBuffer: Int32? = nil
    ) async throws -> TestClient {
        try await TestClient.connect(
            port: port, query: query, authorization: authorization, receiveBuffer: receiveBuffer)
    }

    /// A client that has joined, with what it was answered.
    func joined(
        _ uid: String, session: String = "room", scope: Scope = .participant, grants: Grants = Grants(),
        settings: JSONValue = [:], offer: String? = nil, receiveBuffer: Int32? = nil
    ) async throws -> (client: TestClient, result: JSONValue) {
        let client = try await client(receiveBuffer: receiveBuffer)
        var params = JSONObject([
            ("callToken", .string(Self.callToken(uid, session: session, scope: scope, grants: grants))),
            ("settings", settings),
        ])
        if let offer { params["offer"] = .string(offer) }
        return (client, try await client.request("joinSession", .object(params)))
    }

    // MARK: - HTTP

    /// The value of a metric, by its name and labels.
    func metric(_ name: String) async -> Double? {
        let page = (try? await http("GET", "/metrics").body) ?? ""
        let line = page.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Double($0.dropFirst(name.count + 1)) }
    }

    struct Answer: Sendable {
        var status: Int
        var head: String
        var body: String

        var json: JSONValue { (try? JSON.parse(body)) ?? .null }
    }

    func http(
        _ method: String, _ path: String, authorization: String? = nil, body: String? = nil,
        headers: [String] = []
    ) async throws -> Answer {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1", "Connection: close"] + headers
        if let authorization { lines.append("Authorization: Bearer \(authorization)") }
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        let text = lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
        let answer = try await exchange(text, hasBody: method != "HEAD")
        DescriptionContract.shared.check(answer, to: method, path)
        return answer
    }

    /// Sends bytes on a connection of their own; `ends`: waits until the server has closed it.
    func exchange(
        _ text: String, hasBody: Bool = true, ends: Bool = false, within seconds: Double = 30
    ) async throws -> Answer {
        let received = Received()
        let descriptor = TestNetwork.shared.connect(port: port) { received.take($0) }
        guard descriptor >= 0 else { return Answer(status: 0, head: "", body: "") }
        defer { TestNetwork.shared.close(descriptor) }
        TestNetwork.shared.send(Array(text.utf8), on: descriptor)
        return try await eventually("an answer", within: seconds) {
            received.answer(hasBody: hasBody, ends: ends)
        }
    }
}

/// An HTTP answer that is arriving.
private final class Received: Sendable {
    private let bytes = Mutex<(data: [UInt8], isEnd: Bool)>(([], false))

    func take(_ more: [UInt8]?) {
        bytes.withLock { bytes in
            if let more { bytes.data += more } else { bytes.isEnd = true }
        }
    }

    /// The answer once all of it is there, by its length or the end of the connection.
    func answer(hasBody: Bool, ends: Bool) -> TestServer.Answer? {
        let (data, isEnd) = bytes.withLock { $0 }
        let text = String(decoding: data, as: UTF8.self)
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            // Refused, or ended before an answer.
            return isEnd ? TestServer.Answer(status: 0, head: "", body: "") : nil
        }
        let head = String(parts[0])
        let length = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).filter(\.isNumber)) }
        guard isEnd || !ends, isEnd || !hasBody || length.map({ parts[1].utf8.count >= $0 }) == true else {
            return nil
        }
        let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return TestServer.Answer(status: status, head: head, body: String(parts[1]))
    }
}

extension JSONValue {
    /// The element of an array.
    subscript(index: Int) -> JSONValue? {
        guard let elements = arrayValue, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}
