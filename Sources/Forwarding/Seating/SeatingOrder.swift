import FixedCollections

/// The sources of a router in the order of their claim to a seat, and the lists of the viewer who is being seated.
///
/// It is built anew for each change and shared by all viewers, so that a viewer costs no more than its own seats. The lists
/// keep their memory: seating allocates nothing once they have grown.
struct SeatingOrder: ~Copyable {
    /// Of those who spoke, so many of the latest go before the others.
    static var speakerLimit: Int { 64 }

    /// Screens that are shared, in the order in which sharing began.
    var screens = List<PublicationID>()
    /// Cameras of those who were the dominant speaker, the latest first.
    var speakers = List<PublicationID>()
    /// The other cameras that are on, in join order.
    var cameras = List<PublicationID>()
    var camerasOff = List<PublicationID>()
    /// Sound of screens that are shared.
    var sounds = List<PublicationID>()
    /// Microphones that are on, in join order.
    var voices = List<PublicationID>()
    var voicesOff = List<PublicationID>()

    /// Where everybody is; empty until somebody has pinned somebody.
    var participants: [UInt64: PeerID] = [:]

    /// Whom the viewer wants, first who matters most.
    var wanted = List<PublicationID>()
    /// How many it can have.
    var limit = 0
    /// Seats that may be given to somebody else.
    var free = List<SeatID>()
    /// Somebody who matters isn't wanted only for want of a seat.
    var isTurnedAway = false

    /// Tells a viewer's marks on publications from those of the viewer before: even ones for who is wanted, and the odd
    /// ones behind them for who has a seat already.
    private(set) var stamp: UInt64 = 0

    var seatedStamp: UInt64 { stamp + 1 }

    init() {}

    mutating func removeAll() {
        screens.removeAll()
        speakers.removeAll()
        cameras.removeAll()
        camerasOff.removeAll()
        sounds.removeAll()
        voices.removeAll()
        voicesOff.removeAll()
        if !participants.isEmpty { participants.removeAll(keepingCapacity: true) }
    }

    /// Begins with seats of a viewer of which `limit` can be filled.
    mutating func beginSeats(limit: Int) {
        stamp += 2
        self.limit = limit
        wanted.removeAll()
        free.removeAll()
        isTurnedAway = false
    }

    var isFull: Bool { wanted.count >= limit }
}
