/// One participant's media, unique for the life of the process.
public struct MediaParticipantID: Hashable, Sendable {
    public var rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// One meeting's media, unique for the life of the process.
public struct MediaSessionID: Hashable, Sendable {
    public var rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// What `Control` asks of the media workers. Each call returns after it took effect on the worker.
///
/// Calls about a participant or session that is gone do nothing, so that leaving never races with anything.
public protocol MediaPlane: Sendable {
    /// Makes the session's router on one of the workers.
    func openSession(_ session: MediaSessionID, limits: MediaLimits) async

    /// Changes the limits of a session that goes on, on all of its workers. Who is seen and heard more than they allow is
    /// so no longer when this returns.
    func setLimits(of session: MediaSessionID, to limits: MediaLimits) async

    /// Drops the router and every transport that is left on it.
    func closeSession(_ session: MediaSessionID) async

    /// Announces a participant, before its first offer.
    func join(_ participant: MediaParticipantID, session: MediaSessionID, permissions: MediaPermissions) async

    /// Applies an SDP offer (the first one, an ICE restart, more or fewer m-lines) and answers it.
    ///
    /// `sources` says what the sending m-lines carry, by mid; those not named follow the track's msid label, else
    /// their kind (camera, microphone).
    func negotiate(
        _ participant: MediaParticipantID, offer: String, sources: [String: MediaSource]
    ) async throws(MediaError) -> MediaAnswer

    /// Sets whether what a participant sends from a source is forwarded. When this returns, not one further packet of
    /// a source that is `.off` reaches anyone.
    func setSource(_ source: MediaSource, of participant: MediaParticipantID, to state: SourceState) async

    /// Changes what a participant may publish. When this returns, not one further packet of a source that it may not
    /// publish reaches anyone; a source that it may publish again is forwarded unless it is off. What it offered and
    /// wasn't allowed needs no further offer. `subscribe` counts from the next offer on.
    func setPermissions(of participant: MediaParticipantID, to permissions: MediaPermissions) async

    /// Takes in what a viewer says about what it shows and wants. It holds until it says otherwise, over all of its
    /// connections; what it said of seats that have gone is forgotten.
    func setViewing(of participant: MediaParticipantID, _ change: ViewingChange) async throws(MediaError)

    /// Drops the participant's transport and everything it published.
    func leave(_ participant: MediaParticipantID) async

    /// What happens on the workers, in the order in which it happened for each participant. One consumer.
    var events: AsyncStream<MediaEvent> { get }

    /// Bounds the video that a participant is asked to send, in bits a second in all; `nil`: nothing does.
    func setSendLimit(of participant: MediaParticipantID, to bitsPerSecond: Int?) async

    /// Bounds what a viewer is sent in all, in bits a second; `nil`: nothing but its link does.
    func setReceiveLimit(of participant: MediaParticipantID, to bitsPerSecond: Int?) async

    /// What a viewer's link carries and what its seats get; `nil` if it has no media.
    func viewerStatistics(of participant: MediaParticipantID) async -> ViewerStatistics?

    /// Counters of all workers, added up.
    func statistics() async -> MediaStatistics
}

/// What a session's settings say about who is seen and heard.
public struct MediaLimits: Sendable, Hashable {
    /// Video seats of one viewer that are filled at the most.
    public var maxVideoSeats: Int
    /// Voices that are forwarded at once.
    public var maxAudible: Int

    public init(maxVideoSeats: Int = 25, maxAudible: Int = 5) {
        self.maxVideoSeats = maxVideoSeats
        self.maxAudible = maxAudible
    }
}

public enum MediaSource: String, Sendable, CaseIterable {
    case microphone, camera, screen, screenAudio
}

public enum MediaKind: String, Sendable {
    case audio, video
}

public enum SourceState: Sendable {
    /// Forwarded.
    case live
    /// Muted, paused or not shared: nothing is forwarded.
    case off
}

public struct MediaPermissions: Sendable {
    /// Sources the participant may publish.
    public var publish: Set<MediaSource>
    /// Whether it receives anything.
    public var subscribe: Bool

    public init(publish: Set<MediaSource> = Set(MediaSource.allCases), subscribe: Bool = true) {
        self.publish = publish
        self.subscribe = subscribe
    }
}

public struct MediaAnswer: Sendable {
    public var sdp: String
    /// All seats of the participant after this negotiation, in m-line order.
    public var seats: [SeatState]
    /// Sources for which the offer has a sending m-line, by mid.
    public var published: [String: MediaSource]

    public init(sdp: String, seats: [SeatState], published: [String: MediaSource]) {
        self.sdp = sdp
        self.seats = seats
        self.published = published
    }
}

/// Who sits in a seat.
public struct SeatState: Sendable, Equatable {
    public var mid: String
    public var kind: MediaKind
    /// Nobody: the seat is free.
    public var occupant: MediaParticipantID?
    public var source: MediaSource?
    /// The occupant sends nothing from this source now.
    public var muted: Bool

    public init(
        mid: String, kind: MediaKind, occupant: MediaParticipantID?, source: MediaSource?, muted: Bool
    ) {
        self.mid = mid
        self.kind = kind
        self.occupant = occupant
        self.source = source
        self.muted = muted
    }
}

/// How loudly somebody speaks.
public struct SpeakerLevel: Sendable, Equatable {
    public var participant: MediaParticipantID
    /// Decibels above silence, 1 to 127.
    public var level: Int

    public init(participant: MediaParticipantID, level: Int) {
        self.participant = participant
        self.level = level
    }
}

/// What a publisher is asked to do with one encoding.
public struct MediaEncodingHint: Sendable, Equatable {
    public var mid: String
    /// Simulcast id; `nil`: there is only one encoding.
    public var rid: String?
    /// False: nobody needs it, or it is more than may be sent.
    public var isActive: Bool
    /// Bits a second; `nil`: it isn't limited.
    public var maxBitrate: Int?

    public init(mid: String, rid: String?, isActive: Bool, maxBitrate: Int? = nil) {
        self.mid = mid
        self.rid = rid
        self.isActive = isActive
        self.maxBitrate = maxBitrate
    }
}

public enum MediaEvent: Sendable {
    /// ICE and DTLS are up.
    case connected(MediaParticipantID)
    /// Consent expired (30 s without a check, RFC 7675) or the peer closed DTLS.
    case disconnected(MediaParticipantID)
    /// Who sits in this viewer's seats: all of them.
    case seatsChanged(MediaParticipantID, [SeatState])
    case dominantSpeakerChanged(MediaSessionID, MediaParticipantID?)
    /// Who speaks, the loudest first; at most every 500 ms, but for those who are muted or leave.
    case activeSpeakersChanged(MediaSessionID, [SpeakerLevel])
    /// What a participant is asked to send: all encodings of its videos.
    case publishHint(MediaParticipantID, [MediaEncodingHint])
    /// How well a participant is connected, 0 to 5; at most every 5 s.
    case connectionQuality(MediaParticipantID, Int)
}

public enum MediaError: Error, Sendable, Equatable {
    /// `line` is the 1-based line of the SDP that was wrong, if it was one.
    case invalidOffer(line: Int?, reason: String)
    /// No codec of this m-line is known.
    case codecUnsupported(mid: String)
    /// The workers have no room for another transport.
    case serverFull
    /// The participant has left meanwhile.
    case participantGone
    /// The viewer has no video seat of this mid, or it was named twice.
    case unknownSeat(mid: String)
    /// The viewer has pinned so many already.
    case tooManyPins(limit: Int)
}

/// Named counters and gauges, for /metrics.
public struct MediaStatistics: Sendable {
    /// Counter name (Prometheus style, without prefix) to value.
    public var counters: [String: UInt64]
    public var gauges: [String: Double]
    /// Each worker's own, by its number.
    public var workers: [WorkerStatistics]

    public init(
        counters: [String: UInt64] = [:], gauges: [String: Double] = [:], workers: [WorkerStatistics] = []
    ) {
        self.counters = counters
        self.gauges = gauges
        self.workers = workers
    }
}

/// How much one worker has to do.
public struct WorkerStatistics: Sendable, Equatable {
    /// Share of its time that it was busy over the last seconds, 0 to 1.
    public var load: Double
    /// The longest that datagrams have lately waited in the socket before the worker came to them.
    public var receiveDelay: Duration
    public var participants: Int
    /// Packets of media received and sent in a second.
    public var packetsPerSecond: Double

    public init(load: Double, receiveDelay: Duration, participants: Int, packetsPerSecond: Double) {
        self.load = load
        self.receiveDelay = receiveDelay
        self.participants = participants
        self.packetsPerSecond = packetsPerSecond
    }
}
