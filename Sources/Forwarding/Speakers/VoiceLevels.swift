import FixedCollections
import Wire

/// How loud one sender was during the last second, in samples of 20 ms, along the sender's own RTP clock.
///
/// Levels are 127 minus the value of RFC 6464: 0 is silence and 127 is the loudest there is.
struct VoiceLevels: BitwiseCopyable, Sendable {
    static var sampleCount: Int { 50 }
    /// Ticks of the 48 kHz RTP clock in a sample.
    private static var sampleTicks: Int { 960 }
    /// Samples missing in a row that were lost rather than not sent.
    private static var lossLimit: Int { 3 }
    /// Samples by which a packet may be late before its time counts as silence.
    private static var lateness: Int { 2 }

    private var levels = InlineArray<50, UInt8>(repeating: 0)
    private var newest: UInt8 = 0
    /// Samples of the last packet.
    private var packetSamples: UInt8 = 1
    /// Loudest of what has come of the sample that isn't complete.
    private var partialLevel: UInt8 = 0
    private var isStarted = false
    private var partialTicks: UInt16 = 0
    /// The timestamp behind the last packet.
    private var end = RTPTimestamp(0)
    private(set) var floor = NoiseFloor()
    private var lastArrival = Instant.longAgo
    /// When a voiced sample last came.
    private(set) var lastVoiced = Instant.longAgo

    init() {}

    /// Takes in a packet's level, for all of its length; silence for what is missing before it.
    ///
    /// What comes late or twice is passed over. O(samples that have passed), at most a second's.
    ///
    /// - Parameter ticks: the packet's length on the RTP clock, up to 120 ms.
    mutating func add(_ level: UInt8, timestamp: RTPTimestamp, ticks: Int, at now: Instant) {
        let ticks = max(1, min(ticks, 5_760))
        var fresh = ticks
        if isStarted {
            let gap = timestamp.distance(from: end)
            if gap <= -ticks, gap > -48_000 { return }
            if gap < 0, gap > -48_000 { fresh += gap }
            if gap > 0 { passOver(gap) }
        }
        isStarted = true
        end = timestamp.advanced(by: ticks)
        lastArrival = now
        packetSamples = UInt8((ticks + Self.sampleTicks - 1) / Self.sampleTicks)
        partialLevel = max(partialLevel, level)
        partialTicks += UInt16(fresh)
        while partialTicks >= UInt16(Self.sampleTicks) {
            complete(at: now)
            partialLevel = level
            partialTicks -= UInt16(Self.sampleTicks)
        }
        if partialTicks == 0 { partialLevel = 0 }
    }

    private mutating func complete(at now: Instant) {
        append(partialLevel)
        floor.add(partialLevel)
        if isVoiced(partialLevel) { lastVoiced = now }
    }

    /// What was lost sounded like what came before it; longer gaps are silence that wasn't sent (DTX).
    private mutating func passOver(_ gap: Int) {
        let missing = (gap + Self.sampleTicks / 2) / Self.sampleTicks
        guard missing > 0 else { return }
        partialTicks = 0
        partialLevel = 0
        let level = missing <= Self.lossLimit ? levels[Int(newest)] : 0
        for _ in 0..<min(missing, Self.sampleCount) { append(level) }
    }

    private mutating func append(_ level: UInt8) {
        newest = newest == UInt8(Self.sampleCount - 1) ? 0 : newest + 1
        levels[Int(newest)] = level
    }

    /// Forgets the last second, but not the background.
    mutating func clear() {
        levels = InlineArray(repeating: 0)
        partialTicks = 0
        partialLevel = 0
        isStarted = false
        lastArrival = .longAgo
        lastVoiced = .longAgo
    }

    /// Samples that have passed without a packet.
    func silentSamples(at now: Instant) -> Int {
        let elapsed = (now - lastArrival).wholeNanoseconds / 20_000_000
        let due = Int64(packetSamples)
        return elapsed <= due + Int64(Self.lateness) ? 0 : Int(min(elapsed - due, Int64(Self.sampleCount)))
    }

    /// The level of a sample, 0 the newest and 49 the oldest, after `silent` samples without a packet.
    func level(ago: Int, silent: Int) -> UInt8 {
        guard ago >= silent else { return 0 }
        let index = Int(newest) - (ago - silent)
        return levels[index < 0 ? index + Self.sampleCount : index]
    }
}

extension Instant {
    /// Further back than any window looks.
    static var longAgo: Instant { Instant(nanoseconds: -1 << 62) }
}
