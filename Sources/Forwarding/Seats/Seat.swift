import FixedCollections
public import Wire

/// Where a viewer receives somebody: one m-line, one SSRC, for as long as the viewer stays.
struct Seat: ~Copyable {
    let peer: PeerID
    /// Its place among the viewer's seats of its kind; the k-th audio and k-th video seat are one participant's.
    let number: Int
    let isVideo: Bool
    let mid: ShortID
    let ssrc: SSRC
    /// `nil` when the viewer takes no retransmissions on this m-line.
    let rtxSSRC: SSRC?
    let clockRate: Int
    /// See `Forwarder.setStream`.
    var stream: UInt16?
    var rtxStream: UInt16?
    /// False while the viewer receives nothing on the m-line: the seat keeps its numbers, since its SSRC comes back.
    var isActive: Bool
    /// In pixels, as the viewer shows it; `nil`: any.
    var maxHeight: Int?
    /// The viewer doesn't show it.
    var isHidden = false
    /// Nothing is forwarded to it: it is hidden, or the viewer wants no video at all.
    var isPaused = false
    /// When it was taken from somebody who could be seen.
    var reassignedAt = Instant.longAgo
    /// See `SeatingOrder.stamp`.
    var filledBy: UInt64 = 0

    /// Who was given the seat.
    var occupant = PublicationID.none
    /// Where it stands in the list of its occupant's seats.
    var place = 0
    /// What is forwarded now; the previous occupant's, until the new one's key frame.
    var current = EncodingID.none
    /// What will be forwarded from its next key frame on.
    var target = EncodingID.none
    /// Until when the previous picture may stay.
    var switchDeadline = Instant.distantFuture

    /// What bandwidth lets it have, and whose layers that is about.
    var allotted = SeatAllotment()
    var allottedTo = PublicationID.none
    /// Which layers of `current` go out.
    var selector = LayerSelector()

    var rewriter: SeatRewriter
    /// Its last packet's header.
    var template = HeaderTemplate()
    var nextRTXSequence: UInt16
    var repeats = RepeatGuard()
    var sent = SentStatistics()

    init(_ setup: SeatSetup, peer: PeerID, number: Int) {
        self.peer = peer
        self.number = number
        isVideo = setup.isVideo
        mid = setup.mid
        ssrc = setup.ssrc
        rtxSSRC = setup.rtxSSRC
        clockRate = setup.isVideo ? 90_000 : 48_000
        isActive = setup.isActive
        rewriter = SeatRewriter(clockRate: clockRate, firstSequence: setup.firstSequence & 0x7fff)
        nextRTXSequence = setup.firstRTXSequence & 0x7fff
    }
}

/// A seat as it was negotiated.
public struct SeatSetup: Sendable {
    public var mid: ShortID
    public var isVideo: Bool
    public var ssrc: SSRC
    public var rtxSSRC: SSRC?
    /// Random; only the low 15 bits are used.
    public var firstSequence: UInt16
    public var firstRTXSequence: UInt16
    /// What the viewer says of what it receives.
    public var feedback: FeedbackOptions = []
    /// False: the m-line is inactive for now.
    public var isActive = true

    public init(
        mid: ShortID, isVideo: Bool, ssrc: SSRC, rtxSSRC: SSRC?, firstSequence: UInt16,
        firstRTXSequence: UInt16
    ) {
        self.mid = mid
        self.isVideo = isVideo
        self.ssrc = ssrc
        self.rtxSSRC = rtxSSRC
        self.firstSequence = firstSequence
        self.firstRTXSequence = firstRTXSequence
    }
}

/// What a sender report says of a seat.
struct SentStatistics: BitwiseCopyable, Sendable {
    var packets: UInt32 = 0
    var octets: UInt32 = 0
    /// As the viewer reported last, of 256.
    var fractionLost: UInt8 = 0
    /// Of payload, over the last report interval.
    var bitrate = Bitrate(bitsPerSecond: 0)
    private var packetsReported: UInt32 = 0
    private var octetsMeasured: UInt32 = 0
    private var measuredAt = Instant.zero
    /// The last reports: the middle of their NTP time, and when they were sent, to measure the round trip from DLSR. More than
    /// one, as an answer may come after the next has left.
    private var reports = InlineArray<4, (middle: UInt32, at: Instant)>(repeating: (0, .zero))
    private var nextReport = 0
    private var answered: UInt32 = 0

    mutating func noteReport(_ middle: UInt32, at now: Instant) {
        reports[nextReport] = (middle, now)
        nextReport = (nextReport + 1) % 4
    }

    /// When the report with this middle of its NTP time was sent, and whether this is its first answer: later ones tell how
    /// long the way was then, not how long it is; `nil`: not lately.
    mutating func answer(to middle: UInt32) -> (sentAt: Instant, isFirst: Bool)? {
        for index in 0..<4 where reports[index].middle == middle && reports[index].at != .zero {
            let isFirst = middle != answered
            answered = middle
            return (reports[index].at, isFirst)
        }
        return nil
    }

    /// Packets since the last report of the viewer's.
    var unreported: UInt32 { packets &- packetsReported }

    /// The viewer has reported.
    mutating func takePackets() -> UInt32 {
        defer { packetsReported = packets }
        return unreported
    }

    /// Measures the bitrate, over half a second at least.
    mutating func measure(at now: Instant) {
        let elapsed = (now - measuredAt).wholeMilliseconds
        guard elapsed >= 500 else { return }
        let bits = Int(octets &- octetsMeasured) * 8
        bitrate = Bitrate(bitsPerSecond: measuredAt == .zero ? 0 : bits * 1_000 / Int(elapsed))
        octetsMeasured = octets
        measuredAt = now
    }
}

/// Remembers the last retransmissions of a seat, so that a NACK that is repeated within a round trip is ignored.
struct RepeatGuard: BitwiseCopyable, Sendable {
    struct Mark: BitwiseCopyable, Sendable {
        /// The low bits of the outgoing number.
        var out: UInt32 = 0
        /// In milliseconds, wrapping; 0 is nudged to 1, since 0 says that the mark is empty.
        var at: UInt32 = 0
    }

    /// By the low bits of the number: the newest of those that share them is remembered.
    private var marks = InlineArray<64, Mark>(repeating: Mark())

    mutating func allow(_ out: Int64, roundTrip: Duration, at now: Instant) -> Bool {
        let index = Int(out & 63)
        let milliseconds = max(1, UInt32(truncatingIfNeeded: now.nanoseconds / 1_000_000))
        let mark = marks[index]
        let low = UInt32(truncatingIfNeeded: out)
        if mark.at != 0, mark.out == low,
            milliseconds &- mark.at < UInt32(clamping: roundTrip.wholeMilliseconds)
        {
            return false
        }
        marks[index] = Mark(out: low, at: milliseconds)
        return true
    }
}
