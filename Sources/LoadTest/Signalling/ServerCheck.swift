import EventLoop
import FixedCollections
import Synchronization

/// Asks a server, before anybody comes, whether it is there and takes the key: by one WebSocket, opened as participants open
/// theirs.
final class ServerCheck: SocketPoolDelegate, Sendable {
    enum Finding: Sendable, Equatable {
        case answers
        /// By the server, with its code and reason.
        case closes(code: Int, reason: String)
        /// In the library's words.
        case unreachable(String)
        case silent
    }

    /// For a connection to come about and an answer by it, seconds.
    static let patience: UInt32 = 5

    private let pool: SocketPool
    /// Sent when the socket is open; nil: that it opens is enough.
    private let question: String?
    private let finding = Mutex<Finding?>(nil)

    private init(_ pool: SocketPool, question: String?) {
        self.pool = pool
        self.question = question
    }

    /// Blocks until the server has answered, and for some seconds at most.
    static func find(
        _ address: ServerAddress, path: String, subprotocol: StaticString, question: String?
    ) throws(LoadError) -> Finding {
        let pool = SocketPool(address, subprotocol: subprotocol, patience: patience)
        let check = ServerCheck(pool, question: question)
        let thread: WorkerThread
        do {
            thread = try WorkerThread(name: "load-check") { _ = pool.run(delegate: check) }
        } catch {
            throw .cannotStart("\(error)")
        }
        pool.post(.connect(0, path: path))
        let deadline = MonotonicClock.now() + .seconds(Int(patience))
        while check.finding.withLock({ $0 }) == nil, MonotonicClock.now() < deadline { Pause.milliseconds(5) }
        let found = check.finding.withLock { $0 } ?? .silent
        pool.post(.stop)
        thread.join()
        return found
    }

    /// What comes first counts.
    private func found(_ finding: Finding) {
        self.finding.withLock { $0 = $0 ?? finding }
    }

    func opened(_ socket: Int) {
        guard let question else { return found(.answers) }
        pool.post(.send(socket, Array(question.utf8)))
    }

    func received(_ text: [UInt8], on socket: Int) {
        found(.answers)
    }

    func closed(_ socket: Int, code: Int, reason: String) {
        found(code == 0 ? .unreachable(reason) : .closes(code: code, reason: reason))
    }
}

extension LoadFlags {
    /// Tells what is wrong if participants wouldn't even get to the server. Blocks for some seconds at most.
    ///
    /// - Parameter now: seconds since 1970.
    func checkServer(now: Int64) throws(LoadError) {
        let address = try ServerAddress(of: server)
        let finding: ServerCheck.Finding
        switch forwarder {
        case .janus:
            finding = try ServerCheck.find(
                address, path: "/", subprotocol: JanusSignalling.subprotocol, question: nil)
        case .rostrum:
            guard let token = key?.authToken(uid: ParticipantPlan.uid(0), expiresAt: now + 60) else {
                throw .cannotStart("no token can be signed")
            }
            finding = try ServerCheck.find(
                address, path: RostrumSignalling.path(token), subprotocol: RostrumSignalling.subprotocol,
                question: #"{"id":1,"method":"ping"}"#)
        }
        if let complaint = complaint(about: finding) { throw .cannotStart(complaint) }
    }

    /// One line for a person; nil if all is well.
    func complaint(about finding: ServerCheck.Finding) -> String? {
        switch finding {
        case .answers: nil
        case .silent: "the server at \(server) doesn't answer within \(ServerCheck.patience) s"
        case .unreachable(let words): "the server at \(server) can't be reached: \(Self.plain(words))"
        case .closes(4_001, let reason):
            "the server at \(server) refuses the key \(key?.id ?? "") (--key ID:SECRET): "
                + (reason.isEmpty ? "4001" : reason)
        case .closes(let code, let reason):
            "the server at \(server) closes the connection: \(code) \(reason)"
        }
    }

    /// What libwebsockets' words for a connection that didn't come about mean.
    private static func plain(_ words: String) -> String {
        if words.hasPrefix("HS:") {
            return "what answers there opens no WebSocket: another program, or a server that stops"
        }
        if words.contains("SSL") {
            return "no TLS (is its certificate trusted, and of this name? SSL_CERT_FILE names more of them)"
        }
        switch words {
        case "": return "there may be no such host"
        case "Unable to connect": return "nobody listens there"
        case "read failed": return "it hangs up (does it want https?)"
        default: return words
        }
    }
}
