import FixedCollections
import Testing
import Wire

@testable import Forwarding

struct SpeakerCostTests {
    @Test func `a speaker takes at most 128 bytes`() {
        #expect(MemoryLayout<Speaker>.stride <= 128)
    }

    @Test func `a packet costs the same with a thousand talkers as with ten`() {
        let few = Self.nanosecondsAPacket(participants: 10)
        let many = Self.nanosecondsAPacket(participants: 1_000)
        // Decisions are included. A walk over all at each packet would make it a hundred times as much.
        #expect(many < few * 8, "\(few) ns a packet with 10, \(many) ns with 1,000")
    }

    // Swift 6.3.1 crashes when it optimizes this function; what is measured is optimized all the same.
    /// The best of five fifths of a second in which a tenth talks and the others send background noise.
    @_optimize(none)
    private static func nanosecondsAPacket(participants: Int) -> Int64 {
        var voice = VoiceTrace(seed: 6)
        let room = TalkingRoom(participants: participants)
        let talk = voice.talk(.seconds(1))
        let silence = voice.silence(.seconds(1))
        var best = Int64.max
        for part in 0..<5 {
            let samples = part * 10..<part * 10 + 10
            let traces = (0..<participants).map { Array(($0 % 10 == 0 ? talk : silence)[samples]) }
            let time = ContinuousClock().measure { room.play(traces) }
            best = min(best, time.wholeNanoseconds / Int64(participants * 10))
        }
        return best
    }

    @Test func `the score tables follow from the formula`() {
        // ln C(n, v) by its ratio to the neighbour: differences of the table are ln((n − v + 1) / v) + λ.
        let scales: [(Int, Double, (Int) -> Double)] = [
            (13, 0.78, SpeechScore.immediate), (5, 24, SpeechScore.medium), (10, 47, SpeechScore.long),
        ]
        for (units, lambda, score) in scales {
            for active in 1...units where score(active - 1) > 1e-10 {
                let step = score(active) - score(active - 1) - lambda
                let ratio = Double(units - active + 1) / Double(active)
                #expect(abs(Self.exponential(step) - ratio) < 1e-9)
            }
            #expect(score(0) == 1e-10)
        }
        // ln C(5, 5) − 5 ln 2 − ln 24 + 5 · 24
        #expect(abs(Self.exponential(120 - SpeechScore.medium(5)) - 32 * 24) < 1e-6)
        #expect(abs(Self.exponential(470 - SpeechScore.long(10)) - 1_024 * 47) < 1e-3)
        #expect(abs(Self.exponential(13 * 0.78 - SpeechScore.immediate(13)) - 8_192 * 0.78) < 1e-6)
    }

    private static func exponential(_ exponent: Double) -> Double {
        // Of a sixty-fourth, then squared six times.
        var term = 1.0
        var sum = 1.0
        for number in 1..<20 {
            term *= exponent / 64 / Double(number)
            sum += term
        }
        for _ in 0..<6 { sum *= sum }
        return sum
    }

    @Test func `an Opus packet's level rises with its length and is silence for DTX`() {
        #expect(OpusLoudness.level(bytes: 1, ticks: 960) == 0)
        #expect(OpusLoudness.level(bytes: 2, ticks: 2_880) == 0)
        #expect(OpusLoudness.level(bytes: 32, ticks: 960) == 80)
        #expect(OpusLoudness.level(bytes: 96, ticks: 2_880) == 80)
        #expect(OpusLoudness.level(bytes: 64, ticks: 960) == 96)
        #expect(OpusLoudness.level(bytes: 1_400, ticks: 960) == 127)
        #expect(OpusLoudness.level(bytes: 3, ticks: 5_760) == 0)
        let rising = (3..<1_500).map { OpusLoudness.level(bytes: $0, ticks: 960) }
        #expect(rising == rising.sorted())
    }
}
