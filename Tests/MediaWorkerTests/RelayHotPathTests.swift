import CMallocCount
import EventLoop
import FixedCollections
import Forwarding
import Testing
import TransportTestSupport
import Wire

@testable import MediaWorker
@testable import Transport

/// A relayed packet's way: from the forwarder of the worker that has the publisher, through the ring, to the seats of
/// another worker. How packets are opened and sealed is measured elsewhere.
@Suite(.serialized) struct HotPathRelaying {
    @Test func `a relayed packet comes to every seat of the other worker`() throws {
        var pair = try WorkerPair(viewers: 5)
        _ = try pair.relay(80)
        let seated = pair.forwarded
        _ = try pair.relay(800)
        let forwarded = pair.forwarded - seated
        let dropped = pair.dropped
        #expect(forwarded == 4_000)
        #expect(dropped == 0)
    }

    #if !DEBUG
        @Test func `a relayed packet costs no allocation`() throws {
            try #require(malloc_count_works())
            var pair = try WorkerPair(viewers: 5)
            // Until the caches are full: the stores of packets grow that far.
            _ = try pair.relay(20_000)
            let seated = pair.forwarded
            let allocations = try pair.relay(4_000)
            let forwarded = pair.forwarded - seated
            #expect(forwarded == 20_000)
            #expect(allocations == 0)
        }
    #endif
}

/// Two workers of one session on the test's thread: a publisher on the first one, viewers on the other.
private struct WorkerPair: ~Copyable {
    private var owner: MediaWorker
    private var host: MediaWorker
    private let publisher: TestClient
    /// Media goes on by itself, faster than in real time.
    private var now: Instant

    init(viewers: Int) throws {
        var settings = MediaSettings(host: SocketAddress(ipv4: 0x7f00_0001, port: 0))
        settings.workers = 2
        settings.usesTCP = false
        settings.maxTransports = 64
        let shared = try WorkerShared(
            settings: settings, certificate: .generate(), events: AsyncStream<MediaEvent>.makeStream().1,
            clockOffset: .zero, log: { _ in })
        let session = MediaSessionID(rawValue: 1)
        let first = try WorkerSockets.open(
            lane: 0, waker: shared.wakers[0], host: settings.host, settings: settings)
        let address = first.socket.localAddress
        let second = try WorkerSockets.open(
            lane: 1, waker: shared.wakers[1], host: address, settings: settings)
        var owner = try MediaWorker(
            lane: 0, shared: shared, context: DTLSContext(certificate: shared.certificate), sockets: first)
        var host = try MediaWorker(
            lane: 1, shared: shared, context: DTLSContext(certificate: shared.certificate), sockets: second)
        _ = owner.openSession(session)
        _ = host.openSession(session, isHome: false)
        let publisher = try TestClient(id: MediaParticipantID(rawValue: 1), server: address)
        publisher.offer.add(.source(.microphone, ssrc: 0x101))
        publisher.offer.add(.source(.camera, ssrc: 0x103))
        let (request, _) = try ConnectRequest.test(publisher, shared: shared)
        let seats = owner.connect(request)
        try #require(seats != nil)
        var sections = request.sections
        sections.seats = []
        let isMirrored = host.mirror(
            MirroredConnection(
                participant: publisher.id, session: session, connection: request.number, owner: 0,
                sections: sections))
        try #require(isMirrored)
        for number in 0..<viewers {
            let viewer = try TestClient(
                id: MediaParticipantID(rawValue: UInt64(number + 2)), server: address)
            viewer.offer.add(.seat(.audio))
            viewer.offer.add(.seat(.video))
            let seats = try host.connect(ConnectRequest.test(viewer, shared: shared).0)
            try #require(seats != nil)
            host.forwarder.markReady(PeerID(number), at: host.now)
        }
        host.finishTurn()
        owner.takeCommands()
        self.owner = owner
        self.host = host
        self.publisher = publisher
        now = MonotonicClock.now()
    }

    /// Packets that were queued for seats of the other worker.
    var forwarded: UInt64 { host.forwarder.counters.forwarded }
    var dropped: UInt64 { owner.shared.relays[0][1].dropped }

    /// Relays packets of the camera and the microphone, eight a turn of 5 ms; how often the heap was asked.
    mutating func relay(_ count: Int) throws -> UInt64 {
        var allocations: UInt64 = 0
        for turn in 0..<(count / 8) {
            let packets = try (0..<8).map { number in
                number % 4 == 3
                    ? try publisher.plainPacket(.microphone, TestPayload.audio(turn))
                    : try publisher.plainPacket(.camera, TestPayload.video(turn, length: 1_000 + number))
            }
            now += .milliseconds(5)
            (owner.now, host.now) = (now, now)
            let before = malloc_count()
            for packet in packets { take(packet.span) }
            owner.announceRelayed()
            owner.finishTurn()
            host.takeRelayed()
            host.finishTurn()
            allocations += malloc_count() - before
        }
        return allocations
    }

    private mutating func take(_ packet: Span<UInt8>) {
        guard let slot = owner.forwarder.takeBlock() else { return }
        fill(slot, packet)
        if let relay = owner.forwarder.receive(slot, length: packet.count, from: PeerID(0), at: owner.now) {
            owner.send(relay, slot, length: packet.count, of: 0)
        }
    }

    private mutating func fill(_ slot: PacketSlot, _ packet: Span<UInt8>) {
        var block = owner.forwarder.mutableBytes(of: slot)
        block.store(packet, at: 0)
    }
}
