import Testing
import TestSupport
import Wire

@testable import Forwarding

@Suite struct SequenceExtenderTests {
    private var extender = SequenceExtender()

    private mutating func place(_ number: Int, isRepair: Bool = false) -> SequenceExtender.Position {
        extender.place(SequenceNumber(UInt16(truncatingIfNeeded: number)), isRepair: isRepair)
    }

    @Test mutating func `the first packet is the newest and misses nothing`() {
        #expect(place(65_530) == .newest(extended: 65_536 + 65_530, missing: 0))
    }

    @Test mutating func `numbers go on over a wrap`() {
        _ = place(65_534)
        #expect(place(65_535) == .newest(extended: 131_071, missing: 0))
        #expect(place(0) == .newest(extended: 131_072, missing: 0))
        #expect(place(3) == .newest(extended: 131_075, missing: 2))
        #expect(place(65_535) == .older(extended: 131_071))
    }

    @Test mutating func `the newest again counts as older`() {
        _ = place(7)
        #expect(place(7) == .older(extended: 65_543))
    }

    @Test(arguments: [1, 2, 3_000]) mutating func `a gap up to the largest jump is a gap`(step: Int) {
        _ = place(65_000)
        #expect(place(65_000 + step) == .newest(extended: Int64(65_536 + 65_000 + step), missing: step - 1))
    }

    @Test(arguments: [3_001, 30_000, -3_000, -20_000]) mutating func `a larger jump is a restart`(step: Int) {
        _ = place(30_000)
        let before = extender.highest
        guard case .restarted(let extended) = place(30_000 + step) else {
            Issue.record("no restart")
            return
        }
        #expect(extended > before + 65_536)
        #expect(UInt16(truncatingIfNeeded: extended) == UInt16(truncatingIfNeeded: 30_000 + step))
    }

    @Test mutating func `late packets after a restart stay above everything before it`() {
        _ = place(60_000)
        let before = extender.highest
        _ = place(10)
        guard case .older(let late) = place(10 - 2_999) else {
            Issue.record("not late")
            return
        }
        #expect(late > before)
    }

    @Test mutating func `stragglers of before a restart don't restart again`() {
        _ = place(5_000)
        _ = place(40_000)
        #expect(place(5_001) == .stale)
        #expect(place(4_999) == .stale)
        #expect(place(40_001) == .newest(extended: extender.highest, missing: 0))
    }

    @Test mutating func `a sender that goes back for good is followed`() {
        _ = place(5_000)
        _ = place(40_000)
        var stale = 0
        for number in 5_001..<5_200 where place(number) == .stale { stale += 1 }
        #expect(stale == SequenceExtender.stragglerLimit)
        #expect(UInt16(truncatingIfNeeded: extender.highest) == 5_199)
    }

    @Test mutating func `a sender that starts over a little behind is followed after a while`() {
        _ = place(5_000)
        let before = extender.highest
        var older = 0
        for number in 4_000..<4_400 {
            if case .older = place(number) { older += 1 }
        }
        #expect(older == SequenceExtender.longestBehindRun)
        #expect(extender.highest > before + 65_536)
        #expect(UInt16(truncatingIfNeeded: extender.highest) == 4_399)
    }

    @Test mutating func `a long run of repairs is no restart`() {
        _ = place(5_000)
        for number in 4_000..<4_900 {
            #expect(place(number, isRepair: true) == .older(extended: Int64(65_536 + number)))
        }
    }

    @Test mutating func `a repair never restarts`() {
        _ = place(5_000)
        #expect(place(40_000, isRepair: true) == .stale)
        #expect(place(5_001) == .newest(extended: 65_536 + 5_001, missing: 0))
    }

    @Test mutating func `an expected restart takes even the next number for a new stretch`() {
        _ = place(5_000)
        let before = extender.highest
        extender.expectRestart()
        #expect(place(5_002, isRepair: true) == .stale)
        #expect(place(5_001) == .restarted(extended: extender.highest))
        #expect(extender.highest > before + 65_536)
        #expect(place(5_002) == .newest(extended: extender.highest, missing: 0))
    }

    @Test mutating func `no number is given to two packets whatever comes`() {
        var generator = SeededGenerator(seed: 1)
        var number = 65_000
        var newest: Set<Int64> = []
        for _ in 0..<200_000 {
            number += generator.happens(0.001) ? generator.below(65_536) : 1 + generator.below(3)
            switch place(number - (generator.happens(0.05) ? generator.below(100) : 0)) {
            case .newest(let extended, _), .restarted(let extended): #expect(newest.insert(extended).inserted)
            case .older(let extended): #expect(extended <= extender.highest)
            case .stale: break
            }
        }
    }
}
