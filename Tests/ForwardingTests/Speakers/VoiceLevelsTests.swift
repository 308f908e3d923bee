import FixedCollections
import Testing
import Wire

@testable import Forwarding

struct VoiceLevelsTests {
    private static func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func recent(_ levels: VoiceLevels, _ count: Int, at now: Instant) -> [UInt8] {
        let silent = levels.silentSamples(at: now)
        return (0..<count).map { levels.level(ago: $0, silent: silent) }
    }

    @Test func `a packet fills as many samples as it lasts`() {
        var levels = VoiceLevels()
        levels.add(90, timestamp: RTPTimestamp(0), ticks: 2_880, at: Self.at(0))
        levels.add(80, timestamp: RTPTimestamp(2_880), ticks: 960, at: Self.at(60))
        #expect(recent(levels, 5, at: Self.at(60)) == [80, 90, 90, 90, 0])
    }

    @Test func `two packets of 10 ms make a sample as loud as the louder one`() {
        var levels = VoiceLevels()
        for (number, level) in [UInt8(90), 70, 60, 65].enumerated() {
            let timestamp = RTPTimestamp(UInt32(number * 480))
            levels.add(level, timestamp: timestamp, ticks: 480, at: Self.at(number * 10))
        }
        #expect(recent(levels, 3, at: Self.at(40)) == [65, 90, 0])
    }

    @Test func `up to 60 ms of lost packets sound like what came before, more is silence`() {
        var levels = VoiceLevels()
        levels.add(90, timestamp: RTPTimestamp(0), ticks: 960, at: Self.at(0))
        levels.add(80, timestamp: RTPTimestamp(3_840), ticks: 960, at: Self.at(80))
        #expect(recent(levels, 5, at: Self.at(80)) == [80, 90, 90, 90, 90])
        levels.add(70, timestamp: RTPTimestamp(3_840 + 5 * 960), ticks: 960, at: Self.at(180))
        #expect(recent(levels, 6, at: Self.at(180)) == [70, 0, 0, 0, 0, 80])
    }

    @Test func `the time since the last packet is silence, but for what may just be late`() {
        var levels = VoiceLevels()
        levels.add(90, timestamp: RTPTimestamp(0), ticks: 960, at: Self.at(0))
        #expect(recent(levels, 1, at: Self.at(60)) == [90])
        #expect(recent(levels, 4, at: Self.at(80)) == [0, 0, 0, 90])
        #expect(recent(levels, 50, at: Self.at(60_000)) == [UInt8](repeating: 0, count: 50))
    }

    @Test func `what comes twice or late is passed over`() {
        var levels = VoiceLevels()
        levels.add(90, timestamp: RTPTimestamp(960), ticks: 960, at: Self.at(0))
        levels.add(70, timestamp: RTPTimestamp(1_920), ticks: 960, at: Self.at(20))
        levels.add(70, timestamp: RTPTimestamp(1_920), ticks: 960, at: Self.at(21))
        levels.add(99, timestamp: RTPTimestamp(0), ticks: 960, at: Self.at(22))
        #expect(recent(levels, 3, at: Self.at(22)) == [70, 90, 0])
    }

    @Test func `timestamps may wrap and start over anywhere`() {
        var levels = VoiceLevels()
        levels.add(90, timestamp: RTPTimestamp(.max - 959), ticks: 960, at: Self.at(0))
        levels.add(91, timestamp: RTPTimestamp(0), ticks: 960, at: Self.at(20))
        #expect(recent(levels, 2, at: Self.at(20)) == [91, 90])
        for start: UInt32 in [0x8000_0000, 0x7FFF_0000, 5, 0xFFFF_0000] {
            levels.add(92, timestamp: RTPTimestamp(start), ticks: 960, at: Self.at(40))
            #expect(recent(levels, 1, at: Self.at(40)) == [92])
        }
    }

    @Test func `any timestamps, lengths and levels are survived`() {
        var voice = VoiceTrace(seed: 77)
        var levels = VoiceLevels()
        for _ in 0..<20_000 {
            let timestamp = RTPTimestamp(UInt32(voice.between(0, Int(UInt32.max))))
            let now = Self.at(voice.between(0, 1_000_000))
            let ticks = voice.between(-10, 100_000)
            levels.add(UInt8(voice.between(0, 127)), timestamp: timestamp, ticks: ticks, at: now)
            let activity = levels.activity(at: now)
            #expect(activity.immediate <= 12 && activity.medium <= 5 && activity.long <= 10)
        }
    }

    @Test func `the floor follows the background of the last 15 s`() {
        var floor = NoiseFloor()
        #expect(floor.threshold == 0)
        for _ in 0..<750 { floor.add(40) }
        #expect(floor.threshold == 48)
        floor.add(0)
        #expect(floor.threshold == 48)
        for _ in 0..<750 { floor.add(94) }
        #expect(floor.threshold == 102)
    }

    @Test func `a background that varies more has a higher threshold, by 15 at the most`() {
        var voice = VoiceTrace(seed: 4)
        var floor = NoiseFloor()
        for level in voice.noise(.seconds(15), level: 80, spread: 6) { floor.add(level) }
        #expect(floor.threshold >= 84 && floor.threshold <= 88)
    }
}
