import FixedCollections
public import Wire

/// One peer of a router: its publications, its seats, and the state of RTCP with it.
struct Peer: ~Copyable {
    let router: RouterID
    /// The caller's name for it, handed back in events.
    let participant: UInt64
    /// The SSRC under which feedback is sent to it.
    let localSSRC: SSRC
    /// Peers of a router in the order in which they joined; the same on all workers.
    let connection: UInt64
    /// The lane of the worker that has the original of a mirror.
    var owner = -1
    var extensions = HeaderExtensionMap()
    var payloadTypes = PayloadTypeMap()

    /// Packets can reach it; until then its seats wait.
    var isReady: Bool
    var publications = List<PublicationID>()
    var seats = List<SeatID>()
    /// Those that are active, in their order; audio seat k and video seat k are a pair.
    var audioSeats = List<SeatID>()
    var videoSeats = List<SeatID>()
    /// What it shows of what it gets.
    var viewing = ViewerPreferences()
    /// Counts the router's turns to speak: its last one; 0 if it never was the dominant speaker.
    var lastTurn: UInt64 = 0
    /// See `SeatingOrder.stamp`.
    var mark: UInt64 = 0
    /// SSRCs bound to encodings; bounded, so that spraying SSRCs gains nothing.
    var boundStreams = 0
    static var streamLimit: Int { 32 }

    var roundTrip = Duration.milliseconds(100)
    var arrivals: TransportFeedbackBuilder
    var hasTransportCC = false
    var lastMediaSSRC = SSRC(0)
    /// Whether packets to it are numbered, so that it reports on each; its own sections may have the extension alone.
    var isNumbered = false
    var nextTransportSequence: UInt16 = 0
    /// What its link carries, if it says so.
    var link = LinkID.none
    /// The most that may be sent to it, by configuration and API.
    var receiveLimit: Bitrate?
    /// The most video that it is asked to send.
    var sendLimit: Bitrate?
    var isLimitUntold = false
    /// Its hints are to be looked at.
    var isHintDue = false

    /// How well it is connected.
    var meter = ConnectionMeter()

    var reportDeadline: Instant
    var feedbackDeadline = Instant.distantFuture
    /// Seats whose sender reports are still to be written in this round; −1 between rounds.
    var reportCursor = -1
    var receiverReference: (middle: UInt32, at: Instant, sender: SSRC)?
    var seatsChanged = false

    init(_ setup: PeerSetup, isReady: Bool, order: UInt64, at now: Instant) {
        self.isReady = isReady
        router = setup.router
        participant = setup.participant
        localSSRC = setup.localSSRC
        connection = setup.connection ?? order
        arrivals = TransportFeedbackBuilder()
        reportDeadline = now + .seconds(1)
    }
}

/// Everything that negotiation says about a peer. Applied again after each negotiation: sections are told apart by mid.
public struct PeerSetup: Sendable {
    public var router: RouterID
    public var participant: UInt64
    public var localSSRC: SSRC
    /// Numbers the connection in the order of joining, the same on all workers; `nil`: as they are added.
    public var connection: UInt64?
    public var extensions: HeaderExtensionMap
    public var formats: [PeerFormat]
    public var publications: [PublicationSetup]
    public var seats: [SeatSetup]

    public init(
        router: RouterID, participant: UInt64, localSSRC: SSRC, connection: UInt64? = nil,
        extensions: HeaderExtensionMap, formats: [PeerFormat], publications: [PublicationSetup],
        seats: [SeatSetup]
    ) {
        self.router = router
        self.participant = participant
        self.localSSRC = localSSRC
        self.connection = connection
        self.extensions = extensions
        self.formats = formats
        self.publications = publications
        self.seats = seats
    }
}

/// A codec format under the peer's payload types, the same in both directions (RFC 8843 section 9.1).
public struct PeerFormat: Sendable, Hashable {
    public var format: CodecFormat
    public var payloadType: PayloadType
    public var rtxPayloadType: PayloadType?

    public init(format: CodecFormat, payloadType: PayloadType, rtxPayloadType: PayloadType?) {
        self.format = format
        self.payloadType = payloadType
        self.rtxPayloadType = rtxPayloadType
    }
}

/// Payload types of a peer, by number and by format.
struct PayloadTypeMap: BitwiseCopyable {
    struct Inbound: BitwiseCopyable {
        var format = FormatID(0xff)
        var codec = Codec.opus
        var isRTX = false
    }

    struct Outbound: BitwiseCopyable {
        var payloadType: UInt8 = 0xff
        var rtxPayloadType: UInt8 = 0xff
    }

    private var inbound = InlineArray<128, Inbound>(repeating: Inbound())
    private var outbound = InlineArray<32, Outbound>(repeating: Outbound())

    mutating func map(_ format: PeerFormat, as id: FormatID) {
        let codec = format.format.codec
        inbound[Int(format.payloadType.rawValue & 127)] = Inbound(format: id, codec: codec, isRTX: false)
        if let rtx = format.rtxPayloadType {
            inbound[Int(rtx.rawValue & 127)] = Inbound(format: id, codec: codec, isRTX: true)
        }
        // The first payload type of a format is the one that the peer prefers.
        guard outbound[Int(id.index)].payloadType == 0xff else { return }
        outbound[Int(id.index)] = Outbound(
            payloadType: format.payloadType.rawValue, rtxPayloadType: format.rtxPayloadType?.rawValue ?? 0xff)
    }

    /// `nil` for a payload type that wasn't negotiated.
    func format(of payloadType: PayloadType) -> Inbound? {
        let entry = inbound[Int(payloadType.rawValue & 127)]
        return entry.format.index == 0xff ? nil : entry
    }

    func payloadType(of format: FormatID) -> PayloadType? {
        let entry = outbound[Int(format.index)]
        return entry.payloadType == 0xff ? nil : PayloadType(entry.payloadType)
    }

    /// The payload type of some format's retransmissions.
    var firstRTX: PayloadType? {
        for index in 0..<32 where outbound[index].rtxPayloadType != 0xff {
            return PayloadType(outbound[index].rtxPayloadType)
        }
        return nil
    }

    func rtxPayloadType(of format: FormatID) -> PayloadType? {
        let entry = outbound[Int(format.index)]
        return entry.rtxPayloadType == 0xff ? nil : PayloadType(entry.rtxPayloadType)
    }
}
