import EventLoop
import FixedCollections
import Forwarding
import Transport
import Wire

/// A meeting in the forwarder alone, on a virtual clock: everybody who publishes is forwarded to everybody else.
struct Stage: ~Copyable {
    struct Plan {
        var publishers: Int
        /// Those who only watch.
        var viewers: Int
        var video = true
        var audio = true
        /// How what leaves is sealed; `nil`: it isn't.
        var suite: SRTPSuite?
        /// Publishers watch each other.
        var isMutual = false
        /// Viewers report on their links, every 100 ms: these are estimated and obeyed.
        var reports = false
    }

    static let turn = Duration.milliseconds(5)

    private var forwarder: Forwarder
    private var now = Instant(nanoseconds: 1_000_000_000)
    private var senders: Table<Sender>
    private var due: [Instant] = []
    private var owners: [PeerID] = []
    private var transports: [UInt16] = []
    private var viewers: Table<Viewer>
    private var engine = SealingEngine()
    private var output = FixedArray<UInt8>(repeating: 0, count: 1 << 16)
    private var control = FixedArray<UInt8>(repeating: 0, count: 2_048)
    private let suite: SRTPSuite?
    private let reports: Bool
    private var nextReports = Instant.zero
    /// Packets that left, and that came in.
    private(set) var forwarded = 0
    private(set) var received = 0

    init(_ plan: Plan) throws {
        let peers = plan.publishers + plan.viewers
        let limits = ForwarderLimits(peers: peers, seats: peers * (plan.publishers + 1) * 2, packets: 32_768)
        forwarder = Forwarder(limits: limits, seed: 1, clockOffset: .seconds(1_700_000_000), now: now)
        senders = Table(capacity: plan.publishers * 2)
        viewers = Table(capacity: peers)
        suite = plan.suite
        reports = plan.reports
        guard let router = forwarder.addRouter() else { preconditionFailure("a new forwarder has room") }
        for number in 0..<peers { try add(number, to: router, plan) }
    }

    private mutating func add(_ number: Int, to router: RouterID, _ plan: Plan) throws {
        let isPublisher = number < plan.publishers
        var setup = PeerSetup(
            router: router, participant: UInt64(number + 1), localSSRC: SSRC(UInt32(number)),
            extensions: Agreed.extensions,
            formats: [
                PeerFormat(format: CodecFormat(codec: .opus), payloadType: Agreed.opus, rtxPayloadType: nil),
                PeerFormat(
                    format: CodecFormat(codec: .vp8), payloadType: Agreed.vp8, rtxPayloadType: Agreed.vp8RTX),
            ],
            publications: [], seats: [])
        let kinds = [(plan.audio, false), (plan.video, true)].filter(\.0).map(\.1)
        if isPublisher {
            for isVideo in kinds { setup.publications.append(publication(of: number, isVideo: isVideo)) }
        }
        let seats = isPublisher ? (plan.isMutual ? plan.publishers - 1 : 0) : plan.publishers
        for seat in 0..<seats {
            for isVideo in kinds {
                var seat = Self.seat(seat, of: number, isVideo: isVideo)
                if plan.reports { seat.feedback = .transportCC }
                setup.seats.append(seat)
            }
        }
        guard let peer = forwarder.addPeer(setup, at: now) else {
            preconditionFailure("the tables are large enough")
        }
        if isPublisher { owners += kinds.map { _ in peer } }
        transports.append(0)
        try addViewer(number, seats: seats)
    }

    private mutating func publication(of number: Int, isVideo: Bool) -> PublicationSetup {
        guard let mid = ShortID(isVideo ? "v" : "a") else { preconditionFailure("a mid of one letter") }
        let ssrc = UInt32(number * 4 + (isVideo ? 2 : 1)) | 0x4000_0000
        _ = senders.insert(Sender(isVideo: isVideo, mid: mid, ssrc: ssrc))
        // Pictures of different senders don't begin at the same moment.
        due.append(now + .microseconds(Int64(number * 7_919 % 33_000)))
        return PublicationSetup(
            mid: mid, source: isVideo ? .camera : .microphone,
            streams: [.init(ssrc: SSRC(ssrc), rtxSSRC: nil)], feedback: [.nack, .pli, .transportCC])
    }

    private static func seat(_ number: Int, of peer: Int, isVideo: Bool) -> SeatSetup {
        guard let mid = ShortID("\(isVideo ? "v" : "a")\(number)") else { preconditionFailure("a short mid") }
        let ssrc = UInt32(peer << 10 | number << 2) | (isVideo ? 1 : 0)
        return SeatSetup(
            mid: mid, isVideo: isVideo, ssrc: SSRC(ssrc), rtxSSRC: isVideo ? SSRC(ssrc | 2) : nil,
            firstSequence: 1, firstRTXSequence: 1)
    }

    private mutating func addViewer(_ number: Int, seats: Int) throws {
        let suite = suite ?? .aes128GCM
        let key = FixedArray<UInt8>(repeating: UInt8(truncatingIfNeeded: number), count: 64)
        var sealer = try Sealer(
            key: SRTPMasterKey(
                suite: suite, key: key.span.extracting(0..<suite.keyLength),
                salt: key.span.extracting(0..<suite.saltLength)),
            streamCapacity: max(1, seats * 2), engine: engine)
        var streams: [SealerStream] = []
        for seat in 0..<seats {
            for kind: UInt32 in 0..<2 {
                streams.append(try sealer.registerStream(SSRC(UInt32(number << 10 | seat << 2) | kind)))
            }
        }
        _ = viewers.insert(Viewer(sealer: sealer, streams: streams))
    }

    /// Runs for a while of the meeting's own time.
    mutating func run(for duration: Duration) {
        let end = now + duration
        while now < end { turn() }
    }

    private mutating func turn() {
        now += Self.turn
        for index in 0..<senders.count where due[index] <= now {
            due[index] += senders[index].interval
            senders[index].beginFrame()
            let owner = owners[index]
            while senders[index].writeNext(at: now, transport: &transports[Int(owner.index)]) {
                received += 1
                Self.takeIn(senders, index, from: owner, at: now, &forwarder)
            }
        }
        if reports { report() }
        while Self.pollControl(&forwarder, at: now, into: &control) {}
        while let peer = forwarder.nextReceiver() {
            while let entry = forwarder.popPacket(of: peer) { send(entry, to: Int(peer.index)) }
        }
        while forwarder.pollEvent(at: now) != nil {}
        forwarder.endTurn()
    }

    private mutating func report() {
        let isDue = now >= nextReports
        if isDue { nextReports = now + .milliseconds(100) }
        for index in 0..<viewers.count where isDue || viewers[index].report.isFull {
            Self.report(of: &viewers[index], PeerID(index), at: now, to: &forwarder)
        }
    }

    private static func report(
        of viewer: inout Viewer, _ peer: PeerID, at now: Instant, to forwarder: inout Forwarder
    ) {
        let length = viewer.report.finish()
        guard length > 0 else { return }
        let message = viewer.report.bytes.span.extracting(0..<length)
        forwarder.receiveControl(message, from: peer, at: now)
    }

    private static func takeIn(
        _ senders: borrowing Table<Sender>, _ index: Int, from peer: PeerID, at now: Instant,
        _ forwarder: inout Forwarder
    ) {
        let length = senders[index].length
        let bytes = senders[index].packet.span.extracting(0..<length)
        guard let header = try? RTPHeader(parsingHeaderOf: bytes),
            forwarder.admit(header, packet: bytes, from: peer, at: now) == .open,
            let slot = forwarder.takeBlock()
        else { return }
        copy(bytes, slot, &forwarder)
        forwarder.receive(slot, length: length, from: peer, at: now)
    }

    private static func copy(_ bytes: Span<UInt8>, _ slot: PacketSlot, _ forwarder: inout Forwarder) {
        var block = forwarder.mutableBytes(of: slot)
        block.store(bytes, at: 0)
    }

    private static func pollControl(
        _ forwarder: inout Forwarder, at now: Instant, into control: inout FixedArray<UInt8>
    ) -> Bool {
        var span = control.mutableSpan
        return forwarder.pollControl(at: now, into: &span) != nil
    }

    private mutating func send(_ entry: EgressEntry, to index: Int) {
        guard let packet = Self.compose(entry, &forwarder, at: now, into: &output) else { return }
        if reports {
            viewers[index].report.add(viewers[index].nextNumber, at: now)
            viewers[index].nextNumber &+= 1
        }
        guard packet.paddingLength == 0 else { return }
        forwarded += 1
        guard suite != nil else { return }
        let number = Int(packet.ssrc.rawValue & 0x3ff)
        let stream = viewers[index].streams[(number >> 2) * 2 + number % 2]
        Self.seal(packet, of: forwarder, as: stream, by: &viewers[index].sealer, &engine, into: &output)
    }

    private static func compose(
        _ entry: EgressEntry, _ forwarder: inout Forwarder, at now: Instant,
        into output: inout FixedArray<UInt8>
    ) -> ComposedPacket? {
        var span = output.mutableSpan
        return forwarder.compose(entry, at: now, into: &span)
    }

    private static func seal(
        _ packet: ComposedPacket, of forwarder: borrowing Forwarder, as stream: SealerStream,
        by sealer: inout Sealer, _ engine: inout SealingEngine, into output: inout FixedArray<UInt8>
    ) {
        let request = PacketToSeal(
            stream: stream, headerLength: packet.headerLength, prefixLength: packet.prefixLength)
        let start = packet.payloadOffset
        let payload = forwarder.bytes(of: packet.slot).extracting(start..<(start + packet.payloadLength))
        var span = output.mutableSpan
        let length = try? sealer.sealRTP(request, payload: payload, into: &span, engine: &engine)
        precondition(length != nil, "a packet of the stage can be sealed")
    }
}

/// What seals for one viewer of the stage.
struct Viewer: ~Copyable {
    var sealer: Sealer
    /// Two a seat: audio, video.
    var streams: [SealerStream]
    var report = LinkReport()
    /// The transport-wide number of the next packet that it gets.
    var nextNumber: UInt16 = 0
}
