import FixedCollections
import Wire

/// One stream of a publication: its numbers, what is missing, its newest packets, and the seats that watch it.
struct Encoding: ~Copyable {
    let publication: PublicationID
    let peer: PeerID
    let clockRate: Int
    let isVideo: Bool
    /// Simulcast id; `nil` when there is only one encoding.
    let rid: ShortID?
    /// 0 until the first packet has told it.
    var ssrc = SSRC(0)
    var rtxSSRC = SSRC(0)

    var extender = SequenceExtender()
    var statistics: ReceiveStatistics
    var losses: LossList?
    var keyframes = KeyframeArbiter()
    var cache: RetransmissionCache
    var clock = SourceClock()
    var layers = EncodingLayers()
    var firSequence: UInt8 = 0
    /// Whether anybody needs it.
    var demand = EncodingDemand()

    /// Seats that are fed from here or wait for a key frame.
    var watchers = List<SeatID>()

    var lastArrival: Instant?
    var lastRepair: Instant?
    /// Where the newest key frame begins, and when it came.
    var keyFrame: (extended: Int64, at: Instant)?
    /// Over the last report interval.
    var bitrate = Bitrate(bitsPerSecond: 0)
    /// What it is compared by.
    var usual = UsualRate()
    var bytesMeasured: Int64 = 0
    var measuredAt = Instant.zero

    /// Packets that were dropped unopened since the last that is counted.
    var unread = 0
    /// Something was left out on purpose: seats go on without a gap.
    var isInterrupted = false

    /// Sequence numbers of the last packets that were let in, media and retransmissions.
    var lastAdmitted = SequenceNumber(0)
    var lastAdmittedRTX = SequenceNumber(0)

    init(publication: PublicationID, setup: PublicationSetup, rid: ShortID?, peer: PeerID, cache: CacheLimits)
    {
        self.publication = publication
        self.peer = peer
        self.rid = rid
        isVideo = setup.source.isVideo
        clockRate = isVideo ? 90_000 : 48_000
        statistics = ReceiveStatistics(clockRate: clockRate)
        losses = setup.feedback.contains(.nack) ? LossList() : nil
        self.cache = RetransmissionCache(
            packets: isVideo ? cache.videoPackets : cache.audioPackets,
            keep: isVideo ? cache.video : cache.audio)
    }

    /// Forgets what compares with what has come so far: packets were left unread, or the SSRC is another.
    mutating func startOver(in store: inout PacketStore) {
        extender.expectRestart()
        losses?.removeAll()
        cache.removeAll(in: &store)
        layers.startOver()
        keyFrame = nil
        unread = 0
    }

    /// Whether packets have come until now, so that what is measured isn't of a stream that has just stopped.
    func isGoingOn(at now: Instant) -> Bool {
        lastArrival.map { now - $0 < .milliseconds(500) } ?? false
    }

    /// Whether packets have come within the last second.
    func isActive(at now: Instant) -> Bool {
        lastArrival.map { now - $0 < .seconds(1) } ?? false
    }
}

/// How much of each stream is kept for retransmission.
public struct CacheLimits: Sendable {
    public var video: Duration
    public var audio: Duration
    public var videoPackets: Int
    public var audioPackets: Int

    public init(
        video: Duration = .seconds(2), audio: Duration = .seconds(1), videoPackets: Int = 2_048,
        audioPackets: Int = 128
    ) {
        self.video = video
        self.audio = audio
        self.videoPackets = videoPackets
        self.audioPackets = audioPackets
    }
}
