import FixedCollections
import Wire

/// Where a voice would have broken off: what a jitter buffer of fixed length could not hide.
struct VoiceGaps {
    /// How long a packet may be late before its place is played without it.
    static let buffer = Duration.milliseconds(60)

    private var last: (timestamp: RTPTimestamp, at: Instant)?
    /// When a packet was missed that hasn't come since.
    private var missedAt: Instant?

    /// Takes a packet that is the newest; how many gaps are certain by that.
    ///
    /// - Parameter skipped: numbers before it that haven't come.
    mutating func took(_ timestamp: RTPTimestamp, skipped: Int, now: Instant) -> UInt64 {
        defer { last = (timestamp, now) }
        var gaps: UInt64 = 0
        if let missedAt, now - missedAt > Self.buffer {
            gaps += 1
            self.missedAt = nil
        }
        if skipped > 0 {
            missedAt = missedAt ?? now
        } else if let last {
            // Silence isn't sent: the clock of the media goes on through it.
            let ticks = Int32(bitPattern: timestamp.rawValue &- last.timestamp.rawValue)
            let played = Duration.microseconds(Int64(max(0, ticks)) * 1_000 / 48)
            if now - last.at > played + Self.buffer { gaps += 1 }
        }
        return gaps
    }

    /// What was missed has come after all.
    mutating func filled() {
        missedAt = nil
    }
}

/// Compares who sends in a seat with whom the server has named.
struct SeatOccupancy {
    /// Whom the server named.
    enum Announced: Equatable, Sendable {
        /// It has said nothing yet, or named somebody who isn't known here.
        case unknown
        case nobody
        case somebody(Int)
    }

    /// Events and media travel apart, and the old picture may stay until the new one has a key frame.
    static let patience = Duration.seconds(3)
    /// After such a pause it doesn't go on, but begins anew.
    private static let pause = Duration.seconds(1)

    var announced = Announced.unknown {
        didSet { if announced != oldValue { (wrong, isCounted) = (nil, false) } }
    }
    /// Whose media has come that wasn't named, since when, and when last.
    private var wrong: (sender: Int, since: Instant, last: Instant)?
    private var isCounted = false

    /// Whether media of this participant's proves, now and not before, that the server has named another one.
    mutating func isWrong(_ sender: Int, now: Instant) -> Bool {
        guard announced != .unknown, announced != .somebody(sender) else {
            (wrong, isCounted) = (nil, false)
            return false
        }
        // The last word before the seat went to one who is silent doesn't count against whoever speaks there next.
        guard let wrong, wrong.sender == sender, now - wrong.last < Self.pause else {
            self.wrong = (sender, now, now)
            return false
        }
        self.wrong?.last = now
        guard !isCounted, now - wrong.since >= Self.patience else { return false }
        isCounted = true
        return true
    }
}
