import FixedCollections
import TestSupport
import Wire

@testable import Forwarding

/// A layered video on its way through a forwarder to one viewer, on a virtual clock.
final class LayeredMeeting {
    /// What happens to packets before they come to the forwarder.
    struct Uplink {
        /// Packets that never come, and those that come after 60 ms, as if repaired.
        var loss = 0.0
        var repaired = 0.0
        /// Milliseconds by which packets come later, each on its own.
        var jitter = 0
    }

    let structure: LayeredStructure
    let bench = Bench()
    let encoders: [LayeredEncoder]
    var uplink = Uplink()
    /// The publisher sends key frames when it is asked for them.
    var answersRequests = true
    /// Share of the packets in which a byte behind the fixed header is changed.
    var corruption = 0.0
    var generator: SeededGenerator
    let publisher: PeerID
    let viewer: PeerID
    let decoder: DecoderModel
    private(set) var frames: [UInt32: LayeredFrame] = [:]
    /// When the last packet that hasn't come yet does, by capture.
    private var queue: [(at: Int, order: Int, bytes: [UInt8])] = []
    private var ids = IDs()
    private var nextFrame: UInt32 = 1
    private(set) var capture = 0
    private(set) var milliseconds = 0
    private var order = 0

    static func payloadType(of codec: Codec) -> PayloadType {
        switch codec {
        case .vp8: Negotiated.vp8
        case .vp9: PayloadType(98)
        case .h264: PayloadType(100)
        default: PayloadType(102)
        }
    }

    init(
        _ structure: LayeredStructure, seed: UInt64,
        viewerGets extensions: HeaderExtensionMap = Negotiated.extensions
    ) throws {
        self.structure = structure
        var generator = SeededGenerator(seed: seed)
        encoders = (0..<structure.encodings).map {
            LayeredEncoder(structure, place: $0, using: &generator)
        }
        self.generator = generator
        decoder = DecoderModel(structure)
        let router = try bench.router()
        let publication = PublicationSetup(
            mid: shortID("0"), source: .camera, rids: encoders.compactMap(\.rid),
            streams: structure.encodings == 1
                ? [PublicationSetup.Stream(ssrc: encoders[0].ssrc, rtxSSRC: nil)] : [],
            feedback: [.nack, .pli])
        publisher = try bench.add(
            Self.setup(1, router, structure.codec, publications: [publication], seats: []))
        let seat = SeatSetup(
            mid: shortID("v0"), isVideo: true, ssrc: SSRC(900), rtxSSRC: SSRC(901), firstSequence: 0x7ff0,
            firstRTXSequence: 10)
        var viewing = Self.setup(2, router, structure.codec, publications: [], seats: [seat])
        viewing.extensions = extensions
        viewer = try bench.add(viewing)
        // Tests say what the seat may have; no bandwidth allocation does.
        bench.forwarder.removeLink(of: viewer, at: bench.now)
    }

    private static func setup(
        _ participant: UInt64, _ router: RouterID, _ codec: Codec, publications: [PublicationSetup],
        seats: [SeatSetup]
    ) -> PeerSetup {
        let format = PeerFormat(
            format: CodecFormat(codec: codec), payloadType: payloadType(of: codec),
            rtxPayloadType: PayloadType(payloadType(of: codec).rawValue + 1))
        return PeerSetup(
            router: router, participant: participant, localSSRC: SSRC(UInt32(participant)),
            extensions: Negotiated.extensions, formats: [format], publications: publications, seats: seats)
    }

    // MARK: What the viewer may have

    var seat: SeatID { bench.forwarder.peers[Int(viewer.index)].seats[0] }
    var publication: PublicationID { bench.forwarder.peers[Int(publisher.index)].publications[0] }

    func allot(_ layer: Layer) {
        var allotment = SeatAllotment()
        allotment.encoding = UInt8(layer.encoding)
        // Counted over all encodings, as allocation does.
        allotment.spatial = UInt8(layer.encoding + layer.spatial)
        allotment.temporal = UInt8(layer.temporal)
        allot(allotment)
    }

    func allot(_ allotment: SeatAllotment) {
        bench.forwarder.setAllotment(allotment, of: seat, at: bench.now)
    }

    struct Layer: Hashable {
        var encoding = 0
        var spatial = 0
        var temporal = 0
    }

    var allLayers: [Layer] {
        (0..<structure.encodings).flatMap { encoding in
            (0..<structure.spatials).flatMap { spatial in
                (0..<structure.describedTemporals).map {
                    Layer(encoding: encoding, spatial: spatial, temporal: $0)
                }
            }
        }
    }

    // MARK: Running

    func run(milliseconds count: Int) throws {
        for _ in 0..<count {
            milliseconds += 1
            bench.advance(.milliseconds(1))
            if milliseconds % 1_000 == 40 {
                for encoder in encoders {
                    bench.receiveControl(try encoder.senderReport(capture: capture), from: publisher)
                }
            }
            // 30 pictures a second.
            if milliseconds * 3 / 100 > capture { try takePicture() }
            deliver()
            try drain()
        }
    }

    private func takePicture() throws {
        capture = milliseconds * 3 / 100
        // The encodings of a picture are sent one after the other.
        var delay = 0
        for encoder in encoders {
            let packets = try encoder.encode(
                capture: capture, firstFrame: nextFrame, ids: &ids, using: &generator)
            nextFrame += UInt32(structure.spatials)
            for packet in packets {
                if frames[packet.mark.frame] == nil { frames[packet.mark.frame] = packet.frame }
                frames[packet.mark.frame]?.bytes += packet.payload
                send(packet.bytes, packet.mark, after: delay)
            }
            delay += 2
        }
    }

    private func send(_ bytes: [UInt8], _ mark: Mark, after delay: Int) {
        order += 1
        if generator.happens(uplink.loss) {
            frames[mark.frame]?.lost += 1
            return
        }
        var at = milliseconds + delay
        if generator.happens(uplink.repaired) { at += 60 }
        if uplink.jitter > 0 { at += generator.below(uplink.jitter + 1) }
        var bytes = bytes
        if generator.happens(corruption) {
            let places = min(60, bytes.count - Mark.length - 12)
            bytes[12 + generator.below(places)] = UInt8(generator.below(256))
        }
        queue.append((at, order, bytes))
    }

    private func deliver() {
        let due = queue.filter { $0.at <= milliseconds }.sorted { ($0.at, $0.order) < ($1.at, $1.order) }
        queue.removeAll { $0.at <= milliseconds }
        for packet in due { bench.receive(packet.bytes, from: publisher) }
    }

    private func drain() throws {
        for sent in bench.drain() {
            if !sent.isControl {
                if sent.peer == viewer { try decoder.receive(sent.bytes, at: milliseconds) }
            } else if sent.peer == publisher {
                try answer(sent.bytes)
            }
        }
    }

    private func answer(_ bytes: [UInt8]) throws {
        var reader = RTCPReader()
        while let packet = try reader.next(in: bytes.span) {
            guard packet.kind(in: bytes.span) == .pictureLossIndication else { continue }
            let media = try PictureLossIndication.parse(bytes.span.extracting(packet.range)).media
            if answersRequests { encoders.first { $0.ssrc == media }?.request() }
        }
    }

    /// Asks for packets of the seat again, by their number.
    func request(_ numbers: [UInt16]) throws {
        var bytes = [UInt8](repeating: 0, count: 1_200)
        var span = bytes.mutableSpan
        let sequences = numbers.map { SequenceNumber($0) }
        let written = try Nack.write(
            sender: SSRC(2), media: SSRC(900), sequences.span, into: &span, at: 0)
        bench.receiveControl(Array(bytes[..<written.length]), from: viewer)
        try drain()
    }
}

extension LayeredStructure {
    /// Temporal layers that a forwarder can see.
    var describedTemporals: Int { codec == .h264 && !isDescribed ? 1 : temporals }
}
