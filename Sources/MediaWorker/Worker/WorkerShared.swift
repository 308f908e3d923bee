import EventLoop
import Synchronization
import Transport
import Wire

/// What all workers of a pool have in common; nothing here changes after the start.
final class WorkerShared: Sendable {
    let settings: MediaSettings
    let certificate: DTLSCertificate
    let wakers: [Waker]
    let mailboxes: [Mailbox<WorkerCommand>]
    /// `rings[from][to]`: datagrams that reached worker `from` and belong to worker `to`.
    let rings: [[HandoverRing]]
    /// `relays[from][to]`: opened packets of sessions that both workers host.
    let relays: [[RelayRing]]
    let loads: [WorkerLoad]
    let events: AsyncStream<MediaEvent>.Continuation
    /// What to add to the monotonic clock to get the time since 1970.
    let clockOffset: Duration
    private let ended = Mutex<Set<Int>>([])
    private let log: @Sendable (String) -> Void

    init(
        settings: MediaSettings, certificate: DTLSCertificate, events: AsyncStream<MediaEvent>.Continuation,
        clockOffset: Duration, log: @escaping @Sendable (String) -> Void
    ) throws(SocketError) {
        self.settings = settings
        self.certificate = certificate
        self.events = events
        self.clockOffset = clockOffset
        self.log = log
        var wakers: [Waker] = []
        for _ in 0..<settings.workers { wakers.append(try Waker()) }
        self.wakers = wakers
        mailboxes = wakers.map { Mailbox(capacity: 65_536, waker: $0) }
        rings = wakers.indices.map { from in
            wakers.indices.map { to in HandoverRing(capacity: from == to ? 1 : 256, waker: wakers[to]) }
        }
        relays = wakers.indices.map { from in
            wakers.indices.map { to in
                let isUsed = from != to && max(from, to) < settings.hosts
                return RelayRing(capacity: isUsed ? 1_024 : 1, waker: wakers[to])
            }
        }
        loads = wakers.map { _ in WorkerLoad() }
    }

    /// Whether the worker's thread takes no commands any more.
    func hasEnded(_ lane: Int) -> Bool {
        ended.withLock { $0.contains(lane) }
    }

    /// For the worker's thread, as its last act: nobody waits for it from now on.
    func end(_ lane: Int) {
        _ = ended.withLock { $0.insert(lane) }
        mailboxes[lane].close()
        var left: [WorkerCommand] = []
        mailboxes[lane].drain(into: &left)
        for command in left { command.refuse() }
    }

    /// For what an operator should read once.
    func report(_ line: String) { log(line) }
}
