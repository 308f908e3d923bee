public import MediaWorker
public import Observability
public import Storage
import Synchronization

/// The API on its port: HTTP, sockets, sessions. Start it once, stop it once.
public final class ControlServer: Sendable {
    let core: ControlCore
    private let server: SocketServer
    private let gate: SocketGate
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let exited: AsyncStream<Never>
    private let exit: AsyncStream<Never>.Continuation

    /// - Parameters:
    ///   - store: what outlives this server; it is closed when this server has stopped.
    ///   - media: does what the API says to media; its events are consumed by this server.
    ///   - metrics: where this server's metrics go; shown at /metrics.
    public init(
        settings: ControlSettings, store: any Store, media: any MediaPlane, metrics: MetricRegistry, log: Log
    ) {
        core = ControlCore(settings: settings, store: store, media: media, metrics: metrics, log: log)
        gate = SocketGate(core: core)
        server = SocketServer(handler: gate, limits: settings.socket) { [core] change in
            core.socketCount.add(change, ordering: .relaxed)
        }
        (exited, exit) = AsyncStream.makeStream(of: Never.self)
    }

    /// Binds the port and serves. Nothing is left behind if it throws.
    ///
    /// - Returns: The port that is bound.
    public func start() throws(ServerError) -> UInt16 {
        let settings = core.settings
        let (port, certificateExpiresAt) = try server.start(
            host: settings.host, port: settings.port, tls: settings.tls
        ) {
            [core, exit] in
            if core.phase != .draining { core.log.error("the HTTP server has ended by itself") }
            exit.finish()
        }
        if settings.tls != nil { note(certificateExpiresAt) }
        core.registerCollector()
        let media = core.media
        let directory = core.directory
        let events = Task { for await event in media.events { await directory.route(event) } }
        let ticks = Task { [server] in
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(settings.tickMs))
                server.tick()
            }
        }
        let expiries = Task { [core] in
            while (try? await Task.sleep(for: .milliseconds(settings.expiryMs))) != nil {
                for client in core.presence.takeExpired(Clock.now() / 1_000) {
                    // Not waited for: a session may be busy.
                    Task { await client.tokenExpired() }
                }
            }
        }
        let cleaning = Task { [core] in
            await core.callLog.start()
            while (try? await Task.sleep(for: .milliseconds(settings.cleaningMs))) != nil {
                await core.callLog.noteAlive()
                await core.forgetExpiredTokens()
                await core.registry.endUnused()
            }
        }
        let meetings = Task { [core] in await core.followMeetings() }
        tasks.withLock { $0 = [events, ticks, expiries, cleaning, meetings] }
        core.phase = .ready
        return port
    }

    /// Reads the certificate anew: who connects from then on gets it, and nobody is cut off. If it can't be used the
    /// log says so, and the old one stays.
    public func reloadCertificate() {
        guard let files = core.settings.tls else {
            return core.log.info("there is no certificate to read again")
        }
        server.loadCertificate(files) { [self] result in
            switch result {
            case .success(let expiresAt): note(expiresAt)
            case .failure(let error): core.log.error("\(error); the one before stays in use")
            }
        }
    }

    private func note(_ certificateExpiresAt: Int64?) {
        guard let expiresAt = certificateExpiresAt else { return core.log.info("certificate read") }
        let time: LogValue = "\(Timestamp(milliseconds: expiresAt))"
        if expiresAt < Clock.now() {
            core.log.warning("the certificate has expired", ["at": time])
        } else {
            core.log.info("certificate read", ["expires": time])
        }
    }

    /// Closes all sockets with 4010, and takes no new ones. The port stays open, to say so.
    public func closeSockets() {
        core.phase = .draining
        // From here: whoever is in a session is to be told 4010, and not that it has ended.
        gate.close(.draining, reason: "server draining")
        server.drain()
    }

    /// Stops now: sockets are closed with 4010, meetings end, then the port closes, then the store. Returns when the
    /// thread has ended and the store is closed.
    public func stop() async {
        closeSockets()
        server.stop(withinMs: core.settings.closeMs)
        await core.endSessions()
        for await _ in exited {}
        for task in tasks.withLock({ $0 }) { task.cancel() }
        await core.callLog.stop()
        await core.store.close()
    }
}

/// Takes what arrives on the service thread to those who deal with it.
private final class SocketGate: SocketHandler {
    private let core: ControlCore
    private let router: Router
    private let clients = Mutex<[UInt64: (client: Client, inbox: Inbox)]>([:])

    init(core: ControlCore) {
        self.core = core
        router = Router(
            core: core, files: StaticFiles(directory: core.settings.webDirectory),
            crossOrigin: CrossOrigin(origins: core.settings.origins))
    }

    /// Closes every socket.
    func close(_ code: CloseCode, reason: String) {
        for (client, _) in clients.withLock({ Array($0.values) }) {
            client.socket.close(code, reason: reason)
        }
    }

    func opened(_ socket: Socket, token: String?) {
        let inbox = Inbox(limits: core.settings.socket)
        let client = Client(socket: socket, inbox: inbox, core: core)
        clients.withLock { $0[socket.id] = (client, inbox) }
        Task { await client.run(token: token) }
    }

    func received(_ message: Inbound, on socket: Socket) {
        guard let inbox = clients.withLock({ $0[socket.id]?.inbox }) else { return }
        if !inbox.offer(message) { socket.close(.rateLimited, reason: "too many requests") }
    }

    func closed(_ socket: Socket) {
        guard let (client, inbox) = clients.withLock({ $0.removeValue(forKey: socket.id) }) else { return }
        inbox.finish()
        Task { await client.lost() }
    }

    func handle(_ request: HTTPRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        Task { [router] in respond(await router.answer(request)) }
    }
}
