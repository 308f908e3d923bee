import EventLoop
public import FixedCollections
import Synchronization
public import Transport

/// How a fleet works, whatever it does.
public struct FleetSettings: Sendable {
    public var workers = 1
    /// Everything random follows from it.
    public var seed: UInt64 = 1
    /// SRTP suites that are offered.
    public var suites: [SRTPSuite] = [.aes128GCM, .aes256GCM, .aes128CMSHA1]
    /// Of each so many media packets one is opened; the others are counted by their headers.
    public var sample = 1

    public init() {}
}

/// All participants of a run, on their workers, with their signalling.
public final class Fleet: Sendable {
    private let workers: [LoadWorker]
    private let router: SignallingRouter
    private let signalling: any Signalling
    private let ticket = Mutex(0)
    private let boards = Boards()
    var admission: Admission { boards.admission }

    /// Makes the way to a server, given where it has to tell what happens.
    public typealias MakeSignalling = @Sendable (any SignallingSink) throws(LoadError) -> any Signalling

    /// Starts everything; participants come when their plans say. Numbers of plans are 0 and up, without gaps.
    public init(
        _ settings: FleetSettings, plans: [ParticipantPlan], conversation: Conversation,
        signalling make: MakeSignalling
    ) throws(LoadError) {
        let count = max(1, settings.workers)
        var workers: [LoadWorker] = []
        for _ in 0..<count { workers.append(try LoadWorker()) }
        self.workers = workers
        router = SignallingRouter(workers)
        let signalling = try make(router)
        let boards = boards
        self.signalling = signalling
        for (index, worker) in workers.enumerated() {
            let own = plans.filter { $0.number % count == index }.sorted { $0.number < $1.number }
            try worker.start(own, stride: count, seed: settings.seed, name: "load-\(index)") {
                () throws(LoadError) in
                try LoadShared(
                    suites: settings.suites, sample: settings.sample, signalling: signalling,
                    boards: boards, conversation: conversation)
            }
        }
    }

    /// What has been counted, and how things stand.
    public struct Snapshot: Sendable {
        public var totals = Totals()
        /// On the monotonic clock.
        public var at = Instant.zero
        public var connected = 0
        /// Those that wait for calls.
        public var attached = 0
        public var present = 0
        /// Of the busiest worker, lately: 1 is a whole core.
        public var load = 0.0
        /// What each worker has had of a core so far.
        public var used: [Duration] = []
        /// A worker couldn't start.
        public var hasFailed = false
    }

    /// As of a fraction of a second ago.
    public var latest: Snapshot { combine(workers.map(\.latest)) }

    /// As of now: waits for each worker's own count, a second at most. Blocks.
    public func snapshot() -> Snapshot {
        let number = ticket.withLock { ticket in
            ticket += 1
            return ticket
        }
        for worker in workers { worker.post(.publish(number)) }
        let deadline = MonotonicClock.now() + .seconds(1)
        while workers.contains(where: { $0.latest.ticket < number }), MonotonicClock.now() < deadline {
            Pause.milliseconds(1)
        }
        return latest
    }

    /// Asks something of the server in a participant's name.
    public func request(_ participant: Int, _ request: LoadRequest) {
        workers[participant % workers.count].post(.request(participant, request))
    }

    /// Does something to a participant that isn't its own will.
    public func disturb(_ participant: Int, _ kind: Disturbance) {
        workers[participant % workers.count].post(.disturb(participant, kind))
    }

    /// Lets a participant call its partner.
    public func ring(_ participant: Int) {
        workers[participant % workers.count].post(.ring(participant))
    }

    /// Lets everybody leave, and ends all threads. Blocks.
    public func stop() {
        for worker in workers { worker.post(.stop) }
        for worker in workers { worker.join() }
        signalling.stop()
    }

    private func combine(_ snapshots: [WorkerSnapshot]) -> Snapshot {
        var result = Snapshot()
        for snapshot in snapshots {
            result.totals.add(snapshot.totals)
            result.connected += snapshot.connected
            result.attached += snapshot.attached
            result.present += snapshot.present
            result.load = max(result.load, snapshot.load)
            result.used.append(snapshot.used)
            if snapshot.ticket == .max { result.hasFailed = true }
        }
        // Counts are of slightly different moments; their middle is good to milliseconds.
        let sum = snapshots.reduce(Int64(0)) { $0 &+ $1.at.nanoseconds / Int64(snapshots.count) }
        result.at = Instant(nanoseconds: sum)
        return result
    }
}

/// Carries what signalling says to the worker that has the participant.
private final class SignallingRouter: SignallingSink {
    private let workers: [LoadWorker]

    init(_ workers: [LoadWorker]) {
        self.workers = workers
    }

    func signal(_ event: SignallingEvent, for participant: Int) {
        workers[participant % workers.count].post(.signal(participant, event, MonotonicClock.now()))
    }
}
