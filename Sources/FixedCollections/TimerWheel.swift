/// One deadline each for a fixed number of timers, hashed into slots of one millisecond.
///
/// Arming, moving and disarming a timer are O(1); `popExpired` is O(1) a timer plus O(1) a millisecond that passed.
/// A timer goes off in the first millisecond that begins at or after its deadline.
public struct TimerWheel: ~Copyable {
    private static var slotCount: Int { 1024 }
    private static var none: Int32 { -1 }

    struct Node: BitwiseCopyable {
        var tick: Int64
        var previous: Int32
        var next: Int32
        var armed: Bool
    }

    private var nodes: FixedArray<Node>
    private var heads: FixedArray<Int32>
    /// A bit for each slot that isn't empty.
    private var occupied = InlineArray<16, UInt64>(repeating: 0)
    private var currentTick: Int64
    private var armedCount: Int

    /// - Parameter timers: timers are numbered from 0 to `timers − 1`.
    public init(timers: Int, now: Instant) {
        nodes = FixedArray(
            repeating: Node(tick: 0, previous: Self.none, next: Self.none, armed: false), count: timers)
        heads = FixedArray(repeating: Self.none, count: Self.slotCount)
        currentTick = Self.tick(of: now)
        armedCount = 0
    }

    private static func tick(of instant: Instant) -> Int64 { instant.nanoseconds / 1_000_000 }

    private static func tickAtOrAfter(_ instant: Instant) -> Int64 {
        let whole = instant.nanoseconds / 1_000_000
        return whole * 1_000_000 == instant.nanoseconds ? whole : whole + 1
    }

    private func slot(of tick: Int64) -> Int { Int(tick & Int64(Self.slotCount - 1)) }

    /// Arms the timer, or moves it. `distantFuture` disarms it. A deadline in the past goes off at the next
    /// `popExpired`.
    public mutating func set(_ timer: Int, to deadline: Instant) {
        disarm(timer)
        guard deadline != .distantFuture else { return }
        let tick = max(Self.tickAtOrAfter(deadline), currentTick)
        let slot = slot(of: tick)
        let head = heads[slot]
        nodes[timer] = Node(tick: tick, previous: Self.none, next: head, armed: true)
        if head != Self.none { nodes[Int(head)].previous = Int32(timer) }
        heads[slot] = Int32(timer)
        occupied[slot >> 6] |= 1 << UInt64(slot & 63)
        armedCount += 1
    }

    /// Arms the timer, or moves it to an earlier deadline; a later one changes nothing.
    public mutating func hasten(_ timer: Int, to deadline: Instant) {
        guard !nodes[timer].armed || Self.tickAtOrAfter(deadline) < nodes[timer].tick else { return }
        set(timer, to: deadline)
    }

    public mutating func disarm(_ timer: Int) {
        guard nodes[timer].armed else { return }
        let node = nodes[timer]
        if node.previous == Self.none {
            let slot = slot(of: node.tick)
            heads[slot] = node.next
            if node.next == Self.none { occupied[slot >> 6] &= ~(1 << UInt64(slot & 63)) }
        } else {
            nodes[Int(node.previous)].next = node.next
        }
        if node.next != Self.none { nodes[Int(node.next)].previous = node.previous }
        nodes[timer].armed = false
        armedCount -= 1
    }

    /// Takes out one timer whose deadline has come; call it until it returns `nil`.
    public mutating func popExpired(now: Instant) -> Int? {
        let nowTick = Self.tick(of: now)
        guard armedCount > 0 else {
            currentTick = max(currentTick, nowTick)
            return nil
        }
        while currentTick <= nowTick {
            var timer = heads[slot(of: currentTick)]
            while timer != Self.none {
                let node = nodes[Int(timer)]
                if node.tick <= nowTick {
                    disarm(Int(timer))
                    return Int(timer)
                }
                timer = node.next
            }
            if currentTick == nowTick { break }
            currentTick = nextTick(upTo: nowTick)
        }
        return nil
    }

    /// A jump over a whole turn of the wheel (the process was stopped) visits each slot once, not each millisecond.
    private func nextTick(upTo nowTick: Int64) -> Int64 {
        max(currentTick + 1, nowTick - Int64(Self.slotCount) + 1)
    }

    /// When to look again: at the latest at the earliest deadline. Somewhat earlier when that is more than a second
    /// away; `distantFuture` if nothing is armed.
    public func nextDeadline() -> Instant {
        guard armedCount > 0 else { return .distantFuture }
        let start = slot(of: currentTick)
        var word = start >> 6
        var bits = occupied[word] & (UInt64.max << UInt64(start & 63))
        for _ in 0...16 {
            if bits != 0 {
                let slot = word << 6 | bits.trailingZeroBitCount
                let ahead = (slot - start) & (Self.slotCount - 1)
                return Instant(nanoseconds: (currentTick + Int64(ahead)) * 1_000_000)
            }
            word = (word + 1) & 15
            bits = occupied[word]
        }
        preconditionFailure("an armed timer is in no slot")
    }
}
