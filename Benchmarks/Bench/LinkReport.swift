import FixedCollections
import Wire

/// What one viewer of the stage reports of its link: transport-cc feedback that says that everything has come.
///
/// It costs next to nothing to write, so that what is counted is what reading it costs.
struct LinkReport: ~Copyable {
    private static let header = 20
    /// The message that was finished last, or is being written.
    private(set) var bytes = FixedArray<UInt8>(repeating: 0, count: 1_200)
    private var first: UInt16 = 0
    private(set) var count = 0
    private var reference: Int64 = 0
    private var last: Int64 = 0

    /// Whether no more packets fit.
    var isFull: Bool { count >= 1_100 }

    /// Takes down the next packet; numbers follow one another.
    mutating func add(_ number: UInt16, at now: Instant) {
        guard !isFull else { return }
        let ticks = now.nanoseconds / 250_000
        if count == 0 {
            first = number
            reference = ticks >> 8
            last = reference << 8
        }
        bytes[Self.header + 2 + count] = UInt8(clamping: ticks - last)
        last = ticks
        count += 1
    }

    /// Finishes the message, and begins the next one with what comes after.
    ///
    /// - Returns: its length; 0 if there is nothing to report.
    mutating func finish() -> Int {
        let (count, first, reference) = (count, first, reference)
        guard count > 0 else { return 0 }
        self.count = 0
        let length = (Self.header + 2 + count + 3) & ~3
        var span = bytes.mutableSpan
        span.store(UInt32(0x8fcd_0000) | UInt32(length / 4 - 1), at: 0)
        span.store(UInt32(1), at: 4)
        span.store(UInt32(2), at: 8)
        span.store(first, at: 12)
        span.store(UInt16(count), at: 14)
        span.storeUInt24(UInt32(truncatingIfNeeded: reference & 0xff_ffff), at: 16)
        // All received, each with a small step of time.
        span.store(UInt16(0x2000) | UInt16(count), at: Self.header)
        return length
    }
}
