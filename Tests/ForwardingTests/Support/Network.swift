import FixedCollections
import TestSupport
import Wire

@testable import Forwarding

/// Participants, paths and a forwarder (or several, of workers that host one session) on one virtual clock. The same seed
/// gives the same simulation.
final class Network {
    let benches: [Bench]
    /// What workers relay to each other.
    var relay = RelayLink()
    var numbers: UInt64 = 0
    let router: RouterID
    var generator: SeededGenerator
    var ids = IDs()
    var peers: [SimulatedPeer] = []
    var egress = EgressLog()
    /// Packets as they came to the forwarder, duplicates included, and their transport-wide numbers by participant.
    private(set) var arrivals: [UInt32] = []
    private(set) var arrivedNumbers: [UInt64: Set<UInt16>] = [:]
    private var arrivedIDs: [UInt32: Set<UInt32>] = [:]
    private var queue = EventQueue()

    enum Event {
        case media(SimulatedPeer, [UInt8])
        case control(SimulatedPeer, [UInt8])
        case delivered(SimulatedPeer, [UInt8], isControl: Bool)
        case frame(SimulatedPeer, SimulatedSender)
        case upkeep(SimulatedPeer, tick: Int)
    }

    init(
        seed: UInt64, workers: Int = 1, limits: ForwarderLimits = Bench.limits(),
        now: Instant = Instant(nanoseconds: 1_000_000_000)
    )
        throws
    {
        generator = SeededGenerator(seed: seed)
        benches = (0..<workers).map { _ in Bench(limits: limits, now: now) }
        router = RouterID(0)
        for bench in benches {
            guard try bench.router() == router else { throw BenchError.full }
            // Everybody hums.
            bench.forwarder.setLimits(RouterLimits(maxAudible: 1_000), of: router, at: now)
        }
        if workers > 1 { connectWorkers() }
    }

    /// The first worker.
    var bench: Bench { benches[0] }

    var now: Instant { bench.now }

    private func setClocks(to now: Instant) {
        for bench in benches { bench.now = now }
    }

    /// A participant with camera and microphone, and seats.
    @discardableResult
    func join(
        _ participant: UInt64, on worker: Int = 0, sources: [Source] = [.microphone, .camera],
        seats: Int = 4, link: Link = Link(),
        configure: (SimulatedPeer) -> Void = { _ in }
    ) throws -> SimulatedPeer {
        let senders = sources.enumerated().map { index, source in
            SimulatedSender(
                source, mid: shortID("p\(index)"),
                ssrc: UInt32(participant) * 1_000 + UInt32(index) * 2)
        }
        return try join(
            participant, on: worker, senders: senders, seats: seats, link: link, configure: configure)
    }

    @discardableResult
    func join(
        _ participant: UInt64, on worker: Int = 0, senders: [SimulatedSender], seats: Int,
        link: Link = Link(),
        configure: (SimulatedPeer) -> Void = { _ in }
    ) throws -> SimulatedPeer {
        let peer = SimulatedPeer(participant: participant, router: router, senders: senders, seats: seats)
        peer.uplink = link
        peer.downlink = link
        configure(peer)
        peer.worker = worker
        if benches.count > 1 { try mirror(peer) }
        peer.id = try benches[worker].add(peer.setup)
        peers.append(peer)
        for sender in senders {
            schedule(.frame(peer, sender), after: .milliseconds(1 + generator.below(20)))
        }
        schedule(.upkeep(peer, tick: 0), after: .milliseconds(10))
        return peer
    }

    func leave(_ peer: SimulatedPeer) {
        peer.hasLeft = true
        benches[peer.worker].remove(peer.id)
        for (worker, mirror) in peer.mirrors { benches[worker].remove(mirror) }
        peers.removeAll { $0 === peer }
    }

    // MARK: Running

    func run(for duration: Duration) throws {
        let end = now + duration
        // What was done between two runs may have something to send.
        flush()
        while true {
            var next = benches.reduce(queue.nextTime) { min($0, $1.nextDeadline) }
            // Turns of a millisecond, as the worker's are.
            next = Instant(nanoseconds: (next.nanoseconds - 1) / 1_000_000 * 1_000_000 + 1_000_000)
            guard next <= end else { break }
            setClocks(to: max(now + .nanoseconds(1), next))
            while let event = queue.popFirst(at: now) { try handle(event) }
            flush()
        }
        setClocks(to: max(now, end))
    }

    private func schedule(_ event: Event, after delay: Duration) {
        queue.append(event, at: now + delay)
    }

    private func send(over link: Link, _ event: Event) {
        guard !generator.happens(link.loss) else { return }
        let copies = generator.happens(link.duplication) ? 2 : 1
        for _ in 0..<copies {
            let spread = link.jitter.wholeNanoseconds
            let extra = spread > 0 ? generator.below(Int(spread)) : 0
            schedule(event, after: link.delay + .nanoseconds(extra))
        }
    }

    private func handle(_ event: Event) throws {
        switch event {
        case .media(let peer, let bytes):
            guard !peer.hasLeft else { return }
            noteArrival(bytes, of: peer)
            benches[peer.worker].receive(bytes, from: peer.id)
        case .control(let peer, let bytes):
            if !peer.hasLeft { receiveControl(bytes, from: peer) }
        case .delivered(let peer, let bytes, let isControl):
            guard isControl else { return peer.receive(bytes, at: now) }
            for packet in try peer.receiveControl(bytes, at: now) {
                send(over: peer.uplink, .media(peer, packet))
            }
        case .frame(let peer, let sender):
            guard !peer.hasLeft else { return }
            try sendFrame(of: sender, peer)
        case .upkeep(let peer, let tick):
            guard !peer.hasLeft else { return }
            try keepUp(peer, tick)
        }
    }

    private func sendFrame(of sender: SimulatedSender, _ peer: SimulatedPeer) throws {
        schedule(.frame(peer, sender), after: sender.interval)
        guard sender.isRunning else { return }
        for packet in try sender.nextFrame(at: now, ids: &ids, transport: &peer.transportSequence) {
            send(over: peer.uplink, .media(peer, packet))
        }
    }

    private func keepUp(_ peer: SimulatedPeer, _ tick: Int) throws {
        schedule(.upkeep(peer, tick: tick + 1), after: .milliseconds(10))
        for request in try peer.requests(at: now) { send(over: peer.uplink, .control(peer, request)) }
        guard tick % 100 == 10 else { return }
        send(over: peer.uplink, .control(peer, try peer.report(at: now)))
        for sender in peer.senders where sender.isRunning {
            send(over: peer.uplink, .control(peer, try sender.senderReport(at: now)))
        }
    }

    /// The packets of a sender that came to the forwarder, at once or when they were asked for again.
    func arrived(of sender: SimulatedSender) -> Set<UInt32> {
        let (own, again) = (arrivedIDs[sender.ssrc.rawValue], arrivedIDs[sender.rtxSSRC.rawValue])
        return (own ?? []).union(again ?? [])
    }

    private func noteArrival(_ bytes: [UInt8], of peer: SimulatedPeer) {
        guard let packet = ReadPacket(bytes) else { return }
        arrivals.append(packet.mark.id)
        arrivedIDs[packet.header.ssrc.rawValue, default: []].insert(packet.mark.id)
        if let number = packet.transportSequence {
            arrivedNumbers[peer.participant, default: []].insert(number)
        }
    }

    private func flush() {
        if benches.count > 1 { exchange() }
        for (worker, bench) in benches.enumerated() {
            for sent in bench.drain() {
                guard let peer = peers.first(where: { $0.worker == worker && $0.id == sent.peer }) else {
                    relay.strays += 1
                    continue
                }
                if !sent.isControl { egress.note(sent.bytes, to: peer.participant, at: now) }
                var link = peer.downlink
                if let bottleneck = peer.bottleneck {
                    guard let wait = bottleneck.enqueue(sent.bytes.count, at: now) else { continue }
                    link.delay += wait
                }
                send(over: link, .delivered(peer, sent.bytes, isControl: sent.isControl))
            }
        }
        if benches.count > 1 { takeRequests() }
    }
}

/// Events by time, those of one time in the order in which they came.
private struct EventQueue {
    private struct Entry {
        var at: Instant
        var order: Int
        var event: Network.Event

        func comes(before other: Entry) -> Bool { (at, order) < (other.at, other.order) }
    }

    private var heap: [Entry] = []
    private var order = 0

    var nextTime: Instant { heap.first?.at ?? .distantFuture - .seconds(1) }

    mutating func append(_ event: Network.Event, at time: Instant) {
        order += 1
        heap.append(Entry(at: time, order: order, event: event))
        var index = heap.count - 1
        while index > 0, heap[index].comes(before: heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func popFirst(at now: Instant) -> Network.Event? {
        guard let first = heap.first, first.at <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if heap[child].comes(before: heap[smallest]) { smallest = child }
            }
            if smallest == index { return first.event }
            heap.swapAt(index, smallest)
            index = smallest
        }
    }
}

/// Everything that left the forwarder, and what must never be: a number given twice, a packet that nobody sent.
struct EgressLog {
    struct Stream: Hashable {
        var participant: UInt64
        var ssrc: UInt32
    }

    struct Entry {
        var extended: Int64
        var timestamp: RTPTimestamp
        var id: UInt32
        var at: Instant
    }

    private(set) var streams: [Stream: [Entry]] = [:]
    private var numbers: [Stream: Set<Int64>] = [:]
    private(set) var repeatedNumbers = 0
    private(set) var unreadable = 0
    private(set) var retransmissions = 0
    /// Packets of padding by participant.
    private(set) var padding: [UInt64: Int] = [:]

    mutating func note(_ bytes: [UInt8], to participant: UInt64, at now: Instant) {
        if let numbering = numbering(bytes), numbering.isPadding {
            padding[participant, default: 0] += 1
            return
        }
        guard let packet = ReadPacket(bytes) else {
            unreadable += 1
            return
        }
        let stream = Stream(participant: participant, ssrc: packet.header.ssrc.rawValue)
        let last = streams[stream]?.last?.extended ?? Int64(packet.header.sequenceNumber.rawValue) + 65_536
        let step = packet.header.sequenceNumber.distance(
            from: SequenceNumber(UInt16(truncatingIfNeeded: last)))
        let extended = last + Int64(step)
        if !numbers[stream, default: []].insert(extended).inserted { repeatedNumbers += 1 }
        if packet.original != nil { retransmissions += 1 }
        streams[stream, default: []].append(
            Entry(extended: extended, timestamp: packet.header.timestamp, id: packet.mark.id, at: now))
    }

    /// The packets that left on a seat's own SSRC, in order.
    func entries(_ peer: SimulatedPeer, _ receiver: SeatReceiver) -> [Entry] {
        streams[Stream(participant: peer.participant, ssrc: receiver.ssrc.rawValue)] ?? []
    }
}
