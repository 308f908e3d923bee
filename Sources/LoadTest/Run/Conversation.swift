public import FixedCollections

/// Who talks when: turns of a few seconds, short pauses between them, now and then two at once.
///
/// Made whole at the start from a seed, so that any thread can ask it, and two runs are alike.
public struct Conversation: Sendable {
    struct Turn: Sendable, Equatable {
        var from: Instant
        var to: Instant
    }

    /// By participant, in order of time.
    private var turns: [Int: [Turn]] = [:]
    private let isSilentOtherwise: Bool
    /// Those who can talk and send a picture.
    private var cameras: Set<Int> = []

    /// Everybody talks all the time.
    public init() {
        isSilentOtherwise = false
    }

    /// - Parameters:
    ///   - groups: those who can talk, a session each.
    ///   - cameras: those who send a picture.
    ///   - atOnce: how many conversations go on in each.
    ///   - turn: how long each turn is, one right behind the other; nil: as people talk.
    public init(
        groups: [[Int]], cameras: Set<Int> = [], atOnce: Int, turn: Duration? = nil, from start: Instant,
        to end: Instant, seed: UInt64
    ) {
        isSilentOtherwise = true
        self.cameras = cameras
        var random = SeededRandom(seed: seed)
        for group in groups where !group.isEmpty {
            for _ in 0..<min(atOnce, group.count) {
                hold(group, turn, from: start, to: end, &random)
            }
        }
        for speaker in turns.keys { turns[speaker]?.sort { $0.from < $1.from } }
    }

    private mutating func hold(
        _ group: [Int], _ turn: Duration?, from start: Instant, to end: Instant,
        _ random: inout SeededRandom
    ) {
        var now = start
        var last: Int?
        while now < end {
            var speaker = group[Int(random.next() % UInt64(group.count))]
            if speaker == last { speaker = group[Int(random.next() % UInt64(group.count))] }
            last = speaker
            let length = turn ?? .milliseconds(1_000 + Int(random.unit() * 7_000))
            turns[speaker, default: []].append(Turn(from: now, to: now + length))
            now += length
            // From half a second of overlap to a second of silence.
            if turn == nil { now += .milliseconds(Int(random.unit() * 1_500) - 500) }
        }
    }

    /// Whether a participant talks at a time. O(log of its turns).
    public func isSpeaking(_ participant: Int, _ now: Instant) -> Bool {
        guard isSilentOtherwise else { return true }
        guard let own = turns[participant] else { return false }
        let next = Self.firstEnding(after: now, in: own)
        // Turns of one speaker in two conversations may overlap: the next one may have begun too.
        return next < own.count && own[next].from <= now
    }

    /// The first moment from `time` on at which a participant talks; nil if it doesn't any more.
    public func nextWord(of participant: Int, from time: Instant) -> Instant? {
        guard isSilentOtherwise else { return time }
        guard let own = turns[participant] else { return nil }
        let next = Self.firstEnding(after: time, in: own)
        return next < own.count ? max(time, own[next].from) : nil
    }

    /// Whether there is a picture to see of one who talks.
    func isSeen(_ participant: Int) -> Bool { cameras.contains(participant) }

    /// When the participant, who talks now, began to. Nil if it doesn't talk, or talked shortly before: then there is no
    /// telling which of its turns somebody reacts to.
    public func spokeUp(_ participant: Int, _ now: Instant) -> Instant? {
        guard let own = turns[participant] else { return nil }
        let next = Self.firstEnding(after: now, in: own)
        guard next < own.count, own[next].from <= now else { return nil }
        guard next == 0 || own[next - 1].to + Self.apart <= own[next].from else { return nil }
        return own[next].from
    }

    /// Turns that are less than this apart count as one.
    private static let apart = Duration.seconds(3)

    private static func firstEnding(after now: Instant, in turns: [Turn]) -> Int {
        var (low, high) = (0, turns.count)
        while low < high {
            let middle = (low + high) / 2
            if turns[middle].to <= now { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
