/// What a viewer says about what it shows and wants. It concerns nobody else.
public enum ViewingChange: Sendable, Equatable {
    /// How it arranges what it gets; and of video seats, how each is shown: those that aren't named are shown at any
    /// size. `nil`: the seats are shown as before.
    case layout(ViewingLayout, seats: [SeatWish]?)
    /// Wants to see somebody's camera or screen, whoever speaks.
    case pin(MediaParticipantID, MediaSource)
    case unpin(MediaParticipantID, MediaSource)
    /// How much it wants to receive; in place of what it said before.
    case limits(ReceiveLimits)
}

public enum ViewingLayout: String, Sendable, CaseIterable {
    case tile, spotlight, sidebar
}

/// How a video seat is shown.
public struct SeatWish: Sendable, Equatable {
    public var mid: String
    /// Pixels; `nil`: any.
    public var maxHeight: Int?
    /// It isn't shown at all.
    public var isPaused: Bool

    public init(mid: String, maxHeight: Int?, isPaused: Bool) {
        self.mid = mid
        self.maxHeight = maxHeight
        self.isPaused = isPaused
    }
}

/// How much a viewer wants to receive.
public struct ReceiveLimits: Sendable, Equatable {
    /// Bits a second of all that is sent to it; `nil`: what its link carries.
    public var maxBitrate: Int?
    /// Video seats that are filled at the most; `nil`: all.
    public var lastN: Int?
    /// No video at all.
    public var isVideoPaused: Bool

    public init(maxBitrate: Int? = nil, lastN: Int? = nil, isVideoPaused: Bool = false) {
        self.maxBitrate = maxBitrate
        self.lastN = lastN
        self.isVideoPaused = isVideoPaused
    }
}
