import FixedCollections
import Forwarding
import Wire

/// The packets of one receiver that leave together: their headers, composed, and the order in which they leave.
struct EgressBatch: ~Copyable {
    static var capacity: Int { RunOrder.capacity }
    /// Room for a header, its extensions and a descriptor.
    static var headerRoom: Int { 320 }

    private var packets: FixedArray<ComposedPacket>
    private var headers: FixedArray<UInt8>
    private var order = RunOrder()

    init() {
        let empty = ComposedPacket(
            ssrc: SSRC(0), sequence: SequenceNumber(0), headerLength: 0, prefixLength: 0, slot: .none,
            payloadOffset: 0, payloadLength: 0)
        packets = FixedArray(repeating: empty, count: Self.capacity)
        headers = FixedArray(repeating: 0, count: Self.capacity * Self.headerRoom)
    }

    var count: Int { order.count }

    var isFull: Bool { count == Self.capacity }

    mutating func removeAll() {
        order.removeAll()
    }

    /// Composes a packet behind the others; one that can't be composed is left out.
    mutating func append(_ entry: EgressEntry, from forwarder: inout Forwarder, at now: Instant) {
        let start = count * Self.headerRoom
        var all = headers.mutableSpan
        var room = all._mutatingExtracting(start..<(start + Self.headerRoom))
        guard let packet = forwarder.compose(entry, at: now, into: &room) else { return }
        packets[count] = packet
        order.append(length: packet.length, of: packet.ssrc)
    }

    /// Readies the batch to leave in as few messages as possible; see `RunOrder`.
    mutating func arrange() {
        order.arrange()
    }

    /// Which packet leaves at a position.
    func packet(at position: Int) -> Int { order.packet(at: position) }

    subscript(index: Int) -> ComposedPacket { packets[index] }

    func padding(of index: Int) -> UInt8 { order.padding(of: index) }

    /// How many packets were padded, since the start.
    var padded: UInt64 { order.padded }

    /// Header and prefix of a packet.
    @_lifetime(borrow self)
    func head(of index: Int) -> Span<UInt8> {
        let start = index * Self.headerRoom
        let length = packets[index].headerLength + packets[index].prefixLength
        return headers.span.extracting(start..<(start + length))
    }
}
