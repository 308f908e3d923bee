import FixedCollections
import Wire

@testable import Forwarding

/// A participant of a simulation: what it sends, its seats, and both directions of its path.
final class SimulatedPeer {
    let participant: UInt64
    var id = PeerID(0)
    /// The worker that has it, and its mirrors on the others.
    var worker = 0
    var mirrors: [Int: PeerID] = [:]
    var uplink = Link()
    var downlink = Link()
    /// What was sent again so lately isn't sent once more.
    var ignoresRepeats = Duration.zero
    /// When packets were sent again, by SSRC and number.
    private var answered: [UInt64: Instant] = [:]
    let senders: [SimulatedSender]
    var receivers: [SeatReceiver] = []
    private(set) var setup: PeerSetup
    var hasLeft = false
    /// What its path to it carries; `nil`: anything.
    var bottleneck: NarrowLink?
    /// How it says what it carries.
    private(set) var voice: LinkVoice?

    /// Transport-wide numbers, and what the feedback said of each: how often it was reported as received.
    var transportSequence: UInt16 = 65_400
    var reported: [UInt16: Int] = [:]
    var feedbackMessages = 0
    /// Packets that came with a transport-wide number of the server's.
    private(set) var numbered = 0

    init(
        participant: UInt64, router: RouterID, senders: [SimulatedSender], seats: Int, audioSeats: Int? = nil,
        feedback: FeedbackOptions = [.nack, .pli, .transportCC]
    ) {
        self.participant = participant
        self.senders = senders
        let base = UInt32(participant) * 1_000 + 500
        var seatSetups: [SeatSetup] = []
        for (isVideo, count) in [(false, audioSeats ?? seats), (true, seats)] {
            for number in 0..<count {
                let ssrc = base + UInt32(number) * 4 + (isVideo ? 2 : 200)
                seatSetups.append(
                    SeatSetup(
                        mid: shortID("\(isVideo ? "v" : "a")\(number)"), isVideo: isVideo,
                        ssrc: SSRC(ssrc), rtxSSRC: isVideo ? SSRC(ssrc + 1) : nil,
                        firstSequence: 0x7ff0, firstRTXSequence: 0x7ff0))
            }
        }
        setup = Self.setup(participant, router, senders, seatSetups, feedback)
        receivers = seatSetups.map {
            SeatReceiver(ssrc: $0.ssrc, rtxSSRC: $0.rtxSSRC, isVideo: $0.isVideo)
        }
    }

    private static func setup(
        _ participant: UInt64, _ router: RouterID, _ senders: [SimulatedSender], _ seats: [SeatSetup],
        _ feedback: FeedbackOptions
    ) -> PeerSetup {
        var publications: [PublicationSetup] = []
        for sender in senders where !publications.contains(where: { $0.mid == sender.mid }) {
            let rids = senders.filter { $0.mid == sender.mid }.compactMap(\.rid)
            publications.append(
                PublicationSetup(mid: sender.mid, source: sender.source, rids: rids, feedback: feedback))
        }
        return PeerSetup(
            router: router, participant: participant, localSSRC: SSRC(UInt32(participant)),
            extensions: Negotiated.extensions,
            formats: [
                PeerFormat(
                    format: CodecFormat(codec: .opus), payloadType: Negotiated.opus, rtxPayloadType: nil),
                PeerFormat(
                    format: CodecFormat(codec: .vp8), payloadType: Negotiated.vp8,
                    rtxPayloadType: Negotiated.vp8RTX),
            ],
            publications: publications, seats: seats)
    }

    /// Numbers the connection and its publications, as a session on several workers needs it.
    func number(_ number: UInt64) {
        setup.connection = number
        for index in setup.publications.indices { setup.publications[index].order = number }
    }

    /// Lets it say what its link carries, as was negotiated.
    func tell(by feedback: FeedbackOptions, sends: FeedbackOptions? = nil) {
        for index in setup.seats.indices { setup.seats[index].feedback = feedback }
        voice = LinkVoice(sends ?? feedback)
    }

    var videoReceivers: [SeatReceiver] { receivers.filter(\.isVideo) }
    var audioReceivers: [SeatReceiver] { receivers.filter { !$0.isVideo } }

    func sender(_ source: Source) -> SimulatedSender? { senders.first { $0.source == source } }

    // MARK: What arrives

    func receive(_ bytes: [UInt8], at now: Instant) {
        voice?.note(bytes, waited: bottleneck?.lastWait ?? 0, at: now)
        guard let packet = ReadPacket(bytes) else { return }
        if packet.transportSequence != nil { numbered += 1 }
        for receiver in receivers
        where receiver.ssrc == packet.header.ssrc || receiver.rtxSSRC == packet.header.ssrc {
            receiver.receive(packet, at: now)
        }
    }

    /// - Returns: what it sends again.
    func receiveControl(_ bytes: [UInt8], at now: Instant) throws -> [[UInt8]] {
        var resent: [[UInt8]] = []
        var reader = RTCPReader()
        while let packet = try reader.next(in: bytes.span) {
            let body = bytes.span.extracting(packet.range)
            switch packet.kind(in: bytes.span) {
            case .nack: resent += try answer(body, at: now)
            case .pictureLossIndication: refresh(try PictureLossIndication.parse(body).media, at: now)
            case .transportFeedback:
                var feedback = try TransportFeedback.parse(body)
                feedbackMessages += 1
                while let status = feedback.next(in: body) {
                    if status.isReceived { reported[status.sequenceNumber.rawValue, default: 0] += 1 }
                }
            case .senderReport:
                let report = try SenderReport.parse(body)
                receivers.first { $0.ssrc == report.ssrc }?.receive(report, at: now)
            case .receiverReport:
                let report = try ReceiverReport.parse(body)
                for index in 0..<report.blocks.count {
                    let block = report.blocks.block(index, in: body)
                    senders.first { $0.ssrc == block.ssrc }?.report = block
                }
            default: break
            }
        }
        return resent
    }

    private func answer(_ body: Span<UInt8>, at now: Instant) throws -> [[UInt8]] {
        var nack = try Nack.parse(body)
        guard let sender = senders.first(where: { $0.ssrc == nack.media }) else { return [] }
        var resent: [[UInt8]] = []
        while let number = nack.next(in: body) {
            let key = UInt64(sender.ssrc.rawValue) << 16 | UInt64(number.rawValue)
            if let last = answered[key], now - last < ignoresRepeats { continue }
            answered[key] = now
            if let bytes = try sender.retransmission(of: number, transport: &transportSequence) {
                resent.append(bytes)
            }
        }
        return resent
    }

    private func refresh(_ ssrc: SSRC, at now: Instant) {
        guard let sender = senders.first(where: { $0.ssrc == ssrc }) else { return }
        sender.refreshes.append(now)
        sender.wantsKeyFrame = true
    }

    // MARK: What it reports

    /// The requests for packets that are due.
    func requests(at now: Instant) throws -> [[UInt8]] {
        var datagrams = try voice?.messages(at: now) ?? []
        for receiver in receivers {
            let numbers = receiver.takeMissing(at: now)
            guard !numbers.isEmpty else { continue }
            var bytes = [UInt8](repeating: 0, count: 1_200)
            var span = bytes.mutableSpan
            let written = try Nack.write(
                sender: SSRC(1), media: receiver.ssrc, numbers.span, into: &span, at: 0)
            datagrams.append(Array(bytes[..<written.length]))
        }
        return datagrams
    }

    func report(at now: Instant) throws -> [UInt8] {
        let blocks = receivers.filter { $0.packets > 0 }.prefix(31).map { $0.reportBlock(at: now) }
        var bytes = [UInt8](repeating: 0, count: 1_200)
        var span = bytes.mutableSpan
        let length = try ReceiverReport(ssrc: SSRC(1)).write(blocks: blocks.span, into: &span, at: 0)
        return Array(bytes[..<length])
    }
}

/// One direction of a path.
struct Link {
    var loss = 0.0
    var delay = Duration.milliseconds(20)
    /// A delay up to this comes on top, for each packet on its own: packets overtake each other.
    var jitter = Duration.zero
    var duplication = 0.0
}
