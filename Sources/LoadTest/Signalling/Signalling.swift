public import FixedCollections
public import JSON

/// What a participant wants of the server when it joins.
public struct JoinRequest: Sendable {
    public var session: String
    public var uid: String
    public var scope = "participant"
    /// An SDP offer, as a browser would make it.
    public var offer: String
    public var startsWithVideo: Bool
    public var layout: String?
    /// Whether it sends anything, and how many it wants to receive: what the offer says, for servers that want it said otherwise.
    public var sends = true
    public var audioSeats = 0
    public var videoSeats = 0
}

/// Something asked of the server by one who is in a session.
public struct LoadRequest: Sendable {
    public var method: String
    public var params: JSONValue?
    /// The number of the participant that it is done to, if any.
    public var target: Int?

    public init(_ method: String, _ params: JSONValue? = nil, target: Int? = nil) {
        self.method = method
        self.params = params
        self.target = target
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
    /// With the session of a call, if it was about one.
    case answered(LoadRequest, call: String?, after: Duration)
    /// The SDP answer to an offer of a new connection within the session.
    case renegotiated(answer: String)
    /// Back in the session after the way to the server was lost; so long it took.
    case resumed(after: Duration)
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
    /// The session of a call, of those that tell of calls.
    public var call: String?
    /// When the one who caused it did so, where it says.
    public var causedAt: Instant?
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
    /// Opens a way to the server without joining anything: for those who call and are called.
    func attach(_ participant: Int, uid: String)
    /// Offers a new connection within the session.
    func negotiate(_ participant: Int, offer: String)
    /// Loses the way to the server, and comes back by it to the session.
    func interrupt(_ participant: Int)
    /// Ends all ways to the server, and returns when they are gone.
    func stop()
}

extension Signalling {
    public func attach(_ participant: Int, uid: String) {}
    public func negotiate(_ participant: Int, offer: String) {}
    public func interrupt(_ participant: Int) {}
}

/// Where signalling tells what happened; called on a thread of signalling's own.
public protocol SignallingSink: Sendable {
    func signal(_ event: SignallingEvent, for participant: Int)
}
