import FixedCollections
import Wire

/// What a receiver report says of a stream (RFC 3550 section 6.4.1, appendices A.3 and A.8).
struct ReceiveStatistics: BitwiseCopyable, Sendable {
    private let clockRate: Int
    private var baseExtended: Int64 = -1
    private var highestExtended: Int64 = -1
    private var received: Int64 = 0
    private var expectedBefore: Int64 = 0
    private var receivedBefore: Int64 = 0
    /// Interarrival jitter in sixteenths of a timestamp unit.
    private var jitterTimes16: Int64 = 0
    private var lastTransit: Int64?

    private(set) var bytes: Int64 = 0

    init(clockRate: Int) {
        self.clockRate = clockRate
    }

    /// Packets received, duplicates not counted.
    var packets: Int64 { received }

    /// Interarrival jitter in timestamp units.
    var jitter: UInt32 { UInt32(clamping: jitterTimes16 >> 4) }

    /// Cumulative number of packets lost: negative when duplicates outnumber losses; 24 bits on the wire.
    var cumulativeLost: Int {
        guard baseExtended >= 0 else { return 0 }
        let lost = highestExtended - baseExtended + 1 - received
        return Int(max(-0x80_0000, min(0x7f_ffff, lost)))
    }

    /// The low 32 bits of the highest sequence number: cycles, from 0 on, and number.
    var highestSequence: UInt32 { UInt32(truncatingIfNeeded: highestExtended - SequenceExtender.base) }

    mutating func record(
        extended: Int64, timestamp: RTPTimestamp, length: Int, at now: Instant, restarted: Bool
    ) {
        if baseExtended < 0 || restarted {
            baseExtended = extended
            highestExtended = extended
            received = 0
            expectedBefore = 0
            receivedBefore = 0
            lastTransit = nil
        }
        received += 1
        bytes += Int64(length)
        if extended > highestExtended { highestExtended = extended }
        recordJitter(timestamp, at: now)
    }

    /// Counts packets that came and weren't opened, before the one that is recorded next.
    mutating func credit(_ packets: Int) {
        if baseExtended >= 0 { received += Int64(packets) }
    }

    private mutating func recordJitter(_ timestamp: RTPTimestamp, at now: Instant) {
        let seconds = now.nanoseconds / 1_000_000_000
        let rest = now.nanoseconds % 1_000_000_000
        let rate = Int64(clockRate)
        let arrival = seconds &* rate &+ rest &* rate / 1_000_000_000
        let transit = Int64(Int32(truncatingIfNeeded: arrival &- Int64(timestamp.rawValue)))
        if let last = lastTransit {
            let difference = abs(Int64(Int32(truncatingIfNeeded: transit &- last)))
            // A jump of the source's clock is no jitter.
            if difference < rate * 5 {
                jitterTimes16 += difference - ((jitterTimes16 + 8) >> 4)
            }
        }
        lastTransit = transit
    }

    /// What was to come since the last call, and what of it didn't.
    struct Interval: BitwiseCopyable, Sendable {
        var expected = 0
        /// 0 when more arrived than were expected.
        var lost = 0

        /// 0 to 1.
        var loss: Double { expected > 0 ? Double(lost) / Double(expected) : 0 }

        /// In 1/256, as a report has it.
        var fractionLost: UInt8 { expected > 0 ? UInt8(clamping: lost * 256 / expected) : 0 }
    }

    mutating func takeInterval() -> Interval {
        guard baseExtended >= 0 else { return Interval() }
        let expected = highestExtended - baseExtended + 1
        let expectedNow = expected - expectedBefore
        let lostNow = expectedNow - (received - receivedBefore)
        expectedBefore = expected
        receivedBefore = received
        return Interval(
            expected: Int(max(expectedNow, 0)), lost: Int(min(max(lostNow, 0), max(expectedNow, 0))))
    }
}
