import FixedCollections
import Wire

/// One packet for one receiver, to be composed and sealed at the end of the turn.
public struct EgressEntry: BitwiseCopyable, Sendable {
    public var slot: PacketSlot
    public var seat: SeatID
    public var numbers: RewrittenNumbers
    /// A retransmission's own sequence number (RFC 4588); −1 for a first transmission.
    public var rtxSequence: Int32
}

/// The packets of a turn, a list a receiver in the order of their arrival.
///
/// Cost is kept per receiver and turn: receivers that got something are walked, nobody else.
struct EgressQueue: ~Copyable {
    struct Node: BitwiseCopyable {
        var entry: EgressEntry
        var next: Int32
    }

    struct Batch: BitwiseCopyable {
        var first: Int32 = -1
        var last: Int32 = -1
    }

    private var nodes: FixedArray<Node>
    private var used = 0
    private var batches: FixedArray<Batch>
    private var receivers: FixedArray<PeerID>
    private var receiverCount = 0
    private var walked = 0

    /// - Parameters:
    ///   - entries: packets of a turn at the most.
    ///   - peers: peers are numbered below this.
    init(entries: Int, peers: Int) {
        let numbers = RewrittenNumbers(
            extendedSequence: 0, timestamp: RTPTimestamp(0), pictureIDOffset: 0, tl0PictureIndexOffset: 0,
            keyIndexOffset: 0)
        let entry = EgressEntry(slot: .none, seat: .none, numbers: numbers, rtxSequence: -1)
        nodes = FixedArray(repeating: Node(entry: entry, next: -1), count: entries)
        batches = FixedArray(repeating: Batch(), count: peers)
        // One that has gone and another one under its number are two: each has a packet at least.
        receivers = FixedArray(repeating: PeerID(0), count: entries)
    }

    var isEmpty: Bool { used == 0 }
    var isFull: Bool { used == nodes.count }
    /// Entries that still fit.
    var room: Int { nodes.count - used }

    /// - Returns: false when the turn is full: the entry is dropped.
    mutating func append(_ entry: EgressEntry, to peer: PeerID) -> Bool {
        guard used < nodes.count else { return false }
        let index = Int32(used)
        nodes[used] = Node(entry: entry, next: -1)
        used += 1
        let last = batches[Int(peer.index)].last
        if last < 0 {
            batches[Int(peer.index)].first = index
            receivers[receiverCount] = peer
            receiverCount += 1
        } else {
            nodes[Int(last)].next = index
        }
        batches[Int(peer.index)].last = index
        return true
    }

    /// The next receiver that has packets; `nil` at the end of the walk.
    mutating func nextReceiver() -> PeerID? {
        while walked < receiverCount {
            let peer = receivers[walked]
            walked += 1
            if batches[Int(peer.index)].first >= 0 { return peer }
        }
        return nil
    }

    /// Takes the receiver's oldest packet.
    mutating func popFirst(of peer: PeerID) -> EgressEntry? {
        let first = batches[Int(peer.index)].first
        guard first >= 0 else { return nil }
        let node = nodes[Int(first)]
        batches[Int(peer.index)].first = node.next
        if node.next < 0 { batches[Int(peer.index)].last = -1 }
        return node.entry
    }

    /// Drops what is queued for a receiver that has gone.
    mutating func removeAll(of peer: PeerID) {
        batches[Int(peer.index)].first = -1
        // The peer stays in the walk's list; without packets it is passed over. Its number may come into the list again.
        if batches[Int(peer.index)].last >= 0 { batches[Int(peer.index)].last = -1 }
    }

    /// Drops what is queued for a seat that has gone, since its number may be given again within the turn.
    mutating func removeAll(of seat: SeatID, of peer: PeerID) {
        var index = batches[Int(peer.index)].first
        while index >= 0 {
            if nodes[Int(index)].entry.seat == seat { nodes[Int(index)].entry.seat = .none }
            index = nodes[Int(index)].next
        }
    }

    /// Ends the turn: everything is empty again.
    mutating func reset() {
        for index in 0..<receiverCount { batches[Int(receivers[index].index)] = Batch() }
        receiverCount = 0
        walked = 0
        used = 0
    }
}
