/// One deadline each for a fixed number of timers, hashed into slots of one millisecond.
///
/// The present second (of 1,024 ms) has a slot a millisecond; later ones have a slot each, whose timers move over when
/// their second begins. Arming, moving and disarming a timer are O(1); `popExpired` is O(1) a timer plus O(1) a second
/// that passed. A timer goes off in the first millisecond that begins at or after its deadline.
public struct TimerWheel: ~Copyable {
    private static var none: Int32 { -1 }
    private static var slotCount: Int { 1_024 }
    private static var secondCount: Int { 64 }

    struct Node: BitwiseCopyable {
        var tick: Int64
        /// The list it is in.
        var place: Int32
        var previous: Int32
        var next: Int32
        var armed: Bool
    }

    private var nodes: FixedArray<Node>
    /// Of the lists: the present second's milliseconds, then the later seconds.
    private var heads: FixedArray<Int32>
    /// A bit for each list that isn't empty.
    private var occupied = InlineArray<17, UInt64>(repeating: 0)
    private var currentTick: Int64
    private var armedCount: Int

    /// - Parameter timers: timers are numbered from 0 to `timers − 1`.
    public init(timers: Int, now: Instant) {
        nodes = FixedArray(
            repeating: Node(tick: 0, place: 0, previous: Self.none, next: Self.none, armed: false),
            count: timers)
        heads = FixedArray(repeating: Self.none, count: Self.slotCount + Self.secondCount)
        currentTick = Self.tick(of: now)
        armedCount = 0
    }

    private static func tick(of instant: Instant) -> Int64 { instant.nanoseconds / 1_000_000 }

    private static func tickAtOrAfter(_ instant: Instant) -> Int64 {
        let whole = instant.nanoseconds / 1_000_000
        return whole * 1_000_000 == instant.nanoseconds ? whole : whole + 1
    }

    private static func second(of tick: Int64) -> Int64 { tick >> 10 }

    private static func place(ofSecond second: Int64) -> Int { slotCount + Int(second & 63) }

    // MARK: Arming

    /// Arms the timer, or moves it. `distantFuture` disarms it. A deadline in the past goes off at the next
    /// `popExpired`.
    public mutating func set(_ timer: Int, to deadline: Instant) {
        disarm(timer)
        guard deadline != .distantFuture else { return }
        insert(timer, tick: max(Self.tickAtOrAfter(deadline), currentTick))
    }

    /// Arms the timer, or moves it to an earlier deadline; a later one changes nothing.
    public mutating func hasten(_ timer: Int, to deadline: Instant) {
        guard !nodes[timer].armed || Self.tickAtOrAfter(deadline) < nodes[timer].tick else { return }
        set(timer, to: deadline)
    }

    private mutating func insert(_ timer: Int, tick: Int64) {
        let second = Self.second(of: tick)
        let isPresent = second == Self.second(of: currentTick)
        let place = isPresent ? Int(tick & 1_023) : Self.place(ofSecond: second)
        let head = heads[place]
        nodes[timer] = Node(tick: tick, place: Int32(place), previous: Self.none, next: head, armed: true)
        if head != Self.none { nodes[Int(head)].previous = Int32(timer) }
        heads[place] = Int32(timer)
        occupied[place >> 6] |= 1 << UInt64(place & 63)
        armedCount += 1
    }

    public mutating func disarm(_ timer: Int) {
        guard nodes[timer].armed else { return }
        let node = nodes[timer]
        if node.previous == Self.none {
            let place = Int(node.place)
            heads[place] = node.next
            if node.next == Self.none { occupied[place >> 6] &= ~(1 << UInt64(place & 63)) }
        } else {
            nodes[Int(node.previous)].next = node.next
        }
        if node.next != Self.none { nodes[Int(node.next)].previous = node.previous }
        nodes[timer].armed = false
        armedCount -= 1
    }

    // MARK: Going off

    /// Takes out one timer whose deadline has come; call it until it returns `nil`.
    public mutating func popExpired(now: Instant) -> Int? {
        let nowTick = Self.tick(of: now)
        while currentTick <= nowTick {
            if let tick = firstTick(), tick <= nowTick {
                currentTick = tick
                let timer = Int(heads[Int(tick & 1_023)])
                disarm(timer)
                return timer
            }
            guard Self.second(of: nowTick) > Self.second(of: currentTick) else {
                currentTick = nowTick
                return nil
            }
            beginNextSecond(before: nowTick)
        }
        return nil
    }

    /// The present second's first tick, from now on, with a timer.
    private func firstTick() -> Int64? {
        let start = Int(currentTick & 1_023)
        var word = start >> 6
        var bits = occupied[word] & (UInt64.max << UInt64(start & 63))
        while bits == 0 {
            word += 1
            guard word < 16 else { return nil }
            bits = occupied[word]
        }
        return Self.second(of: currentTick) << 10 | Int64(word << 6 | bits.trailingZeroBitCount)
    }

    /// Goes on to the next second that has timers, at the latest to that of `nowTick`, and spreads its timers over its
    /// milliseconds. After a jump over more seconds than there are slots each slot is visited once.
    private mutating func beginNextSecond(before nowTick: Int64) {
        let present = Self.second(of: nowTick)
        var second = max(Self.second(of: currentTick) + 1, present - Int64(Self.secondCount) + 1)
        while second < present, heads[Self.place(ofSecond: second)] == Self.none { second += 1 }
        currentTick = second << 10
        var timer = heads[Self.place(ofSecond: second)]
        while timer != Self.none {
            let node = nodes[Int(timer)]
            if Self.second(of: node.tick) <= second {
                disarm(Int(timer))
                insert(Int(timer), tick: max(node.tick, currentTick))
            }
            timer = node.next
        }
    }

    /// When to look again: at the earliest deadline; at the latest when its second begins. `distantFuture` if nothing
    /// is armed. Later than the time that `popExpired` was last asked about, once that has returned `nil`.
    public func nextDeadline() -> Instant {
        guard armedCount > 0 else { return .distantFuture }
        if let tick = firstTick() { return Instant(nanoseconds: tick * 1_000_000) }
        let second = Self.second(of: currentTick) + 1
        let bits = occupied[16]
        let start = UInt64(second & 63)
        // Turned so that the next second's bit is the lowest.
        let turned = bits >> start | (start == 0 ? 0 : bits << (64 - start))
        precondition(turned != 0, "an armed timer is in no list")
        let next = second + Int64(turned.trailingZeroBitCount)
        return Instant(nanoseconds: (next << 10) * 1_000_000)
    }
}
