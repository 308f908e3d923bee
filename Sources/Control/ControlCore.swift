import MediaWorker
import Meeting
import Observability
import Storage
import Synchronization

/// What every request may need. Shared by all sockets and routes.
final class ControlCore: Sendable {
    enum Phase: Int, Sendable, AtomicRepresentable {
        case starting, ready, draining
    }

    let settings: ControlSettings
    let store: any Store
    let media: any MediaPlane
    let metrics: MetricRegistry
    let log: Log
    let authority: TokenAuthority
    let directory: MediaDirectory
    let registry: SessionRegistry
    let presence = Presence()
    let feed = MeetingFeed()
    let callLog: CallLog
    let meetings: MeetingLog
    let exchange: CallExchange
    /// The open sockets.
    let socketCount = Atomic<Int>(0)
    let startedAt = Clock.now()
    private let started = Clock.monotonic()
    /// Until when those who are in a session may stay, once the server drains.
    let deadline = Mutex<Deadline?>(nil)
    private let groupTurns = Turnstile()
    private let currentPhase = Atomic<Phase>(.starting)

    init(
        settings: ControlSettings, store: any Store, media: any MediaPlane, metrics: MetricRegistry, log: Log
    ) {
        self.settings = settings
        self.store = store
        self.media = media
        self.metrics = metrics
        self.log = log
        authority = TokenAuthority(keys: settings.keys)
        directory = MediaDirectory(maxParticipants: settings.maxParticipants)
        registry = SessionRegistry(
            settings: settings, store: store, presence: presence, feed: feed, media: media,
            directory: directory,
            log: log)
        callLog = CallLog(store: store, log: log)
        meetings = MeetingLog(log: callLog, store: store)
        exchange = CallExchange(log: callLog, presence: presence, registry: registry, store: store)
    }

    var conversations: Conversations { Conversations(core: self) }

    var groups: GroupDirectory { GroupDirectory(core: self, turns: groupTurns) }

    var uptimeSeconds: Int64 { (Clock.monotonic() - started) / 1_000 }

    var phase: Phase {
        get { currentPhase.load(ordering: .acquiring) }
        set { currentPhase.store(newValue, ordering: .releasing) }
    }

    /// Counts a request on a socket; `method` is one of the known ones.
    func count(method: String, code: ErrorCode?) {
        metrics.counter(
            "rostrum_requests_total", help: "Requests on sockets, by method and error code.",
            labels: ["method": method, "code": code?.rawValue ?? "ok"]
        ).increment()
    }

    /// Counts an HTTP request; `route` is one of the known ones.
    func count(route: String, method: HTTPRequest.Method, status: Int) {
        metrics.counter(
            "rostrum_http_requests_total", help: "HTTP requests, by method, route and status.",
            labels: ["method": method.rawValue, "route": route, "status": String(status)]
        ).increment()
    }
}
