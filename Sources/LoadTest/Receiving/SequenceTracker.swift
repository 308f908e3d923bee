import FixedCollections
import Wire

/// Which packets of a stream came, and what to ask for again.
struct SequenceTracker {
    /// What a packet turned out to be.
    enum Arrival: Equatable {
        /// The newest so far; `skipped` numbers before it haven't come.
        case newest(skipped: Int)
        /// Fills a gap.
        case late
        case duplicate
        /// Too far from what is known to be told.
        case outside
    }

    /// Numbers that are remembered behind the newest.
    static let window = 1_024
    /// A gap is asked for after this long, for it may be a matter of order only.
    static let patience = Duration.milliseconds(10)
    static let repeatAfter = Duration.milliseconds(60)
    static let mostTries = 10
    static let mostMissing = 200
    /// What hasn't come for this long after a later one is lost as sent, not on its way.
    static let verdictAfter = Duration.milliseconds(50)

    struct Missing {
        var number: Int64
        var dueAt: Instant
        var tries = 0
    }

    private struct Gap {
        var number: Int64
        var seenAt: Instant
    }

    /// Counts on over wraps; nil before the first packet.
    private(set) var highest: Int64?
    private(set) var first: Int64 = 0
    /// Made when the first packet comes.
    private var present: [Bool] = []
    private(set) var missing: [Missing] = []
    /// Gaps that may be a matter of order, oldest first.
    private var undecided: [Gap] = []
    /// Numbers that came or were found lost since `takeDecided`.
    private var decided: UInt64 = 0
    private let asks: Bool

    /// - Parameter asks: whether gaps are noted for `takeDue`.
    init(asks: Bool) {
        self.asks = asks
    }

    /// The number, counted on over wraps, that `sequence` stands for near the newest.
    func extended(_ sequence: SequenceNumber) -> Int64 {
        guard let highest else { return Int64(sequence.rawValue) + 65_536 }
        let step = sequence.distance(from: SequenceNumber(UInt16(truncatingIfNeeded: highest)))
        return highest + Int64(step)
    }

    mutating func arrived(_ number: Int64, now: Instant) -> Arrival {
        guard let highest else {
            self.highest = number
            first = number
            present = Array(repeating: false, count: Self.window)
            present[slot(number)] = true
            decided += 1
            return .newest(skipped: 0)
        }
        decide(now: now)
        if number > highest {
            let skipped = Int(number - highest - 1)
            decided += 1
            guard skipped < Self.window else {
                decided += UInt64(Self.window - 1)
                restart(at: number)
                return .newest(skipped: 0)
            }
            for gap in (highest + 1)..<max(number, highest + 1) {
                present[slot(gap)] = false
                undecided.append(Gap(number: gap, seenAt: now))
                if asks, missing.count < Self.mostMissing {
                    missing.append(Missing(number: gap, dueAt: now + Self.patience))
                }
            }
            present[slot(number)] = true
            self.highest = number
            return .newest(skipped: skipped)
        }
        guard number > highest - Int64(Self.window), number >= first else { return .outside }
        guard !present[slot(number)] else { return .duplicate }
        present[slot(number)] = true
        if let place = missing.firstIndex(where: { $0.number == number }) { missing.remove(at: place) }
        if let place = undecided.firstIndex(where: { $0.number == number }) {
            undecided.remove(at: place)
            decided += 1
        }
        return .late
    }

    /// How many numbers more should have come by now: those that did, and gaps that are too old to be a matter of order.
    mutating func takeDecided() -> UInt64 {
        defer { decided = 0 }
        return decided
    }

    /// Takes out what is to be asked for now, lowest first.
    mutating func takeDue(now: Instant, into numbers: inout [SequenceNumber]) {
        guard !missing.isEmpty else { return }
        for index in missing.indices where missing[index].dueAt <= now {
            numbers.append(SequenceNumber(UInt16(truncatingIfNeeded: missing[index].number)))
            missing[index].tries += 1
            missing[index].dueAt = now + Self.repeatAfter
        }
        missing.removeAll { $0.tries >= Self.mostTries }
    }

    /// When `takeDue` has something.
    var nextDue: Instant {
        var next = Instant.distantFuture
        for item in missing { next = min(next, item.dueAt) }
        return next
    }

    /// Nothing is asked for any more: a new picture begins.
    mutating func forget(before number: Int64) {
        missing.removeAll { $0.number < number }
    }

    private mutating func decide(now: Instant) {
        guard let oldest = undecided.first, now - oldest.seenAt >= Self.verdictAfter else { return }
        let old = undecided.prefix { now - $0.seenAt >= Self.verdictAfter }.count
        undecided.removeFirst(old)
        decided += UInt64(old)
    }

    private mutating func restart(at number: Int64) {
        for index in present.indices { present[index] = false }
        missing = []
        decided += UInt64(undecided.count)
        undecided = []
        first = number
        highest = number
        present[slot(number)] = true
    }

    private func slot(_ number: Int64) -> Int {
        Int(number & Int64(Self.window - 1))
    }
}
