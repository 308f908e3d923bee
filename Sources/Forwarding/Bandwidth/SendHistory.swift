import FixedCollections
import Wire

/// What was sent to one viewer, until its transport-cc feedback has told what became of it.
///
/// The history is capped by count and by age: what falls out counts neither as received nor as lost. Memory is taken once,
/// 16 bytes a packet.
struct SendHistory: ~Copyable {
    enum Fate: UInt8, BitwiseCopyable {
        case never, pending, lost, received
    }

    struct Packet: BitwiseCopyable {
        var at = Instant.zero
        var number: UInt16 = 0
        var bytes: UInt16 = 0
        /// The probe cluster it was sent in; 0 for none.
        var cluster: UInt16 = 0
        var kind = PacketKind.video
        var fate = Fate.never
    }

    private var packets: FixedArray<Packet>
    /// Nanoseconds.
    private let keep: Int64
    // Unwrapped: the newest number, and the one up to which all are settled.
    private var newest = -1
    private var settled = -1
    /// Bytes of which nothing is known yet.
    private(set) var pendingBytes = 0

    /// - Parameters:
    ///   - capacity: packets at the most, rounded up to a power of two from 64 to 16,384.
    ///   - keep: how long a packet's fate may take to become known.
    init(capacity: Int = 2_048, keep: Duration = .seconds(5)) {
        var size = 64
        while size < capacity, size < 16_384 { size *= 2 }
        packets = FixedArray(repeating: Packet(), count: size)
        self.keep = keep.wholeNanoseconds
    }

    var capacity: Int { packets.count }

    /// When the oldest packet of which nothing is known was sent.
    var oldestPending: Instant? {
        guard settled < newest else { return nil }
        return packets[slot(settled + 1)].at
    }

    /// Takes down a packet that is sent now. Numbers rise; one that doesn't, or jumps by more than the capacity, begins
    /// anew.
    mutating func append(
        _ number: SequenceNumber, bytes: Int, kind: PacketKind, cluster: UInt16, at now: Instant
    ) {
        let step = newest < 0 ? 1 : number.distance(from: SequenceNumber(UInt16(truncatingIfNeeded: newest)))
        if newest >= 0, step == 1 {
            newest += 1
        } else if newest < 0 || step <= 0 || step > capacity {
            newest = 65_536 + Int(number.rawValue)
            settled = newest - 1
            pendingBytes = 0
        } else {
            for skipped in (newest + 1)..<(newest + step) { forget(skipped) }
            newest += step
        }
        if settled < newest - capacity { settle(through: newest - capacity) }
        packets[slot(newest)] = Packet(
            at: now, number: number.rawValue, bytes: UInt16(clamping: bytes), cluster: cluster, kind: kind,
            fate: .pending)
        pendingBytes += Int(UInt16(clamping: bytes))
    }

    /// A number that was given to no packet.
    private mutating func forget(_ unwrapped: Int) {
        settle(through: unwrapped - capacity)
        packets[slot(unwrapped)] = Packet(at: packets[slot(newest)].at)
    }

    private func slot(_ unwrapped: Int) -> Int { unwrapped & (packets.count - 1) }

    /// Where the packet is; `nil` if it was never sent, or too long ago.
    func index(of number: SequenceNumber, at now: Instant) -> Int? {
        let index = Int(number.rawValue) & (packets.count - 1)
        guard packets[index].fate != .never, packets[index].number == number.rawValue,
            now.nanoseconds &- packets[index].at.nanoseconds <= keep
        else { return nil }
        return index
    }

    subscript(index: Int) -> Packet { packets[index] }

    mutating func setFate(_ fate: Fate, at index: Int) {
        packets[index].fate = fate
    }

    /// Where the packets are that come before the number and after all that was reported: their report was lost.
    ///
    /// - Parameter body: gets each one's index.
    func forEachUnreported(before number: SequenceNumber, _ body: (Int) -> Void) {
        let end = newest + number.distance(from: SequenceNumber(UInt16(truncatingIfNeeded: newest)))
        guard end <= newest, settled + 1 < end else { return }
        for unwrapped in (settled + 1)..<end where packets[slot(unwrapped)].fate == .pending {
            body(slot(unwrapped))
        }
    }

    /// Nothing more is awaited of packets up to the number: they were reported, or the report was lost.
    mutating func settle(through number: SequenceNumber) {
        settle(through: newest + number.distance(from: SequenceNumber(UInt16(truncatingIfNeeded: newest))))
    }

    private mutating func settle(through unwrapped: Int) {
        while settled < min(unwrapped, newest) {
            settled += 1
            if packets[slot(settled)].fate != .never { pendingBytes -= Int(packets[slot(settled)].bytes) }
        }
    }

    /// Gives up on what was sent too long ago.
    mutating func expire(at now: Instant) {
        while settled < newest,
            now.nanoseconds &- packets[slot(settled + 1)].at.nanoseconds > keep
        {
            settle(through: settled + 1)
        }
    }
}
