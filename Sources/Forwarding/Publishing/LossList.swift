import FixedCollections

/// The packets that a publisher should send again.
///
/// A packet is asked for when two newer ones have come or 10 ms have passed, again after a round trip (20 to 400 ms) and a
/// quarter more each time, ten times at the most: the way may be longer than it was when it was measured, and senders don't
/// answer what they have answered within a round trip. At most 1,000 are remembered: beyond that only a key frame helps.
struct LossList: ~Copyable {
    static var capacity: Int { 1_000 }
    static var tries: UInt8 { 10 }
    static var patience: Duration { .milliseconds(10) }

    struct Entry: BitwiseCopyable {
        var extended: Int64
        var missedAt: Instant
        var askedAt: Instant
        var tries: UInt8
    }

    /// In ascending order.
    private var entries: FixedArray<Entry>
    private(set) var count = 0

    init() {
        let empty = Entry(extended: 0, missedAt: .zero, askedAt: .zero, tries: 0)
        entries = FixedArray(repeating: empty, count: Self.capacity)
    }

    /// Notes that the `missing` packets before `extended` have not come.
    ///
    /// - Returns: false when they are too many: the list is empty then, and a key frame is needed.
    mutating func noteGap(before extended: Int64, missing: Int, at now: Instant) -> Bool {
        guard count + missing <= Self.capacity else {
            count = 0
            return false
        }
        for number in (extended - Int64(missing))..<extended {
            entries[count] = Entry(extended: number, missedAt: now, askedAt: .zero, tries: 0)
            count += 1
        }
        return true
    }

    /// Whether something that wasn't asked for yet is due, now that `highest` has come; O(1).
    ///
    /// Only the newest packet that two newer ones have overtaken can have become due by that.
    func isOvertaken(by highest: Int64) -> Bool {
        var index = count - 1
        if index >= 0, highest - entries[index].extended < 2 { index -= 1 }
        return index >= 0 && entries[index].tries == 0
    }

    /// Takes a packet off the list that has come after all.
    mutating func remove(_ extended: Int64) {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].extended < extended { low = middle + 1 } else { high = middle }
        }
        guard low < count, entries[low].extended == extended else { return }
        removeEntry(at: low)
    }

    private mutating func removeEntry(at index: Int) {
        for position in index..<(count - 1) { entries[position] = entries[position + 1] }
        count -= 1
    }

    mutating func removeAll() {
        count = 0
    }

    /// When something is to be asked for; `distantFuture` for an empty list.
    func nextDeadline(highest: Int64, roundTrip: Duration) -> Instant {
        var deadline = Instant.distantFuture
        let spacing = Self.spacing(roundTrip)
        for index in 0..<count {
            deadline = min(deadline, Self.deadline(of: entries[index], highest, spacing))
        }
        return deadline
    }

    private static var longestSpacing: Duration { .milliseconds(400) }

    private static func spacing(_ roundTrip: Duration) -> Duration {
        min(max(roundTrip, .milliseconds(20)), longestSpacing)
    }

    private static func deadline(of entry: Entry, _ highest: Int64, _ spacing: Duration) -> Instant {
        guard entry.tries > 0 else {
            return highest - entry.extended >= 2 ? entry.missedAt : entry.missedAt + patience
        }
        var spacing = spacing
        for _ in 1..<max(entry.tries, 1) where spacing < longestSpacing { spacing = spacing / 4 * 5 }
        return entry.askedAt + min(spacing, longestSpacing)
    }

    /// Hands out what is to be asked for now, in ascending order, and counts it as asked.
    ///
    /// - Parameter ask: returns false when it can take no more.
    /// - Returns: whether packets were given up after the last try.
    mutating func takeDue(
        highest: Int64, roundTrip: Duration, at now: Instant, _ ask: (Int64) -> Bool
    ) -> Bool {
        var gaveUp = false
        var kept = 0
        var room = true
        let spacing = Self.spacing(roundTrip)
        for index in 0..<count {
            var entry = entries[index]
            if room, now >= Self.deadline(of: entry, highest, spacing) {
                if entry.tries >= Self.tries {
                    gaveUp = true
                    continue
                }
                room = ask(entry.extended)
                if room {
                    entry.tries += 1
                    entry.askedAt = now
                }
            }
            entries[kept] = entry
            kept += 1
        }
        count = kept
        return gaveUp
    }
}
