import EventLoop
import FixedCollections
import Synchronization
import Transport
import Wire

/// What is said to a worker from other threads.
enum WorkerMessage: Sendable {
    /// With the time at which it was heard.
    case signal(Int, SignallingEvent, Instant)
    case request(Int, LoadRequest)
    case disturb(Int, Disturbance)
    /// Let it call its partner.
    case ring(Int)
    /// Hand over what has been counted, under this number.
    case publish(Int)
    case stop
}

/// What a worker has counted, and up to when.
struct WorkerSnapshot: Sendable {
    /// The highest number under which it was asked for.
    var ticket = 0
    var totals = Totals()
    var at = Instant.zero
    /// Participants that media flows to and from.
    var connected = 0
    /// Those that wait for calls.
    var attached = 0
    /// Participants that haven't left, and those that will still come.
    var present = 0
    /// Share of a core that the thread had since the last snapshot.
    var load = 0.0
    /// What it has had of a core in all.
    var used = Duration.zero
}

/// A thread with an event loop and many participants.
final class LoadWorker: Sendable {
    private let mailbox: Mailbox<WorkerMessage>
    private let snapshot = Mutex(WorkerSnapshot())
    private let thread: Mutex<WorkerThread?>
    private let waker: Waker

    init() throws(LoadError) {
        do {
            waker = try Waker()
        } catch {
            throw .cannotStart("\(error)")
        }
        mailbox = Mailbox(capacity: 1 << 16, waker: waker)
        thread = Mutex(nil)
    }

    /// Starts with these participants, which come when their plans say. The plan's number divided by `stride` is its place.
    func start(
        _ plans: [ParticipantPlan], stride: Int, seed: UInt64, name: String,
        makeShared: @escaping @Sendable () throws(LoadError) -> LoadShared
    ) throws(LoadError) {
        let (mailbox, waker) = (mailbox, waker)
        do {
            let started = try WorkerThread(name: name) { [self] in
                do {
                    let loop = try WorkerLoop(
                        plans, stride: stride, seed: seed, waker: waker, mailbox: mailbox,
                        shared: makeShared())
                    loop.run { self.publish($0) }
                } catch {
                    publish(WorkerSnapshot(ticket: .max))
                }
            }
            thread.withLock { $0 = started }
        } catch {
            throw .cannotStart("\(error)")
        }
    }

    func post(_ message: WorkerMessage) {
        _ = mailbox.post(message)
    }

    var latest: WorkerSnapshot { snapshot.withLock { $0 } }

    private func publish(_ latest: WorkerSnapshot) {
        snapshot.withLock { $0 = latest }
    }

    func join() {
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }
}

/// The thread's own state.
private final class WorkerLoop {
    private var loop: EventLoop
    private var receiver: DatagramReceiver
    private var wheel: TimerWheel
    private let shared: LoadShared
    private let participants: [Participant]
    private let stride: Int
    private let mailbox: Mailbox<WorkerMessage>
    private var messages: [WorkerMessage] = []
    private var ticket = 0
    private var isAsked = false
    private var isStopping = false
    /// The thread's own time on a core, and the clock, when the last snapshot was made.
    private var published: (used: Duration, at: Instant)

    /// Between snapshots that nobody asked for.
    private static let publishing = Duration.milliseconds(250)

    init(
        _ plans: [ParticipantPlan], stride: Int, seed: UInt64, waker: Waker,
        mailbox: Mailbox<WorkerMessage>, shared: LoadShared
    ) throws {
        let now = MonotonicClock.now()
        let loop = try EventLoop(waker: waker)
        // Each buffer is 64 KiB: few of them stay in the cache.
        let receiver = try DatagramReceiver(buffers: 8, coalesced: true)
        self.shared = shared
        self.stride = stride
        self.mailbox = mailbox
        participants = plans.map { Participant($0, seed: seed) }
        published = (ThreadClock.used(), now)
        var wheel = TimerWheel(timers: max(1, plans.count), now: now)
        for index in participants.indices { wheel.set(index, to: participants[index].nextTimeout) }
        self.loop = loop
        self.receiver = receiver
        self.wheel = wheel
    }

    func run(_ publish: (WorkerSnapshot) -> Void) {
        var nextPublishing = MonotonicClock.now()
        while !isStopping {
            guard (try? loop.wait(until: min(wheel.nextDeadline(), nextPublishing))) != nil else { break }
            for index in 0..<loop.count { read(loop.ready(at: index)) }
            if loop.wasWoken { takeMessages() }
            let now = MonotonicClock.now()
            while let index = wheel.popExpired(now: now) {
                shared.totals.lateness.record(now - participants[index].nextTimeout)
                participants[index].handleTimeout(shared, now: now)
                wheel.set(index, to: participants[index].nextTimeout)
            }
            let ended = MonotonicClock.now()
            if ended >= nextPublishing || isAsked {
                nextPublishing = ended + Self.publishing
                publish(makeSnapshot(ended))
                isAsked = false
            }
        }
        let now = MonotonicClock.now()
        for participant in participants { participant.leave(shared, now: now) }
        publish(makeSnapshot(now))
    }

    private func makeSnapshot(_ now: Instant) -> WorkerSnapshot {
        var snapshot = WorkerSnapshot(ticket: ticket, totals: shared.totals, at: now)
        snapshot.totals.droppedByClient += shared.sender.statistics.dropped + shared.sender.statistics.errors
        for participant in participants {
            if participant.state == .connected { snapshot.connected += 1 }
            if participant.isAttached { snapshot.attached += 1 }
            if participant.state != .gone { snapshot.present += 1 }
        }
        let used = ThreadClock.used()
        let passed = now - published.at
        snapshot.load = passed > .zero ? (used - published.used) / passed : 0
        snapshot.used = used
        published = (used, now)
        return snapshot
    }

    private func read(_ event: ReadyEvent) {
        let index = Int(event.token)
        let participant = participants[index]
        let count: Int
        switch participant.socket {
        case .some(let socket): count = (try? receiver.receive(from: socket)) ?? 0
        case .none: return
        }
        guard count > 0 else { return }
        let now = MonotonicClock.now()
        let due = participant.nextTimeout
        for datagram in 0..<count {
            var bytes = receiver.bytes(at: datagram)
            participant.arrive(&bytes, shared, now: now)
        }
        if participant.nextTimeout != due { wheel.set(index, to: participant.nextTimeout) }
    }

    private func takeMessages() {
        mailbox.drain(into: &messages)
        let now = MonotonicClock.now()
        for message in messages {
            switch message {
            case .signal(let number, let event, let at): take(event, number / stride, at: at, now: now)
            case .request(let number, let request):
                guard participants.indices.contains(number / stride) else { continue }
                participants[number / stride].request(request, shared, now: now)
            case .disturb(let number, let kind):
                guard participants.indices.contains(number / stride) else { continue }
                let index = number / stride
                watch(index, participants[index].disturb(kind, shared, now: now))
            case .ring(let number):
                guard participants.indices.contains(number / stride) else { continue }
                participants[number / stride].ring(shared, now: now)
                watch(number / stride, false)
            case .publish(let ticket): (self.ticket, isAsked) = (ticket, true)
            case .stop: isStopping = true
            }
        }
        messages.removeAll(keepingCapacity: true)
    }

    private func take(_ event: SignallingEvent, _ index: Int, at: Instant, now: Instant) {
        guard participants.indices.contains(index) else { return }
        let participant = participants[index]
        watch(index, participant.take(event, shared, at: at, now: now))
    }

    /// Looks at the participant when it wants that, and at its socket if that is new.
    private func watch(_ index: Int, _ hasNewSocket: Bool) {
        let participant = participants[index]
        if hasNewSocket {
            switch participant.socket {
            case .some(let socket):
                try? loop.registry.add(socket.descriptor, token: UInt64(index), for: .readable)
            case .none: break
            }
        }
        wheel.set(index, to: participant.nextTimeout)
    }
}
