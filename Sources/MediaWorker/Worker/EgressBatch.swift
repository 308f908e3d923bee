import FixedCollections
import Forwarding
import Wire

/// The packets of one receiver that leave together: their headers, composed, and how long each will be.
///
/// Packets of one picture differ by a byte or so. Those that are padded to the same length leave as one message, which
/// costs much less than a message each; the padding is kept below 3 % of what is sent.
struct EgressBatch: ~Copyable {
    static var capacity: Int { 64 }
    /// Room for a header, its extensions and a descriptor.
    static var headerRoom: Int { 320 }
    static var largestPadding: Int { 16 }

    private(set) var count = 0
    private var packets: FixedArray<ComposedPacket>
    private var paddings: FixedArray<UInt8>
    private var headers: FixedArray<UInt8>

    init() {
        let empty = ComposedPacket(
            ssrc: SSRC(0), sequence: SequenceNumber(0), headerLength: 0, prefixLength: 0, slot: .none,
            payloadOffset: 0, payloadLength: 0)
        packets = FixedArray(repeating: empty, count: Self.capacity)
        paddings = FixedArray(repeating: 0, count: Self.capacity)
        headers = FixedArray(repeating: 0, count: Self.capacity * Self.headerRoom)
    }

    var isFull: Bool { count == Self.capacity }

    mutating func removeAll() {
        count = 0
    }

    /// Composes a packet behind the others; one that can't be composed is left out.
    mutating func append(_ entry: EgressEntry, from forwarder: inout Forwarder, at now: Instant) {
        let start = count * Self.headerRoom
        var all = headers.mutableSpan
        var room = all._mutatingExtracting(start..<(start + Self.headerRoom))
        guard let packet = forwarder.compose(entry, at: now, into: &room) else { return }
        packets[count] = packet
        paddings[count] = 0
        count += 1
    }

    subscript(index: Int) -> ComposedPacket { packets[index] }

    func padding(of index: Int) -> UInt8 { paddings[index] }

    /// Header and prefix of a packet.
    @_lifetime(borrow self)
    func head(of index: Int) -> Span<UInt8> {
        let start = index * Self.headerRoom
        let length = packets[index].headerLength + packets[index].prefixLength
        return headers.span.extracting(start..<(start + length))
    }

    /// Gives runs of nearly equal packets the same length. The last packet of a run may stay shorter.
    mutating func pad() {
        var first = 0
        while first < count {
            let (end, longest) = run(from: first)
            // A run of one, or the last packet of a run, needs no padding.
            for index in first..<max(first, end - 1) {
                paddings[index] = UInt8(longest - packets[index].length)
            }
            first = end
        }
    }

    /// The packets from `first` on that can be made equal, and the longest one's length.
    private func run(from first: Int) -> (end: Int, longest: Int) {
        var shortest = packets[first].length
        var longest = shortest
        var end = first + 1
        while end < count {
            let length = packets[end].length
            let low = min(shortest, length)
            let high = max(longest, length)
            guard high - low <= min(Self.largestPadding, high / 33) else { break }
            (shortest, longest) = (low, high)
            end += 1
        }
        return (end, longest)
    }
}
