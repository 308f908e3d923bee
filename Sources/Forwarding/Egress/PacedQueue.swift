import FixedCollections
import Wire

/// A packet that waits until its viewer's pacer lets it out.
struct WaitingPacket: BitwiseCopyable {
    var entry: EgressEntry
    /// What the block held when the packet was queued: it may be another one by now.
    var encoding = EncodingID.none
    var extended: Int64 = 0
    var arrival = Instant.zero
    var queuedAt = Instant.zero
    /// Bytes on the link.
    var bytes: Int32 = 0
}

/// One viewer's packets in a `PacedQueue`, first transmissions or retransmissions.
struct PacedLine: BitwiseCopyable {
    fileprivate var first: Int32 = -1
    fileprivate var last: Int32 = -1
    fileprivate(set) var count = 0
    /// Bytes on the link.
    fileprivate(set) var bytes = 0

    var isEmpty: Bool { count == 0 }
}

/// Packets of all viewers that wait for their pacers, a line a viewer and kind, from one supply of places.
///
/// It holds no block of the store: whoever takes a packet out looks whether its block still has it.
struct PacedQueue: ~Copyable {
    /// Packets that one viewer may have waiting.
    static var lineLimit: Int { 1_024 }

    struct Node: BitwiseCopyable {
        var packet: WaitingPacket
        var next: Int32
    }

    private var nodes: FixedArray<Node>
    private var firstFree: Int32 = -1
    /// Places from here on were never used.
    private var untouched = 0
    private(set) var count = 0

    /// - Parameter capacity: packets of all viewers together.
    init(capacity: Int) {
        let numbers = RewrittenNumbers(
            extendedSequence: 0, timestamp: RTPTimestamp(0), pictureIDOffset: 0, tl0PictureIndexOffset: 0,
            keyIndexOffset: 0)
        let entry = EgressEntry(slot: .none, seat: .none, numbers: numbers, rtxSequence: -1)
        nodes = FixedArray(repeating: Node(packet: WaitingPacket(entry: entry), next: -1), count: capacity)
    }

    /// Puts a packet at the line's end.
    ///
    /// - Returns: false when there is no place: the packet is dropped.
    mutating func append(_ packet: WaitingPacket, to line: inout PacedLine) -> Bool {
        guard line.count < Self.lineLimit, let index = takePlace() else { return false }
        nodes[Int(index)] = Node(packet: packet, next: -1)
        if line.last < 0 { line.first = index } else { nodes[Int(line.last)].next = index }
        line.last = index
        line.count += 1
        line.bytes += Int(packet.bytes)
        count += 1
        return true
    }

    private mutating func takePlace() -> Int32? {
        if firstFree >= 0 {
            let index = firstFree
            firstFree = nodes[Int(index)].next
            return index
        }
        guard untouched < nodes.count else { return nil }
        untouched += 1
        return Int32(untouched - 1)
    }

    /// The line's oldest packet.
    func first(of line: PacedLine) -> WaitingPacket? {
        line.first < 0 ? nil : nodes[Int(line.first)].packet
    }

    /// Takes the line's oldest packet out.
    @discardableResult
    mutating func popFirst(of line: inout PacedLine) -> WaitingPacket? {
        guard line.first >= 0 else { return nil }
        let index = line.first
        let node = nodes[Int(index)]
        line.first = node.next
        if node.next < 0 { line.last = -1 }
        line.count -= 1
        line.bytes -= Int(node.packet.bytes)
        nodes[Int(index)].next = firstFree
        firstFree = index
        count -= 1
        return node.packet
    }

    mutating func removeAll(of line: inout PacedLine) {
        while popFirst(of: &line) != nil {}
    }

    /// Marks a seat's packets, so that they aren't sent: its number may be given to another.
    mutating func forget(_ seat: SeatID, in line: PacedLine) {
        var index = line.first
        while index >= 0 {
            if nodes[Int(index)].packet.entry.seat == seat { nodes[Int(index)].packet.entry.seat = .none }
            index = nodes[Int(index)].next
        }
    }

    /// Marks all packets of an encoding that goes, so that they aren't taken for another's.
    mutating func forget(_ encoding: EncodingID) {
        guard count > 0 else { return }
        for index in 0..<untouched where nodes[index].packet.encoding == encoding {
            nodes[index].packet.entry.seat = .none
        }
    }
}
