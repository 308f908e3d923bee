import Wire

/// How a limit of what a publisher may send is shared out among the encodings of a video, the smallest first.
///
/// Each but the last gets what encoders usually give its size; the last gets what is left. One that wouldn't have half of
/// what is usual is refused, and those above it: fewer good pictures beat many bad ones. The smallest is never refused.
struct UplinkShare: BitwiseCopyable {
    /// Bits a second that encoders usually give to 180 lines; four times that to twice the lines.
    private static var usual: Int { 150_000 }

    private var left: Int
    private var rank = 0
    private let count: Int

    /// - Parameter count: encodings among which it is shared.
    init(_ limit: Bitrate, among count: Int) {
        left = max(limit.bitsPerSecond, 1)
        self.count = count
    }

    /// The share of the next encoding; `nil`: it is refused.
    mutating func next() -> Bitrate? {
        let usual = Self.usual << (2 * rank)
        defer { rank += 1 }
        guard rank == 0 || (left > 0 && left >= usual / 2) else {
            left = 0
            return nil
        }
        // What is left is no use to the next.
        let isLast = rank == count - 1 || left - usual < (usual << 2) / 2
        let share = isLast ? left : usual
        left -= share
        return Bitrate(bitsPerSecond: share)
    }
}
