import CMallocCount
import FixedCollections
import Testing
import Wire

@testable import Forwarding

/// A packet that is sent over and over under new numbers.
private final class Template {
    var bytes: FixedArray<UInt8>
    private var sequence: UInt16 = 65_000

    init(_ packet: [UInt8]) {
        bytes = FixedArray(repeating: 0, count: packet.count)
        for index in packet.indices { bytes[index] = packet[index] }
    }

    func next(skipping skipped: UInt16, timestamp: UInt32, transport: UInt16) {
        sequence &+= 1 &+ skipped
        put(UInt32(sequence), bytes: 2, at: 2)
        put(timestamp, bytes: 4, at: 4)
        // The transport-wide number stands behind the mid's two bytes and its own first.
        put(UInt32(transport), bytes: 2, at: 19)
    }

    private func put(_ value: UInt32, bytes count: Int, at offset: Int) {
        for index in 0..<count {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * (count - 1 - index)))
        }
    }
}

/// The hot path as the worker walks it, without anything that a test would add.
private final class HotPath {
    static let viewers = 50

    var forwarder: Forwarder
    var now = Instant(nanoseconds: 1_000_000_000)
    var publisher = PeerID(0)
    var header = FixedArray<UInt8>(repeating: 0, count: 320)
    var control = FixedArray<UInt8>(repeating: 0, count: 1_500)
    let video: Template
    let audio: Template
    var transport: UInt16 = 0
    var composed = 0
    var datagrams = 0
    /// What viewers report, and the transport-wide numbers of their next packets.
    private var reports: Table<TransportFeedbackBuilder>
    private var numbers = FixedArray<UInt16>(repeating: 0, count: 64)
    private var nextReports = Instant.zero
    var padding = 0

    init() throws {
        let limits = ForwarderLimits(peers: 128, seats: 4_096, packets: 16_384)
        forwarder = Forwarder(limits: limits, seed: 1, clockOffset: .zero, now: now)
        reports = Table(capacity: Self.viewers)
        guard let router = forwarder.addRouter() else { throw BenchError.full }
        let camera = SimulatedSender(.camera, mid: shortID("0"), ssrc: 1_000)
        let microphone = SimulatedSender(.microphone, mid: shortID("1"), ssrc: 2_000)
        var ids = IDs()
        video = Template(try camera.nextFrame(at: now, ids: &ids, transport: &transport)[0])
        audio = Template(try microphone.nextFrame(at: now, ids: &ids, transport: &transport)[0])
        let setup = SimulatedPeer(
            participant: 1, router: router, senders: [camera, microphone], seats: 0
        ).setup
        guard let peer = forwarder.addPeer(setup, at: now) else { throw BenchError.full }
        publisher = peer
        for participant in 0..<UInt64(Self.viewers) {
            let viewer = SimulatedPeer(participant: 2 + participant, router: router, senders: [], seats: 4)
            viewer.tell(by: .transportCC)
            guard forwarder.addPeer(viewer.setup, at: now) != nil else { throw BenchError.full }
            _ = reports.insert(TransportFeedbackBuilder())
        }
    }

    /// Forwards packets, two a turn of 2 ms: one in five is audio, one in fifty is lost, one in a hundred begins a key
    /// frame.
    func forward(_ count: Int) {
        for number in 0..<count {
            transport &+= 1
            let timestamp = UInt32(truncatingIfNeeded: now.nanoseconds / 11_111)
            if number % 5 == 4 {
                audio.next(skipping: 0, timestamp: timestamp, transport: transport)
                Self.takeIn(audio.bytes, from: publisher, at: now, &forwarder)
            } else {
                video.next(skipping: number % 50 == 48 ? 1 : 0, timestamp: timestamp, transport: transport)
                // VP8's first byte, behind 24 bytes of header and 6 of descriptor.
                video.bytes[30] = number % 100 == 0 ? 0x10 : 0x11
                Self.takeIn(video.bytes, from: publisher, at: now, &forwarder)
            }
            if number % 2 == 1 {
                now += .milliseconds(2)
                finishTurn()
            }
        }
    }

    private static func takeIn(
        _ packet: borrowing FixedArray<UInt8>, from peer: PeerID, at now: Instant,
        _ forwarder: inout Forwarder
    ) {
        guard let header = try? RTPHeader(parsingHeaderOf: packet.span),
            forwarder.admit(header, packet: packet.span, from: peer, at: now) == .open,
            let slot = forwarder.takeBlock()
        else { return }
        copy(packet, slot, &forwarder)
        forwarder.receive(slot, length: packet.count, from: peer, at: now)
    }

    private static func copy(
        _ packet: borrowing FixedArray<UInt8>, _ slot: PacketSlot, _ forwarder: inout Forwarder
    ) {
        var block = forwarder.mutableBytes(of: slot)
        block.store(packet.span, at: 0)
    }

    /// Every 60 ms viewers say that everything has come.
    private func report() {
        guard now >= nextReports else { return }
        nextReports = now + .milliseconds(60)
        for index in 0..<Self.viewers {
            Self.report(&reports[index], of: PeerID(index + 1), at: now, into: &control, to: &forwarder)
        }
    }

    private static func report(
        _ feedback: inout TransportFeedbackBuilder, of peer: PeerID, at now: Instant,
        into control: inout FixedArray<UInt8>, to forwarder: inout Forwarder
    ) {
        guard let length = write(&feedback, into: &control), length > 0 else { return }
        let message = control.span.extracting(0..<length)
        forwarder.receiveControl(message, from: peer, at: now)
    }

    private static func write(
        _ feedback: inout TransportFeedbackBuilder, into control: inout FixedArray<UInt8>
    ) -> Int? {
        var span = control.mutableSpan
        return try? feedback.write(sender: SSRC(1), media: SSRC(2), into: &span, at: 0)
    }

    private func note(_ packet: ComposedPacket, of peer: PeerID) {
        let viewer = Int(peer.index) - 1
        reports[viewer].record(SequenceNumber(numbers[viewer]), at: now)
        numbers[viewer] &+= 1
        if packet.paddingLength > 0 { padding += 1 } else { composed += 1 }
    }

    private func finishTurn() {
        report()
        while Self.poll(&forwarder, at: now, into: &control) { datagrams += 1 }
        while let peer = forwarder.nextReceiver() {
            while let entry = forwarder.popPacket(of: peer) {
                if let packet = Self.compose(entry, &forwarder, at: now, into: &header) {
                    note(packet, of: peer)
                }
            }
        }
        while forwarder.pollEvent(at: now) != nil {}
        forwarder.endTurn()
    }

    private static func poll(
        _ forwarder: inout Forwarder, at now: Instant, into control: inout FixedArray<UInt8>
    ) -> Bool {
        var span = control.mutableSpan
        return forwarder.pollControl(at: now, into: &span) != nil
    }

    private static func compose(
        _ entry: EgressEntry, _ forwarder: inout Forwarder, at now: Instant,
        into header: inout FixedArray<UInt8>
    ) -> ComposedPacket? {
        var span = header.mutableSpan
        return forwarder.compose(entry, at: now, into: &span)
    }
}

@Suite struct AllocationTests {
    #if !DEBUG
        @Test func `forwarding ten thousand packets to fifty viewers allocates nothing`() throws {
            try #require(malloc_count_works())
            let path = try HotPath()
            path.forward(6_000)
            let composed = path.composed
            let datagrams = path.datagrams
            let before = malloc_count()
            path.forward(10_000)
            let mallocs = malloc_count() - before
            let sent = path.composed - composed
            #expect(mallocs == 0)
            // What a probe holds back for a moment may leave a little before or after.
            #expect(abs(sent - 500_000) < 500)
            let feedback = path.datagrams - datagrams
            #expect(feedback > 400)
            let reports = path.forwarder.counters.linkReports
            let padding = path.padding
            #expect(reports > 5_000)
            print("\(reports) reports from viewers, \(padding) packets of padding")
            print("\(mallocs) mallocs for 10,000 packets in, \(sent) out, \(feedback) RTCP datagrams")
        }
    #endif

    @Test func `the path that is measured forwards everything`() throws {
        let path = try HotPath()
        // The links are found first.
        path.forward(3_000)
        let before = path.composed
        path.forward(200)
        let composed = path.composed - before
        #expect(composed == 200 * HotPath.viewers)
    }

    @Test func `an allocation is counted`() {
        #expect(malloc_count_works())
        let before = malloc_count()
        var arrays: [[UInt8]] = []
        for size in 1...20 { arrays.append([UInt8](repeating: 1, count: size * 100)) }
        let after = malloc_count()
        #expect(after - before >= 20)
        #expect(arrays.count == 20)
    }
}
