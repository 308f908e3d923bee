public import FixedCollections
import Wire

/// The media of all sessions of one worker: who publishes, who watches, and each packet's way between them.
///
/// It owns no socket and no clock. The caller
/// 1. asks `admit` about a packet's plain header,
/// 2. opens it into a block from `takeBlock` and hands it to `receive`,
/// 3. hands opened RTCP to `receiveControl`,
/// 4. drains: `pollEvent` for what it has decided, `pollControl` for RTCP, `nextReceiver`/`popPacket`/`compose` for media,
///    `pollMirrorRequest` for what other workers are asked, and `pollEvent` again,
/// 5. ends the turn with `endTurn`, and comes back by `nextDeadline`.
public struct Forwarder: ~Copyable {
    var routers: Table<Router>
    var peers: Table<Peer>
    var publications: Table<Publication>
    var encodings: Table<Encoding>
    var seats: Table<Seat>

    var store: PacketStore
    var queue: EgressQueue
    /// Of viewers who say what their links carry.
    var links: Table<ViewerLink>
    let estimatesLinks: Bool
    var paced: PacedQueue
    var linkTimers: TimerWheel
    /// The videos of the viewer whose seats are being looked at.
    var wanted = List<WantedVideo>()
    /// When what is being handled has come.
    var turnTime: Instant

    var seating = SeatingOrder()
    var timers: TimerWheel
    /// When the routers decide who is dominant, and reseat.
    var speakerTimers: TimerWheel
    /// Routers where other people speak than was told.
    var activeRouters = List<RouterID>()
    /// Those who speak in the router that is being looked at.
    var activeVoices = List<ActiveSpeaker>()
    /// (peer, SSRC) → encoding; retransmission streams have the highest bit set.
    var streams: FixedMap<UInt64, Int32>
    var owners: StreamOwners
    var formats: [CodecFormat] = []
    var changedPeers = List<PeerID>()
    var hintedPeers = List<PeerID>()
    /// Those who are connected better or worse than was told.
    var ratedPeers = List<PeerID>()
    var forgottenStreams = List<UInt64>()
    /// Mirrors' publications of which it isn't settled yet whether their packets are wanted.
    var unsettledMirrors = List<PublicationID>()
    var mirrorRequests = List<MirrorRequest>()
    /// Those before it have been handed out.
    var nextMirrorRequest = 0
    /// Of the packet that is being taken in, if it was accepted.
    var acceptedEncoding = EncodingID.none
    let cacheLimits: CacheLimits
    var nextOrder: UInt64 = 0
    public internal(set) var counters = ForwarderCounters()

    /// Difference between the caller's clock and NTP time, for sender reports and absolute send times.
    public let clockOffset: Duration
    /// The absolute send time of the turn's packets.
    var sendTime = (at: Instant.distantFuture, value: UInt32(0))

    static var rtxFlag: Int32 { 1 << 30 }

    /// - Parameters:
    ///   - seed: a secret random number, against chosen hash collisions.
    ///   - clockOffset: what to add to an `Instant` to get the time since 1970.
    public init(limits: ForwarderLimits, seed: UInt64, clockOffset: Duration, now: Instant) {
        routers = Table(capacity: limits.routers)
        let all = limits.peers + limits.mirrors
        peers = Table(capacity: limits.peers, above: limits.mirrors)
        publications = Table(capacity: all * 4)
        encodings = Table(capacity: all * 8)
        seats = Table(capacity: limits.seats)
        store = PacketStore(capacity: limits.packets)
        queue = EgressQueue(entries: limits.packetsATurn, peers: all)
        links = Table(capacity: limits.peers)
        estimatesLinks = limits.estimatesLinks
        paced = PacedQueue(capacity: limits.packets / 4)
        linkTimers = TimerWheel(timers: limits.peers, now: now)
        turnTime = now
        timers = TimerWheel(timers: all, now: now)
        speakerTimers = TimerWheel(timers: limits.routers, now: now)
        streams = FixedMap(capacity: all * Peer.streamLimit, seed: seed)
        owners = StreamOwners(capacity: limits.peers * Peer.streamLimit, seed: seed)
        cacheLimits = limits.cache
        self.clockOffset = clockOffset
    }

    // MARK: Sessions

    /// - Returns: `nil` when the worker is full.
    public mutating func addRouter() -> RouterID? {
        routers.insert(Router()).map { RouterID($0) }
    }

    /// Drops a router; its peers must have been removed.
    public mutating func removeRouter(_ router: RouterID) {
        precondition(routers[Int(router.index)].peers.isEmpty, "a router is removed after its peers")
        speakerTimers.disarm(Int(router.index))
        activeRouters.remove(router)
        routers.remove(at: Int(router.index))
    }

    /// In the order in which they joined.
    public func peers(of router: RouterID) -> [PeerID] { routers[Int(router.index)].peers }

    public func router(of peer: PeerID) -> RouterID { peers[Int(peer.index)].router }

    // MARK: Time

    /// When `pollControl` or `pollEvent` has something to do.
    public var nextDeadline: Instant {
        min(timers.nextDeadline(), min(speakerTimers.nextDeadline(), linkTimers.nextDeadline()))
    }

    /// Sets when the peer's RTCP is due, after all that may be due was looked at. For what happens more often there is
    /// `hasten`.
    mutating func schedule(_ peer: PeerID) {
        timers.set(Int(peer.index), to: controlDeadline(of: peer))
    }

    /// Brings the peer's RTCP forward to `deadline`, unless it is due earlier; O(1).
    ///
    /// Whatever makes something due earlier calls this; what makes it due later doesn't: if nothing is due when the timer
    /// goes off, nothing is written, and the timer is set anew.
    mutating func hasten(_ peer: PeerID, to deadline: Instant) {
        timers.hasten(Int(peer.index), to: deadline)
    }

    // MARK: Blocks

    /// A block for a packet that `admit` let through; `nil` when the store is full.
    public mutating func takeBlock() -> PacketSlot? {
        guard let slot = store.take() else {
            counters.storeFull &+= 1
            return nil
        }
        return slot
    }

    /// A block whose packet couldn't be opened.
    public mutating func releaseBlock(_ slot: PacketSlot) {
        store.release(slot)
    }

    @_lifetime(&self)
    public mutating func mutableBytes(of slot: PacketSlot) -> MutableSpan<UInt8> {
        store.mutableBytes(of: slot)
    }

    @_lifetime(borrow self)
    public func bytes(of slot: PacketSlot) -> Span<UInt8> {
        store.bytes(of: slot)
    }

    /// Packets held in the store.
    public var packetCount: Int { store.count }

    // MARK: Formats

    /// The number of a format; `nil` when more are in use than can be told apart.
    mutating func formatID(of format: CodecFormat) -> FormatID? {
        if let index = formats.firstIndex(of: format) { return FormatID(UInt8(index)) }
        guard formats.count < FormatID.limit else { return nil }
        formats.append(format)
        return FormatID(UInt8(formats.count - 1))
    }
}

/// One session on this worker.
struct Router: ~Copyable {
    /// In the order in which they joined.
    var peers: [PeerID] = []
    var speakers = SpeakerTracker()
    var limits = RouterLimits()
    /// Turns to speak so far.
    var turns: UInt64 = 0
    /// Voices that are forwarded.
    var audible = List<PublicationID>()
    /// Those who speak, as it was told last, and when.
    var active = List<ActiveSpeaker>()
    var activityToldAt = Instant.longAgo
    /// When it is looked at again who speaks.
    var activityAt = Instant.distantFuture
    /// When seats that were left alone for a while may be given to somebody else.
    var reseatAt = Instant.distantFuture
}

/// Sizes of a forwarder's tables. Memory is touched as it is used.
public struct ForwarderLimits: Sendable {
    public var routers: Int
    public var peers: Int
    /// Mirrors of peers that other workers have.
    public var mirrors: Int
    public var seats: Int
    /// Packets in the store at the most, 1.5 KiB each.
    public var packets: Int
    /// Packets that one turn may send.
    public var packetsATurn: Int
    public var cache: CacheLimits
    /// Whether what viewers say about their links is looked at; else nothing but limits bounds them.
    public var estimatesLinks = true

    public init(
        routers: Int = 1_024, peers: Int = 2_048, mirrors: Int = 0, seats: Int = 65_536,
        packets: Int = 65_536, packetsATurn: Int = 32_768, cache: CacheLimits = CacheLimits()
    ) {
        self.routers = routers
        self.peers = peers
        self.mirrors = mirrors
        self.seats = seats
        self.packets = packets
        self.packetsATurn = packetsATurn
        self.cache = cache
    }
}

/// What happened to packets, since the start.
public struct ForwarderCounters: Sendable, BitwiseCopyable {
    public var received: UInt64 = 0
    public var forwarded: UInt64 = 0
    public var retransmitted: UInt64 = 0
    public var recovered: UInt64 = 0
    public var duplicates: UInt64 = 0
    public var malformed: UInt64 = 0
    public var unknownStream: UInt64 = 0
    public var notForwarded: UInt64 = 0
    public var storeFull: UInt64 = 0
    public var turnFull: UInt64 = 0
    public var nacksSent: UInt64 = 0
    public var nacksReceived: UInt64 = 0
    public var keyFrameRequests: UInt64 = 0
    /// Packets that waited for a viewer's pacer, and those of them that were dropped.
    public var paced: UInt64 = 0
    public var pacedDropped: UInt64 = 0
    /// Packets of padding that measured a viewer's link.
    public var padding: UInt64 = 0
    /// Retransmissions that a viewer's share for them had no room for.
    public var repairsRefused: UInt64 = 0
    /// Transport-cc feedback of viewers, and estimates of theirs (REMB).
    public var linkReports: UInt64 = 0

    public init() {}
}
