import Wire

/// Extends the 16-bit sequence numbers of a stream to 64 bits that only grow.
///
/// A jump of more than `largestJump` forward, or a packet older than that, can't be a gap or reordering on a living
/// path: the sender has started over. The count then goes on in a new stretch, so that no number is used twice.
struct SequenceExtender: BitwiseCopyable, Sendable {
    /// Packets. Longer gaps are taken for a restart.
    static var largestJump: Int { 3_000 }

    enum Position: Equatable, Sendable {
        /// Newer than everything before; `missing` numbers lie between.
        case newest(extended: Int64, missing: Int)
        /// Behind the newest: late, repaired or a duplicate.
        case older(extended: Int64)
        /// The sender started over; nothing from before compares with this number.
        case restarted(extended: Int64)
        /// A straggler from before the sender started over, or a repair of what nobody knows.
        case stale
    }

    /// The first packet's number is this plus its 16 bits, so that late ones find room below.
    static var base: Int64 { 65_536 }
    /// Stragglers in a row that are put up with after a restart; with more, the sender has gone back for good.
    static var stragglerLimit: Int { 8 }

    /// Packets one after the other behind the newest, without a newer one between: the sender has started over there.
    static var longestBehindRun: Int { 128 }

    /// The highest number so far; −1 before the first packet.
    private(set) var highest: Int64 = -1
    private var restartExpected = false
    /// Where the numbers ended before the last restart.
    private var previousEnd: SequenceNumber?
    /// Packets from about there since the last one that fits.
    private var stragglers = 0
    private var lastBehind = SequenceNumber(0)
    private var behindRun = 0

    init() {}

    /// The next packet begins a new stretch, whatever its number: packets were left unread, or the SSRC changed.
    mutating func expectRestart() {
        restartExpected = highest >= 0
    }

    /// - Parameter isRepair: the packet is a retransmission: it never starts a stretch but the first.
    mutating func place(_ sequence: SequenceNumber, isRepair: Bool = false) -> Position {
        guard highest >= 0 else {
            highest = Self.base + Int64(sequence.rawValue)
            return .newest(extended: highest, missing: 0)
        }
        if restartExpected {
            guard !isRepair else { return .stale }
            previousEnd = nil
            return restart(at: sequence)
        }
        let last = SequenceNumber(UInt16(truncatingIfNeeded: highest))
        let distance = sequence.distance(from: last)
        if distance > 0 && distance <= Self.largestJump {
            highest += Int64(distance)
            stragglers = 0
            behindRun = 0
            return .newest(extended: highest, missing: distance - 1)
        }
        if distance <= 0 && distance > -Self.largestJump {
            stragglers = 0
            if isRepair || !goesOnBehind(sequence) { return .older(extended: highest + Int64(distance)) }
        }
        if isRepair { return .stale }
        if let previousEnd, stragglers < Self.stragglerLimit,
            abs(sequence.distance(from: previousEnd)) <= Self.largestJump
        {
            stragglers += 1
            return .stale
        }
        previousEnd = last
        return restart(at: sequence)
    }

    /// Counts packets in sequence behind the newest. Late ones and repairs don't come like that for long.
    private mutating func goesOnBehind(_ sequence: SequenceNumber) -> Bool {
        behindRun = sequence.distance(from: lastBehind) == 1 ? behindRun + 1 : 0
        lastBehind = sequence
        return behindRun >= Self.longestBehindRun
    }

    private mutating func restart(at sequence: SequenceNumber) -> Position {
        restartExpected = false
        stragglers = 0
        behindRun = 0
        // Two turns on: even the largest late packet of before stays below everything that comes now.
        highest = (highest / 65_536 + 2) * 65_536 + Int64(sequence.rawValue)
        return .restarted(extended: highest)
    }
}
