import FixedCollections
import Wire

@testable import Forwarding

/// Levels of 20 ms each, made up from a seed.
struct VoiceTrace {
    private var generator: TraceGenerator

    init(seed: UInt64) {
        generator = TraceGenerator(state: seed)
    }

    /// Talk: syllables of 120 to 280 ms with short dips between them, and a breath after each few.
    mutating func talk(_ duration: Duration, loudness: Int = 102, background: Int = 20) -> [UInt8] {
        var levels: [UInt8] = []
        let count = Int(duration.wholeMilliseconds / 20)
        while levels.count < count {
            for _ in 0..<between(4, 8) {
                let peak = loudness + between(-5, 5)
                let length = between(6, 14)
                for sample in 0..<length {
                    let edge = min(sample, length - 1 - sample)
                    levels.append(level(max(background, peak - max(0, 1 - edge) * 8 + between(-2, 2))))
                }
                for _ in 0..<between(1, 3) { levels.append(level(max(background, peak - between(20, 45)))) }
            }
            for _ in 0..<between(7, 15) { levels.append(level(background + between(0, 3))) }
        }
        return Array(levels.prefix(count))
    }

    /// Steady noise, spread in three classes around its level.
    mutating func noise(_ duration: Duration, level mean: Int, spread: Int = 2) -> [UInt8] {
        (0..<Int(duration.wholeMilliseconds / 20)).map { _ in
            level(mean + between(-spread, spread) + between(-spread, spread) / 2)
        }
    }

    mutating func silence(_ duration: Duration, background: Int = 20) -> [UInt8] {
        noise(duration, level: background, spread: 1)
    }

    /// Loud all along, but for what lies before and after it.
    mutating func cough(_ duration: Duration) -> [UInt8] {
        (0..<Int(duration.wholeMilliseconds / 20)).map { _ in level(115 + between(-8, 8)) }
    }

    mutating func between(_ low: Int, _ high: Int) -> Int {
        Int.random(in: low...high, using: &generator)
    }

    private func level(_ value: Int) -> UInt8 { UInt8(max(0, min(127, value))) }
}

private struct TraceGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A tracker with its participants on a virtual clock. Participants are numbered from 1 on.
final class TalkingRoom {
    struct Change: Equatable {
        var at: Duration
        var participant: UInt64?
    }

    private(set) var tracker = SpeakerTracker()
    private(set) var changes: [Change] = []
    private(set) var now = Instant.zero
    private(set) var decisions = 0
    private var ids: [SpeakerID] = []
    private var timestamps: [RTPTimestamp] = []

    init(participants: Int) {
        for number in 0..<participants { join(UInt64(number + 1)) }
    }

    func join(_ participant: UInt64) {
        let id = tracker.insert(participant: participant, isLive: true)
        guard !ids.contains(id) else { return }
        ids.append(id)
        timestamps.append(RTPTimestamp(UInt32(truncatingIfNeeded: participant &* 0x9E37_79B9)))
    }

    var dominant: UInt64? { changes.last?.participant }
    var elapsed: Duration { now - .zero }

    /// Plays a trace a participant, a packet each 20 ms; one whose trace has ended sends nothing.
    func play(_ traces: [[UInt8]], packetSamples: Int = 1, missing: (Int) -> Bool = { _ in false }) {
        let count = traces.map(\.count).max() ?? 0
        for sample in 0..<count {
            now += .milliseconds(20)
            for (number, trace) in traces.enumerated() {
                let packet = sample - packetSamples + 1
                guard (sample + 1) % packetSamples == 0, sample < trace.count else { continue }
                let loudest = trace[max(0, packet)...sample].max() ?? 0
                let timestamp = timestamps[number]
                timestamps[number] = timestamp.advanced(by: 960 * packetSamples)
                guard !missing(sample) else { continue }
                _ = tracker.add(
                    loudest, timestamp: timestamp, ticks: 960 * packetSamples, of: ids[number], at: now)
            }
            for number in 0..<ids.count where number >= traces.count || sample >= traces[number].count {
                timestamps[number] = timestamps[number].advanced(by: 960)
            }
            poll()
        }
    }

    /// Time passes without a packet.
    func wait(_ duration: Duration) {
        for _ in 0..<Int(duration.wholeMilliseconds / 20) {
            now += .milliseconds(20)
            for number in 0..<ids.count { timestamps[number] = timestamps[number].advanced(by: 960) }
            poll()
        }
    }

    func poll() {
        while now >= tracker.deadline {
            decisions += 1
            if let change = tracker.decide(at: now) {
                changes.append(Change(at: elapsed, participant: change.participant))
            }
        }
    }

    func setLive(_ isLive: Bool, _ participant: UInt64) {
        tracker.setLive(isLive, ids[Int(participant) - 1])
        poll()
    }

    func remove(_ participant: UInt64) {
        tracker.remove(ids[Int(participant) - 1])
        poll()
    }
}
