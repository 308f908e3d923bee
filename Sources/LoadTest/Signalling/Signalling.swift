public import JSON

/// What a participant wants of the server when it joins.
public struct JoinRequest: Sendable {
    public var session: String
    public var uid: String
    public var scope = "participant"
    /// An SDP offer, as a browser would make it.
    public var offer: String
    public var startsWithVideo: Bool
    /// Whether it sends anything, and how many it wants to receive: what the offer says, for servers that want it said otherwise.
    public var sends = true
    public var audioSeats = 0
    public var videoSeats = 0
}

/// Something asked of the server by one who is in a session.
public struct LoadRequest: Sendable {
    public var method: String
    public var params: JSONValue?

    public init(_ method: String, _ params: JSONValue? = nil) {
        self.method = method
        self.params = params
    }
}

/// What the server tells a participant, by the participant's number.
public enum SignallingEvent: Sendable {
    /// The way to the server stands.
    case opened
    /// Let in; the SDP answer to the offer.
    case joined(answer: String)
    /// Let in, by a server that offers itself: its SDP offer, to be answered with `answer`.
    case offered(offer: String)
    /// Not let in, or a later request was refused: the server's code for why.
    case refused(code: String)
    /// A request was answered.
    case answered(method: String, after: Duration)
    /// Something happened in the session; its name, and the fields that are looked at.
    case event(SessionEvent)
    /// The way to the server is gone.
    case closed(code: Int)
}

/// An event of a session, as far as load needs it.
public struct SessionEvent: Sendable, Equatable {
    public var name: String
    /// Who it is about, where that is read and it is one of the run's.
    public var participant: Int?
    /// Who sits where, of `seatsChanged`.
    public var seats: [SeatNews] = []
    /// How many events before this one never came.
    public var missed: Int

    public init(name: String, participant: Int? = nil, missed: Int = 0) {
        self.name = name
        self.participant = participant
        self.missed = missed
    }
}

/// Whom the server has named as the one in a seat.
public struct SeatNews: Sendable, Equatable {
    var mid: String
    var occupant: SeatOccupancy.Announced
}

/// How participants get into a session: the one part that knows which server is driven.
///
/// Requests return at once; what comes of them is told to the sink, in order for each participant. `RostrumSignalling` is
/// Rostrum's, `JanusSignalling` that of Janus; driving another forwarder takes another type like them, and nothing else.
public protocol Signalling: Sendable {
    func join(_ participant: Int, _ request: JoinRequest)
    /// The SDP answer to what `offered` has brought.
    func answer(_ participant: Int, sdp: String)
    /// A request of the session's, such as `muteAudio`.
    func request(_ participant: Int, _ request: LoadRequest)
    func leave(_ participant: Int)
    /// Ends all ways to the server, and returns when they are gone.
    func stop()
}

/// Where signalling tells what happened; called on a thread of signalling's own.
public protocol SignallingSink: Sendable {
    func signal(_ event: SignallingEvent, for participant: Int)
}
