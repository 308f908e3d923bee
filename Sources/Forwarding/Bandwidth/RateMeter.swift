import FixedCollections
import Wire

/// The rate of what has come through (or been sent) over the last quarter of a second; the last half if that had few
/// packets.
///
/// Fed with arrival times it is the acknowledged bitrate. Bytes are summed in buckets of 10 ms.
struct RateMeter: BitwiseCopyable {
    private struct Bucket: BitwiseCopyable {
        var bytes: Int32 = 0
        var packets: Int32 = 0
    }

    private static var length: Int64 { 10_000_000 }
    private static var buckets: Int64 { 64 }
    private static var shortWindow: Int64 { 25 }
    private static var longWindow: Int64 { 50 }
    private static var leastElapsed: Int64 { 12 }
    private static var fewPackets: Int32 { 16 }

    private var buckets = InlineArray<64, Bucket>(repeating: Bucket())
    private var newest = Int64.min
    private var first = Int64.min

    mutating func add(_ bytes: Int, packets: Int = 1, at time: Instant) {
        let bucket = time.nanoseconds / Self.length
        if bucket == newest {
            buckets[slot(bucket)].bytes &+= Int32(truncatingIfNeeded: bytes)
            buckets[slot(bucket)].packets &+= Int32(truncatingIfNeeded: packets)
            return
        }
        if newest == .min || bucket - newest >= Self.buckets || newest - bucket > Self.buckets {
            // A pause longer than the window: what was before says nothing.
            buckets = InlineArray(repeating: Bucket())
            newest = bucket
            first = bucket
        }
        while newest < bucket {
            newest += 1
            buckets[slot(newest)] = Bucket()
        }
        guard newest - bucket < Self.buckets else { return }
        buckets[slot(bucket)].bytes &+= Int32(truncatingIfNeeded: bytes)
        buckets[slot(bucket)].packets &+= Int32(truncatingIfNeeded: packets)
    }

    private func slot(_ bucket: Int64) -> Int { Int(bucket & (Self.buckets - 1)) }

    /// Bits a second up to the newest packet; `nil` in the first eighth of a second.
    var bitsPerSecond: Double? {
        guard newest != .min, newest - first >= Self.leastElapsed else { return nil }
        let short = total(Self.shortWindow)
        let isLong = short.packets < Self.fewPackets
        let window = min(isLong ? Self.longWindow : Self.shortWindow, newest - first + 1)
        let bytes = isLong ? total(Self.longWindow).bytes : short.bytes
        return Double(bytes) * 8 / (Double(window) * 0.01)
    }

    /// As `bitsPerSecond`, for a time at which nothing may have come for a while.
    func bitsPerSecond(at time: Instant) -> Double? {
        var meter = self
        meter.add(0, at: time)
        return meter.bitsPerSecond
    }

    private func total(_ window: Int64) -> Bucket {
        var sum = Bucket()
        let buckets = buckets.span
        for bucket in max(newest - window + 1, first)...newest {
            sum.bytes &+= buckets[slot(bucket)].bytes
            sum.packets &+= buckets[slot(bucket)].packets
        }
        return sum
    }
}
