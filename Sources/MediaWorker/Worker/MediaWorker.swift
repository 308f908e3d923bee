import EventLoop
import FixedCollections
import Forwarding
import Transport
import Wire

/// One thread's media: an event loop, the transports of its participants, and the forwarder between them.
///
/// A turn reads what has come, handles commands and timers, and then sends what has gathered, receiver by receiver.
struct MediaWorker: ~Copyable {
    /// Numbers the worker; the lane in its peers' ufrags.
    let lane: Int
    let shared: WorkerShared
    var loop: EventLoop
    /// `nil` while its datagrams are handled.
    var receiver: DatagramReceiver?
    var listener: TCPListener?
    var outlet: Outlet
    let context: DTLSContext

    var connections: Table<Connection>
    var forwarder: Forwarder
    var participants: [MediaParticipantID: Int] = [:]
    var sources: [MediaParticipantID: Set<Source>] = [:]
    var sessions: [MediaSessionID: RouterID] = [:]
    /// The other way round, for those whose home this is.
    var routers: [RouterID: MediaSessionID] = [:]

    /// Number among all of the pool → connection.
    var numbers: [UInt64: Int] = [:]
    /// Number of a connection on another worker → its mirror.
    var mirrors: FixedMap<UInt64, Int32>
    var mirrored: [MediaParticipantID: UInt64] = [:]
    /// Workers to which something was relayed since they were woken.
    var unannounced = RelayTargets()

    /// Local ufrag → connection.
    var ufrags: FixedMap<UInt64, Int32>
    /// UDP address → connection.
    var addresses: FixedMap<SocketAddress, Int32>
    /// TCP connection → connection.
    var tcpOwners: FixedMap<UInt32, Int32>
    /// UDP address → worker that owns the peer.
    var foreign: FixedMap<SocketAddress, Int32>

    /// Packets from unknown addresses that the other workers are asked about: many, as each costs no more than a copy
    /// and a look-up, and among junk a changed address must get its turn.
    var questions = TokenBucket(rate: 10_000, burst: 100)

    var timers: TimerWheel
    var output = OutputDatagrams()
    var batch: EgressBatch
    var control: FixedArray<UInt8>
    /// `nil` while the frame in it is handled.
    var frame: FixedArray<UInt8>?
    var commands: [WorkerCommand] = []
    var counters = WorkerCounters()
    var now: Instant
    var sweepAt: Instant
    var packetRate: PacketRate
    var coalescing: Coalescing
    var backlog = Backlog()
    var isStopped = false
    var isOffloadReported = false

    init(lane: Int, shared: WorkerShared, context: DTLSContext, sockets: consuming WorkerSockets) {
        self.lane = lane
        self.shared = shared
        self.context = context
        loop = sockets.loop
        receiver = sockets.receiver
        listener = sockets.listener
        let settings = shared.settings
        outlet = Outlet(
            socket: sockets.socket, sender: sockets.sender, streams: sockets.streams,
            engine: SealingEngine(preference: settings.sealer.preference))
        outlet.faults = settings.faults.map { FaultInjector($0) }
        let seed = SystemRandomNumberGenerator.seed()
        let peers = settings.maxTransports
        now = MonotonicClock.now()
        connections = Table(capacity: peers)
        let others = lane < settings.hosts && settings.hosts > 1 ? peers : 0
        var limits = ForwarderLimits(
            routers: peers + others, peers: peers, mirrors: others, seats: settings.maxSeats,
            packets: settings.maxPackets,
            cache: CacheLimits(video: settings.cacheVideo, audio: settings.cacheAudio))
        limits.estimatesLinks = settings.estimatesBandwidth
        mirrors = FixedMap(capacity: max(others, 1), seed: seed)
        forwarder = Forwarder(limits: limits, seed: seed, clockOffset: shared.clockOffset, now: now)
        ufrags = FixedMap(capacity: peers * 2, seed: seed)
        addresses = FixedMap(capacity: peers * 8, seed: seed)
        tcpOwners = FixedMap(capacity: 1_024, seed: seed)
        foreign = FixedMap(capacity: settings.workers > 1 ? peers * 8 : 1, seed: seed)
        timers = TimerWheel(timers: peers, now: now)
        batch = EgressBatch()
        control = FixedArray(repeating: 0, count: 2_048)
        frame = FixedArray(repeating: 0, count: TCPConnectionTable.mostBytes)
        sweepAt = now + .seconds(1)
        packetRate = PacketRate(now: now)
        coalescing = Coalescing(longest: settings.maxCoalesce, now: now)
    }

    mutating func run() {
        while !isStopped {
            let timer = min(sweepAt, min(forwarder.nextDeadline, timers.nextDeadline()))
            let held = outlet.faults?.nextDue ?? .distantFuture
            let deadline = min(timer, min(held, coalescing.deadline ?? .distantFuture))
            do throws(SocketError) {
                try loop.wait(until: deadline)
            } catch {
                shared.report("media worker \(lane) stopped: \(error)")
                return
            }
            turn()
        }
    }

    mutating func turn() {
        now = MonotonicClock.now()
        counters.turns &+= 1
        // Commands first: another worker's word that it owns a peer comes before what the peer sends next.
        if loop.wasWoken {
            takeCommands()
            takeHandedOver()
        }
        for index in 0..<loop.count { handle(loop.ready(at: index)) }
        handleTimeouts()
        announceRelayed()
        tellEvents()
        if !forwarder.hasPackets || coalescing.shouldSend(at: now) {
            finishTurn()
        } else {
            // Media gathers; reports and answers don't wait.
            sendControl()
            sendMirrorRequests()
            tellEvents()
            outlet.flush()
        }
        coalescing.note(from: now, to: MonotonicClock.now())
        shared.loads[lane].set(coalescing.averageLoad)
    }

    private mutating func handle(_ event: ReadyEvent) {
        switch event.token {
        case WorkerSockets.udpToken:
            if event.isReadable { receiveDatagrams() }
        case WorkerSockets.listenerToken:
            acceptStreams()
        default:
            receiveStream(event)
        }
    }

    private mutating func handleTimeouts() {
        while let index = timers.popExpired(now: now) {
            let outcome = connections[index].transport.handleTimeout(now: now, into: &output)
            sendOutput()
            switch outcome {
            case .nothing: timers.set(index, to: connections[index].transport.nextTimeout)
            case .consentExpired:
                counters.consentExpired &+= 1
                withdraw(index)
            case .failed:
                counters.failedHandshakes &+= 1
                drop(index, tells: true)
            }
        }
        if now >= sweepAt {
            sweepAt = now + .seconds(1)
            while let id = outlet.streams.closeNextIdle(now: now) { forgetStream(id) }
            noteOffload()
            packetRate.measure(forwarder.counters.received &+ outlet.packets, at: now)
        }
    }

    /// The peer doesn't answer any more. It may come back, if it slept or had no network, as long as its participant stays.
    private mutating func withdraw(_ index: Int) {
        guard connections[index].transport.state == .connected else { return drop(index, tells: true) }
        for known in connections[index].paths { forget(known.path, of: index) }
        timers.set(index, to: connections[index].transport.nextTimeout)
    }

    private mutating func noteOffload() {
        guard !isOffloadReported, outlet.sender.offload == .unavailable else { return }
        isOffloadReported = true
        shared.report("the kernel refuses segmentation offload: a message a packet")
    }

    /// Sends what the turn has gathered, and tells what it has changed.
    mutating func finishTurn() {
        tellEvents()
        sendControl()
        sendMirrorRequests()
        sendPackets()
        forgetInboundStreams()
        coalescing.sent()
        tellEvents()
        outlet.flush()
        while let id = outlet.nextEndedStream() { forgetStream(id) }
    }

}

extension SystemRandomNumberGenerator {
    static func seed() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}

extension MediaSettings.Sealer {
    var preference: SealingPreference {
        switch self {
        case .auto: .auto
        case .multiBuffer: .multiBuffer
        case .openSSL: .openSSL
        }
    }
}

extension MediaSource {
    init(_ source: Source) {
        switch source {
        case .microphone: self = .microphone
        case .camera: self = .camera
        case .screen: self = .screen
        case .screenAudio: self = .screenAudio
        }
    }

    var source: Source {
        switch self {
        case .microphone: .microphone
        case .camera: .camera
        case .screen: .screen
        case .screenAudio: .screenAudio
        }
    }
}
