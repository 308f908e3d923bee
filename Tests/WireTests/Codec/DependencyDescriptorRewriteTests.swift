import Testing
import TestSupport
import Wire

@Suite struct DependencyDescriptorRewriteTests {
    private func rewritten(_ value: [UInt8], to targets: UInt32) throws -> [UInt8] {
        let key = DependencyDescriptorTests.key
        var structure = DependencyStructure()
        _ = try DependencyDescriptor.parse(key.span, structure: &structure)
        let descriptor = try DependencyDescriptor.parse(value.span, structure: &structure)
        let place = DependencyDescriptor.ActiveTargetsPlace(descriptor, targetCount: structure.targetCount)
        var copy = [UInt8](repeating: 0xff, count: place.length(of: value.count))
        var span = copy.mutableSpan
        DependencyDescriptor.rewrite(value.span, activeTargets: targets, at: place, into: &span)
        return copy
    }

    /// The same descriptor but for the targets.
    private func check(_ value: [UInt8], isPlaced: Bool) throws {
        let key = DependencyDescriptorTests.key
        for targets in [UInt32(0b0001), 0b0101, 0b1111, 0b0000] {
            var one = DependencyStructure()
            var two = DependencyStructure()
            _ = try DependencyDescriptor.parse(key.span, structure: &one)
            _ = try DependencyDescriptor.parse(key.span, structure: &two)
            let copy = try rewritten(value, to: targets)
            #expect((copy.count == value.count) == isPlaced)
            let before = try DependencyDescriptor.parse(value.span, structure: &one)
            let after = try DependencyDescriptor.parse(copy.span, structure: &two)
            #expect(after.activeTargets == targets && after.hasActiveTargets)
            #expect(after.templateID == before.templateID && after.frameNumber == before.frameNumber)
            #expect(after.startsFrame == before.startsFrame && after.endsFrame == before.endsFrame)
            #expect(after.hasStructure == before.hasStructure)
            #expect(after.presentTargets == before.presentTargets)
            #expect(after.switchTargets == before.switchTargets)
            #expect(after.referenceCount == before.referenceCount)
            for index in 0..<after.referenceCount {
                #expect(after.referenceDistance(index) == before.referenceDistance(index))
            }
            for chain in 0..<2 { #expect(after.chainDistance(chain) == before.chainDistance(chain)) }
            let sizes = [one.size(ofLayer: 1), two.size(ofLayer: 1)]
            let counts = [one.templateCount, two.templateCount]
            #expect(sizes[0] == sizes[1] && counts[0] == counts[1])
            #expect(after.activeTargetsPosition > 0)
        }
    }

    @Test func `the active targets are put in where nothing was said of them`() throws {
        try check(DependencyDescriptorTests.key, isPlaced: false)
        // Three bytes, and one with custom references.
        try check(hex("C3 01F6"), isPlaced: false)
        var fields = BitFields()
        for (value, count) in [(0b11, 2), (62, 6), (505, 16), (0b00010, 5)] { fields.append(value, count) }
        for (value, count) in [(1, 2), (3, 4), (2, 2), (40, 8), (0, 2)] { fields.append(value, count) }
        try check(fields.bytes, isPlaced: false)
    }

    @Test func `the active targets take the place of others`() throws {
        var fields = BitFields()
        for (value, count) in [(0b11, 2), (62, 6), (505, 16), (0b01001, 5)] { fields.append(value, count) }
        for (value, count) in [(0b1010, 4), (7, 8), (9, 8)] { fields.append(value, count) }
        try check(fields.bytes, isPlaced: true)
    }

    @Test func `targets are told apart by what they contain`() throws {
        let key = DependencyDescriptorTests.key
        var structure = DependencyStructure()
        let first = try DependencyDescriptor.parse(key.span, structure: &structure)
        #expect(first.presentTargets == 0b1111 && first.switchTargets == 0b1111)
        let all = structure.allTargets
        let within = (0..<4).map { structure.targets(within: $0) }
        #expect(all == 0b1111 && within == [0b0001, 0b0011, 0b0101, 0b1111])
        let isWithin = [structure.isTarget(0, within: 3), structure.isTarget(1, within: 2)]
        #expect(isWithin == [true, false])
        let best = [(UInt8(255), UInt8(255)), (0, 7), (1, 0)].map {
            structure.bestTarget(spatialID: $0.0, temporalID: $0.1)
        }
        #expect(best == [3, 1, 2])
        let none = DependencyStructure().bestTarget(spatialID: 3, temporalID: 3)
        #expect(none == nil)
        let three = hex("C3 01F6")
        let upper = try DependencyDescriptor.parse(three.span, structure: &structure)
        #expect(upper.presentTargets == 0b1000 && upper.switchTargets == 0)
    }
}
