public import FixedCollections
public import Wire

/// Shares out what one viewer's link carries among its seats, and says why nobody has more.
///
/// 1. Audio comes first, whatever is left for video.
/// 2. Every video that is wanted gets its lowest layer, in the order of the seats. If they don't all fit, the last ones are
///    paused; one that is too large for what is left is passed over.
/// 3. The stage goes to 360p30 before others get more.
/// 4. What is left is given in rounds, one step a seat and round, the stage first.
///
/// What is sent already may use the whole estimate; what isn't must fit the lowest of the last 5 s with 3 % to spare, so that
/// layers don't flap, and the lowest layers nine tenths of the estimate. Nothing ever goes above the estimate and the limits,
/// but for the first video's lowest layer where `AllocationLimits.roomForFirst` has it so: then nobody else has anything.
///
/// An allocation costs O(seats × layers), and allocates nothing once it has seen as many seats.
public struct BandwidthAllocator: ~Copyable {
    /// Share of the stable estimate that a new layer may use.
    private static var careful: Int { 97 }
    /// Share of the estimate that a lowest layer may use that isn't sent.
    private static var carefulBase: Int { 90 }

    private struct Plan: BitwiseCopyable {
        var ladder: LayerLadder
        /// What it is given; −1 for nothing.
        var rung = -1
        /// What it has; −1 for nothing.
        var current: Int
        var isOnStage: Bool
        /// Why it isn't considered at all.
        var excluded: LayerReason?
    }

    private var history = EstimateHistory()
    private var plans = List<Plan>()
    private var decided = List<SeatDecision>()
    // What videos may use in all: those that are sent, and new ones.
    private var live = 0
    private var stable = 0
    private var used = 0

    public private(set) var numbers = AllocationNumbers()

    public init() {}

    /// Takes down the estimate, each time that it changes.
    ///
    /// - Parameter isStarting: the link is still being found (`BandwidthEstimator.isStarting`).
    public mutating func update(estimate: Bitrate, isStarting: Bool, at now: Instant) {
        history.add(max(estimate.bitsPerSecond, 0), isStarting: isStarting, at: now)
    }

    /// Decides the layer of each video.
    ///
    /// - Parameters:
    ///   - videos: the viewer's seats in their order. The decisions have the same order.
    ///   - audio: what the voices take that are forwarded to it.
    public mutating func allocate(
        _ videos: Span<WantedVideo>, audio: Bitrate, limits: AllocationLimits
    ) {
        plan(videos, limits)
        prepare(audio, limits)
        giveBaseLayers(limits)
        if raiseStage() { shareRest() }
        decide(videos, reason: limitingReason(limits))
    }

    /// How many decisions there are: one a video of the last allocation.
    public var decisionCount: Int { decided.count }

    public func decision(_ index: Int) -> SeatDecision { decided[index] }

    // MARK: Preparation

    private mutating func plan(_ videos: Span<WantedVideo>, _ limits: AllocationLimits) {
        plans.removeAll()
        var left = limits.lastN ?? .max
        for index in 0..<videos.count {
            let video = videos[index]
            let ladder = LayerLadder(video)
            var plan = Plan(
                ladder: ladder, current: ladder.rung(of: video.current), isOnStage: video.isOnStage,
                excluded: nil)
            if !video.isLive || ladder.count == 0 {
                plan.excluded = .sourceOff
            } else if video.isPaused || limits.isVideoPaused {
                plan.excluded = .paused
            } else if left <= 0 {
                plan.excluded = .lastN
            } else {
                left -= 1
            }
            plans.append(plan)
        }
    }

    private mutating func prepare(_ audio: Bitrate, _ limits: AllocationLimits) {
        let limit = Self.bound(limits)
        let audio = max(audio.bitsPerSecond, 0)
        let budget = min(history.latest, limit)
        live = max(budget - audio, 0)
        // Limits don't waver: nothing needs to be spared of them.
        stable = max(min(min(history.stable / 100 * Self.careful, limit), budget) - audio, 0)
        if history.isFinding { stable = live }
        used = 0
        var demand = audio
        for index in 0..<plans.count where plans[index].excluded == nil {
            demand += plans[index].ladder.bitrate(plans[index].ladder.count - 1)
        }
        numbers = AllocationNumbers(
            estimate: Bitrate(bitsPerSecond: history.latest),
            stableEstimate: Bitrate(bitsPerSecond: history.stable), budget: Bitrate(bitsPerSecond: budget),
            audio: Bitrate(bitsPerSecond: audio), demand: Bitrate(bitsPerSecond: min(demand, limit)))
    }

    // MARK: Sharing

    /// Gives the seat its next rung, if that fits.
    private mutating func step(_ index: Int) -> Bool {
        let next = plans[index].rung + 1
        guard next < plans[index].ladder.count else { return false }
        let cost = plans[index].ladder.bitrate(next) - plans[index].ladder.bitrate(next - 1)
        guard used + cost <= room(for: next, current: plans[index].current) else { return false }
        used += cost
        plans[index].rung = next
        return true
    }

    /// What all videos may use with a rung. To see nothing is worse than to see something waver, so that a lowest layer is
    /// tried as soon as the estimate has room for it.
    private func room(for rung: Int, current: Int) -> Int {
        if rung <= current { return live }
        return rung == 0 ? max(stable, live / 100 * Self.carefulBase) : stable
    }

    private mutating func giveBaseLayers(_ limits: AllocationLimits) {
        var isFirst = true
        for index in 0..<plans.count where plans[index].excluded == nil {
            let isGiven = step(index)
            if isFirst, !isGiven, let share = limits.roomForFirst { insist(on: index, share, limits) }
            isFirst = false
        }
    }

    /// Gives the seat its lowest layer though the estimate has no room for it.
    private mutating func insist(on index: Int, _ share: Int, _ limits: AllocationLimits) {
        let cost = plans[index].ladder.bitrate(0)
        let needed = numbers.audio.bitsPerSecond + cost
        guard needed / 100 * share <= history.latest, needed <= Self.bound(limits) else {
            return
        }
        used = cost
        plans[index].rung = 0
    }

    /// Bits a second that the limits allow.
    private static func bound(_ limits: AllocationLimits) -> Int {
        min(limits.receive?.bitsPerSecond ?? .max, limits.server?.bitsPerSecond ?? .max)
    }

    /// - Returns: whether all of the stage is where it shall be before others get more.
    private mutating func raiseStage() -> Bool {
        var isRaised = true
        for index in 0..<plans.count where plans[index].isOnStage && plans[index].rung >= 0 {
            while plans[index].rung < plans[index].ladder.goal {
                guard step(index) else {
                    isRaised = false
                    break
                }
            }
        }
        return isRaised
    }

    private mutating func shareRest() {
        var isMoving = true
        while isMoving {
            isMoving = false
            if stepAll(onStage: true) { isMoving = true }
            if stepAll(onStage: false) { isMoving = true }
        }
    }

    private mutating func stepAll(onStage: Bool) -> Bool {
        var isMoving = false
        for index in 0..<plans.count where plans[index].isOnStage == onStage && plans[index].rung >= 0 {
            if step(index) { isMoving = true }
        }
        return isMoving
    }

    // MARK: Decisions

    private func limitingReason(_ limits: AllocationLimits) -> LayerReason {
        guard let server = limits.server?.bitsPerSecond, server <= history.stable else { return .bandwidth }
        return server <= limits.receive?.bitsPerSecond ?? .max ? .serverLimit : .bandwidth
    }

    private mutating func decide(_ videos: Span<WantedVideo>, reason: LayerReason) {
        decided.removeAll()
        for index in 0..<plans.count {
            var decision = SeatDecision(seat: videos[index].seat, layer: nil, reason: plans[index].excluded)
            let rung = plans[index].rung
            if rung >= 0 { decision.layer = videos[index].layers[plans[index].ladder.layer(rung)] }
            if plans[index].excluded == nil {
                if rung < plans[index].ladder.count - 1 {
                    decision.reason = reason
                    decision.needed = Bitrate(bitsPerSecond: plans[index].ladder.bitrate(rung + 1))
                } else if plans[index].ladder.isCut {
                    decision.reason = .viewport
                }
            }
            decided.append(decision)
        }
        numbers.video = Bitrate(bitsPerSecond: used)
    }
}
