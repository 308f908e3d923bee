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

    /// Who was given the seat.
    var occupant = PublicationID.none
    /// What is forwarded now; the previous occupant's, until the new one's key frame.
    var current = EncodingID.none
    /// What will be forwarded from its next key frame on.
    var target = EncodingID.none
    /// Until when the previous picture may stay.
    var switchDeadline = Instant.distantFuture

    var rewriter: SeatRewriter
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
    /// The last report: the middle of its NTP time, and when it was sent, to measure the round trip from DLSR.
    var reportNTP: UInt32 = 0
    var reportedAt = Instant.zero
}

/// Remembers the last retransmissions of a seat, so that a NACK that is repeated within a round trip is ignored.
struct RepeatGuard: BitwiseCopyable, Sendable {
    private struct Mark: BitwiseCopyable, Sendable {
        var out: Int64 = -1
        var at = Instant.zero
    }

    private var marks = InlineArray<32, Mark>(repeating: Mark())
    private var next = 0

    mutating func allow(_ out: Int64, roundTrip: Duration, at now: Instant) -> Bool {
        for index in 0..<32 where marks[index].out == out {
            guard now >= marks[index].at + roundTrip else { return false }
            marks[index].at = now
            return true
        }
        marks[next] = Mark(out: out, at: now)
        next = (next + 1) % 32
        return true
    }
}
