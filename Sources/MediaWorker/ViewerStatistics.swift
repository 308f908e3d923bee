/// What a viewer's link carries, what is sent over it, and why each seat gets no more.
public struct ViewerStatistics: Sendable, Equatable {
    /// What the estimate is made of: `unheard` (nothing was heard from the viewer yet), `transportCC`, `receiver` (its own
    /// estimate), `unknown` (it doesn't say).
    public var basis: String
    /// Bits a second that the link carries, headers included; `nil`: it isn't known.
    public var estimate: Int?
    /// What limits leave of it, and what of that voices and videos are allowed; bits a second.
    public var budget: Int?
    public var audio: Int
    public var video: Int
    /// What would be sent if bitrate were no matter.
    public var demand: Int
    /// Milliseconds, there and back, and in queues on the way; `nil`: not measured.
    public var roundTrip: Double
    public var queueing: Double?
    /// Share of packets lost on the way, 0 to 1; `nil`: not measured.
    public var loss: Double?
    /// All seats of the viewer, audio and video each in their order.
    public var seats: [Seat]

    public struct Seat: Sendable, Equatable {
        public var state: SeatState
        /// Something is sent.
        public var isSent: Bool
        /// The simulcast encoding that is sent; `nil`: none, or there is only one.
        public var rid: String?
        /// The best layers that are sent, counted from 0; spatial ones over all encodings, the smallest first.
        public var spatial = 0
        public var temporal = 0
        /// Lines of the picture; `nil`: the stream doesn't say, or it is sound.
        public var height: Int?
        /// Bits a second of payload, over the last second.
        public var bitrate: Int
        /// Share of packets lost, 0 to 1, as the viewer reported last.
        public var loss: Double
        /// Why it isn't the best layer: `bandwidth`, `viewport`, `lastN`, `paused`, `sourceOff`, `serverLimit`; `nil`: it is.
        public var reason: String?
        /// Bits a second that the next better layer would take, if bitrate is what is missing.
        public var needed: Int?

        public init(state: SeatState) {
            self.state = state
            isSent = false
            bitrate = 0
            loss = 0
        }
    }

    public init(seats: [Seat] = []) {
        basis = "unknown"
        audio = 0
        video = 0
        demand = 0
        roundTrip = 0
        self.seats = seats
    }
}
