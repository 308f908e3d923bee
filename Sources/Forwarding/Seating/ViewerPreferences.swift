public import Wire

/// What a viewer has said about what it shows, and how much it wants to receive.
///
/// It concerns this viewer only. Nothing is said at first: every seat is shown, at any size, and nobody is pinned.
public struct ViewerPreferences: Sendable, Equatable {
    /// How the viewer arranges what it gets. It matters for seating only: in `spotlight`, seats that are paused stay
    /// empty, so that whoever speaks sits in one that is shown.
    public enum Layout: UInt8, Sendable, BitwiseCopyable, CaseIterable {
        case tile, spotlight, sidebar
    }

    /// How one video seat is shown.
    public struct SeatWish: Sendable, Hashable, BitwiseCopyable {
        public var mid: ShortID
        /// Pixels; a higher picture is of no use there. `nil`: any.
        public var maxHeight: Int?
        /// It isn't shown: nothing is forwarded to it.
        public var isPaused: Bool

        public init(mid: ShortID, maxHeight: Int?, isPaused: Bool) {
            self.mid = mid
            self.maxHeight = maxHeight
            self.isPaused = isPaused
        }
    }

    /// Somebody whom the viewer wants to see, whoever speaks.
    public struct Pin: Sendable, Hashable, BitwiseCopyable {
        /// The participant's name as its `PeerSetup` gave it.
        public var participant: UInt64
        /// The camera or the screen.
        public var source: Source

        public init(participant: UInt64, source: Source) {
            self.participant = participant
            self.source = source
        }
    }

    /// Pins that a viewer may have.
    public static var pinLimit: Int { 16 }

    public var layout = Layout.tile
    /// Of the seats that were named; the others are shown at any size.
    public var seats: [SeatWish] = []
    /// First pinned first. Of those who aren't there nothing comes.
    public private(set) var pinned: [Pin] = []
    /// Of all that is sent to the viewer; `nil`: what its link carries.
    public var maxBitrate: Bitrate?
    /// Video seats that are filled at the most; `nil`: all.
    public var lastN: Int?
    /// No video is forwarded at all.
    public var isVideoPaused = false

    public init() {}

    /// What was said about a seat; nothing was, if it isn't named.
    public func wish(for mid: ShortID) -> SeatWish {
        seats.first { $0.mid == mid } ?? SeatWish(mid: mid, maxHeight: nil, isPaused: false)
    }

    /// Pins somebody behind those who are pinned already.
    ///
    /// - Returns: false when there are as many as may be; pinned already is all right.
    public mutating func pin(_ pin: Pin) -> Bool {
        guard !pinned.contains(pin) else { return true }
        guard pinned.count < Self.pinLimit else { return false }
        pinned.append(pin)
        return true
    }

    public mutating func unpin(_ pin: Pin) {
        pinned.removeAll { $0 == pin }
    }

    /// Forgets pins of those who have gone.
    public mutating func unpinAll(except isThere: (UInt64) -> Bool) {
        pinned.removeAll { !isThere($0.participant) }
    }

    /// Forgets what was said about seats that have gone.
    public mutating func keepSeats(_ isThere: (ShortID) -> Bool) {
        seats.removeAll { !isThere($0.mid) }
    }
}
