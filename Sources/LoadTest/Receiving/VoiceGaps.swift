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

    var announced = Announced.unknown {
        didSet { if announced != oldValue { (since, isCounted) = (nil, false) } }
    }
    private var since: Instant?
    private var isCounted = false

    /// Whether media of this participant's proves, now and not before, that the server has named another one.
    mutating func isWrong(_ sender: Int, now: Instant) -> Bool {
        guard announced != .unknown, announced != .somebody(sender) else {
            (since, isCounted) = (nil, false)
            return false
        }
        guard let since else {
            self.since = now
            return false
        }
        guard !isCounted, now - since >= Self.patience else { return false }
        isCounted = true
        return true
    }
}
