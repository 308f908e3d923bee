import Wire

/// What a stream takes while it is sent, or took when it was sent last.
///
/// It is measured in intervals. One in which the stream began or ended shows too little, never too much: a lower rate counts
/// when the stream went on through the interval before and the one after.
struct UsualRate: BitwiseCopyable, Sendable {
    /// 0 before anything came.
    private(set) var bitrate = Bitrate(bitsPerSecond: 0)
    private var newest = Bitrate(bitsPerSecond: 0)
    /// At how many ends of intervals in a row it went on, up to those that matter.
    private var ends = 0

    /// Takes in what an interval had.
    ///
    /// - Parameter isGoingOn: packets came until its end.
    mutating func add(_ rate: Bitrate, isGoingOn: Bool) {
        guard isGoingOn else {
            ends = 0
            if bitrate.bitsPerSecond == 0 { bitrate = rate }
            return
        }
        ends = min(ends + 1, 3)
        if rate > bitrate {
            bitrate = rate
        } else if ends == 3 {
            bitrate = newest
        }
        newest = rate
    }
}
