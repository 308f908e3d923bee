import EventLoop
import JSON

/// Signalling as Rostrum has it: a WebSocket each, JSON requests and answers, events.
public final class RostrumSignalling: Signalling {
    static let subprotocol: StaticString = "rostrum.v1"

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
        let pool = SocketPool(address, subprotocol: Self.subprotocol)
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
        var settings: JSONObject = JSONObject([
            ("startVideoPaused", .bool(!request.startsWithVideo)),
            ("deviceId", .string("load-\(participant)")),
        ])
        if let layout = request.layout { settings["layout"] = .string(layout) }
        var params = JSONObject([("offer", .string(request.offer)), ("settings", .object(settings))])
        guard !dialogues.isAttached(participant) else {
            params["sessionId"] = .string(request.session)
            return dialogues.send(participant, LoadRequest("joinSession", .object(params)))
        }
        guard
            let token = key.callToken(
                session: request.session, uid: request.uid, scope: request.scope, expiresAt: now() + 3_600)
        else { return }
        let path = Self.path(token)
        dialogues.begin(participant, path: path, LoadRequest("joinSession", .object(params)))
        pool.post(.connect(participant, path: path))
    }

    public func attach(_ participant: Int, uid: String) {
        guard let token = key.authToken(uid: uid, expiresAt: now() + 3_600) else { return }
        dialogues.begin(participant, path: Self.path(token), nil)
        pool.post(.connect(participant, path: Self.path(token)))
    }

    static func path(_ token: String) -> String { "/v1/connect?access_token=\(token)" }

    public func negotiate(_ participant: Int, offer: String) {
        dialogues.send(participant, LoadRequest("negotiate", ["offer": .string(offer)]))
    }

    public func interrupt(_ participant: Int) {
        if dialogues.interrupt(participant) { pool.post(.close(participant)) }
    }

    public func request(_ participant: Int, _ request: LoadRequest) {
        dialogues.send(participant, request)
    }

    /// Rostrum never offers.
    public func answer(_ participant: Int, sdp: String) {}

    public func leave(_ participant: Int) {
        dialogues.send(participant, LoadRequest("leaveSession"))
        pool.post(.close(participant))
    }

    public func stop() {
        pool.post(.stop)
        thread.join()
    }
}
