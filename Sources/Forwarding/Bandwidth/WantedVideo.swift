public import Wire

/// Who sits on one of a viewer's seats, and what the viewer wants of it.
public struct WantedVideo: Sendable, BitwiseCopyable {
    public var seat: SeatID
    /// Camera or screen.
    public var source: Source
    /// False: muted, paused by the publisher, or nobody is there.
    public var isLive = true
    /// A screen share, pinned, or the dominant speaker.
    public var isOnStage = false
    /// The viewer doesn't want it now.
    public var isPaused = false
    /// Lines that the viewer shows at the most; `nil`: not known.
    public var maxHeight: Int?
    public var layers = VideoLayers()
    /// What is being sent to the seat; `nil` if nothing is.
    public var current: VideoLayer?

    public init(seat: SeatID, source: Source) {
        self.seat = seat
        self.source = source
    }
}

/// What bounds a viewer's media beside its link.
public struct AllocationLimits: Hashable, Sendable, BitwiseCopyable {
    /// The viewer's own (`setReceiveLimits`).
    public var receive: Bitrate?
    /// The lowest of those that the configuration and the API set for the participant, the session and the server.
    public var server: Bitrate?
    /// How many videos the viewer wants.
    public var lastN: Int?
    /// The viewer wants no video at all.
    public var isVideoPaused = false
    /// Percent of what voices and the first video's lowest layer take that the estimate must have room for, so that this layer
    /// is given, if it isn't by the rules for all; `nil`: it isn't. The limits hold all the same.
    public var roomForFirst: Int?

    public init() {}
}

/// Why a seat doesn't show more than it does.
public enum LayerReason: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// The link, or the bitrate that the viewer has set for itself.
    case bandwidth
    /// The viewer shows it no larger.
    case viewport
    /// The viewer wants fewer videos.
    case lastN
    /// The viewer has paused it.
    case paused
    /// Its publisher sends nothing.
    case sourceOff
    /// A limit of the configuration or the API.
    case serverLimit
}

/// What a seat is given, and why not more.
public struct SeatDecision: Hashable, Sendable, BitwiseCopyable {
    public var seat: SeatID
    /// `nil`: nothing is sent.
    public var layer: VideoLayer?
    /// `nil`: it is the best that there is.
    public var reason: LayerReason?
    /// What the next better layer that the seat may have would take in place of this one, if bitrate is what is missing.
    public var needed: Bitrate?
}

/// The numbers behind a viewer's decisions.
public struct AllocationNumbers: Hashable, Sendable, BitwiseCopyable {
    /// What the link carries now, and what it has carried for at least the last 2.5 s.
    public var estimate = Bitrate(bitsPerSecond: 0)
    public var stableEstimate = Bitrate(bitsPerSecond: 0)
    /// What all limits leave of it.
    public var budget = Bitrate(bitsPerSecond: 0)
    /// What audio has of it, before all video.
    public var audio = Bitrate(bitsPerSecond: 0)
    public var video = Bitrate(bitsPerSecond: 0)
    /// What the viewer would be sent if bitrate were no matter: for `BandwidthEstimator.setDemand`.
    public var demand = Bitrate(bitsPerSecond: 0)
}
