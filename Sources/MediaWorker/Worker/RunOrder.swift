import FixedCollections
import Wire

/// The order in which a receiver's packets leave, and how much each is padded.
///
/// Packets of one length behind one another leave as one message, and a message costs far more than a packet in it. So
/// packets of nearly equal length are brought together and padded to the longest; one shorter packet may end a run.
/// The packets of a stream keep their order.
struct RunOrder: ~Copyable {
    static var capacity: Int { 64 }
    static var largestPadding: Int { 16 }
    /// Streams that one run may pass over; with more of them the run ends.
    private static var skipLimit: Int { 8 }

    private var lengths: FixedArray<Int32>
    private var streams: FixedArray<UInt32>
    private var positions: FixedArray<UInt8>
    private var paddings: FixedArray<UInt8>
    /// How many packets were made longer, since the start.
    private(set) var padded: UInt64 = 0
    private(set) var count = 0
    /// Bits of the packets that have a place.
    private var placed: UInt64 = 0

    init() {
        lengths = FixedArray(repeating: 0, count: Self.capacity)
        streams = FixedArray(repeating: 0, count: Self.capacity)
        positions = FixedArray(repeating: 0, count: Self.capacity)
        paddings = FixedArray(repeating: 0, count: Self.capacity)
    }

    /// Empties it.
    mutating func removeAll() {
        count = 0
    }

    /// Adds a packet behind the others, `length` bytes long; it leaves as it came until `arrange` is called.
    mutating func append(length: Int, of stream: SSRC) {
        precondition(count < Self.capacity, "a batch has at most 64 packets")
        lengths[count] = Int32(truncatingIfNeeded: length)
        streams[count] = stream.rawValue
        positions[count] = UInt8(truncatingIfNeeded: count)
        paddings[count] = 0
        count += 1
    }

    /// Which packet, by its number in the order of `append`, leaves at a position.
    func packet(at position: Int) -> Int { Int(positions[position]) }

    /// Bytes of padding of a packet.
    func padding(of packet: Int) -> UInt8 { paddings[packet] }

    /// Brings packets of nearly equal length together.
    ///
    /// - Complexity: O(`count`) a run.
    mutating func arrange() {
        placed = 0
        var position = 0
        while position < count {
            let first = (~placed).trailingZeroBitCount
            position = placeRun(from: first, at: position)
        }
    }

    private mutating func place(_ packet: Int, at position: Int) {
        positions[position] = UInt8(truncatingIfNeeded: packet)
        placed |= 1 << UInt64(packet)
    }

    /// Places the run that begins with a packet, and a shorter packet behind it.
    ///
    /// - Returns: the next free position.
    private mutating func placeRun(from first: Int, at start: Int) -> Int {
        var (shortest, longest) = (lengths[first], lengths[first])
        var end = start + 1
        place(first, at: start)
        var skipped = InlineArray<8, UInt32>(repeating: 0)
        var skippedCount = 0
        var tail = -1
        var index = first + 1
        while index < count {
            defer { index += 1 }
            guard placed >> UInt64(index) & 1 == 0 else { continue }
            var isBehind = false
            for number in 0..<skippedCount where skipped[number] == streams[index] { isBehind = true }
            guard !isBehind else { continue }
            let low = min(shortest, lengths[index])
            let high = max(longest, lengths[index])
            if high - low <= min(Int32(Self.largestPadding), high / 33) {
                (shortest, longest) = (low, high)
                place(index, at: end)
                end += 1
                continue
            }
            if tail < 0, lengths[index] < shortest { tail = index }
            guard skippedCount < Self.skipLimit else { break }
            skipped[skippedCount] = streams[index]
            skippedCount += 1
        }
        let hasTail = tail >= 0
        if hasTail {
            place(tail, at: end)
            end += 1
        }
        // The last packet of a message may stay shorter.
        for position in start..<end - 1 {
            let packet = packet(at: position)
            let padding = UInt8(truncatingIfNeeded: longest - lengths[packet])
            paddings[packet] = padding
            padded &+= padding > 0 ? 1 : 0
        }
        return end
    }
}
