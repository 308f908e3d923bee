import TestSupport
import Testing
import Wire

@Suite struct DependencyDescriptorTests {
    /// Two spatial and two temporal layers: six templates numbered from 62 on (over the wrap), four decode targets,
    /// two chains.
    private static func appendStructure(to fields: inout BitFields) {
        fields.append(62, 6)
        fields.append(3, 5)
        // S0T0, S0T0, S0T1, S1T0, S1T0, S1T1.
        for step in [0, 1, 2, 0, 1, 3] { fields.append(step, 2) }
        let indications = [
            [2, 2, 2, 2], [2, 3, 3, 3], [0, 1, 0, 3], [0, 0, 2, 2], [0, 0, 2, 3], [0, 0, 0, 1],
        ]
        for indication in indications.joined() { fields.append(indication, 2) }
        for distances in [[], [4], [2], [1], [4, 1], [16, 1]] {
            for distance in distances { fields.append(0x10 | (distance - 1), 5) }
            fields.append(0, 1)
        }
        fields.append(2, 2)
        for chain in [0, 0, 1, 1] { fields.append(chain, 1) }
        for distance in [0, 0, 4, 3, 2, 1, 1, 1, 1, 1, 3, 2] { fields.append(distance, 4) }
        fields.append(1, 1)
        for side in [320, 180, 640, 360] { fields.append(side - 1, 16) }
    }

    static let key: [UInt8] = {
        var fields = BitFields()
        fields.append(0b10, 2)
        fields.append(62, 6)
        fields.append(500, 16)
        fields.append(0b10000, 5)
        appendStructure(to: &fields)
        return fields.bytes
    }()

    private static func packet(template: Int, flags: Int, _ rest: [(Int, Int)]) -> [UInt8] {
        var fields = BitFields()
        fields.append(0b01, 2)
        fields.append(template, 6)
        fields.append(501, 16)
        fields.append(flags, 5)
        for (value, count) in rest { fields.append(value, count) }
        return fields.bytes
    }

    private func known() throws -> DependencyStructure {
        var structure = DependencyStructure()
        _ = try DependencyDescriptor.parse(Self.key.span, structure: &structure)
        return structure
    }

    @Test func `a key frame brings its structure`() throws {
        var structure = DependencyStructure()
        let descriptor = try DependencyDescriptor.parse(Self.key.span, structure: &structure)
        #expect(descriptor.isKeyFrame && descriptor.startsFrame && !descriptor.endsFrame)
        #expect(descriptor.frameNumber == 500)
        #expect(descriptor.spatialID == 0 && descriptor.temporalID == 0)
        #expect(descriptor.activeTargets == 0b1111)
        #expect(descriptor.referenceCount == 0)
        #expect(structure.templateCount == 6 && structure.targetCount == 4 && structure.chainCount == 2)
        #expect(structure.largestSpatialID == 1 && structure.largestTemporalID == 1)
        let layers = (0..<4).map {
            "S\(structure.spatialID(ofTarget: $0))T\(structure.temporalID(ofTarget: $0))"
        }
        #expect(layers == ["S0T0", "S0T1", "S1T0", "S1T1"])
        #expect((0..<4).map { structure.chain(protecting: $0) } == [0, 0, 1, 1])
        #expect(structure.size(ofLayer: 0) == FrameSize(width: 320, height: 180))
        #expect(structure.size(ofLayer: 1) == FrameSize(width: 640, height: 360))
        #expect(structure.size(ofLayer: 2) == nil)
        #expect(structure.target(spatialID: 1, temporalID: 0) == 2)
        #expect(structure.target(spatialID: 2, temporalID: 0) == nil)
    }

    @Test func `three bytes are read against the structure`() throws {
        var structure = try known()
        // Template 5 is number 3 after the wrap.
        let bytes = hex("C3 01F6")
        let descriptor = try DependencyDescriptor.parse(bytes.span, structure: &structure)
        #expect(descriptor.startsFrame && descriptor.endsFrame && !descriptor.isKeyFrame)
        #expect(descriptor.frameNumber == 502)
        #expect(descriptor.spatialID == 1 && descriptor.temporalID == 1)
        #expect(descriptor.activeTargets == nil)
        let distances = (0..<descriptor.referenceCount).map { descriptor.referenceDistance($0) }
        #expect(distances == [16, 1])
        let indications = (0..<4).map { descriptor.indication(forTarget: $0) }
        #expect(indications == [.notPresent, .notPresent, .notPresent, .discardable])
        #expect(descriptor.chainDistance(0) == 3 && descriptor.chainDistance(1) == 2)
    }

    @Test func `custom fields override the template`() throws {
        var structure = try known()
        let fields = [
            (0b0011, 4), (1, 2), (0, 2), (3, 2), (2, 2),
            (1, 2), (6, 4), (3, 2), (4_095, 12), (0, 2),
            (200, 8), (9, 8),
        ]
        let bytes = Self.packet(template: 63, flags: 0b01111, fields)
        let descriptor = try DependencyDescriptor.parse(bytes.span, structure: &structure)
        #expect(!descriptor.startsFrame && descriptor.endsFrame)
        #expect(descriptor.activeTargets == 0b0011)
        let indications = (0..<4).map { descriptor.indication(forTarget: $0) }
        #expect(indications == [.discardable, .notPresent, .required, .switch])
        let distances = (0..<descriptor.referenceCount).map { descriptor.referenceDistance($0) }
        #expect(distances == [7, 4_096])
        #expect(descriptor.chainDistance(0) == 200 && descriptor.chainDistance(1) == 9)
    }

    @Test func `without a structure, or with an unknown template, nothing is told`() throws {
        var none = DependencyStructure()
        let short = hex("C3 01F6")
        let unknown = outcome { () throws(CodecError) in
            _ = try DependencyDescriptor.parse(short.span, structure: &none)
        }
        #expect(unknown == .malformed)
        var structure = try known()
        let beyond = hex("C4 01F6")
        let wrong = outcome { () throws(CodecError) in
            _ = try DependencyDescriptor.parse(beyond.span, structure: &structure)
        }
        #expect(wrong == .malformed)
    }

    @Test func `a cut structure is refused, and the old one stays`() throws {
        for count in 0..<Self.key.count where count != 3 {
            var structure = DependencyStructure()
            let prefix = Array(Self.key.prefix(count))
            let error = outcome { () throws(CodecError) in
                _ = try DependencyDescriptor.parse(prefix.span, structure: &structure)
            }
            #expect(error == .truncated, "\(count) bytes")
            let isKnown = structure.isKnown
            #expect(!isKnown)
        }
        var structure = try known()
        let cut = Array(Self.key.dropLast())
        _ = try? DependencyDescriptor.parse(cut.span, structure: &structure)
        #expect(structure.templateCount == 6)
    }

    @Test func `more layers or references than are kept are refused`() {
        var deep = BitFields()
        deep.append(0x800000, 24)
        deep.append(0b10000, 5)
        deep.append(0, 11)
        for _ in 0..<4 { deep.append(2, 2) }
        deep.append(3, 2)
        deep.append(0, 300)
        let bytes = deep.bytes
        #expect(throws: CodecError.unsupported) {
            var structure = DependencyStructure()
            _ = try DependencyDescriptor.parse(bytes.span, structure: &structure)
        }
        let many = [(0, 0)] + [(Int, Int)](repeating: (0x11, 6), count: 9) + [(0, 2)]
        let custom = Self.packet(template: 62, flags: 0b00010, many)
        #expect(throws: CodecError.unsupported) {
            var structure = try known()
            _ = try DependencyDescriptor.parse(custom.span, structure: &structure)
        }
    }

    @Test func `a frame's description follows its descriptor`() throws {
        var structure = DependencyStructure()
        let key = try DependencyDescriptor.parse(Self.key.span, structure: &structure)
        let expected = MediaFrameInfo(
            isKeyFrame: true, isFrameStart: true, isFrameEnd: false, isSwitchingUpPoint: true)
        #expect(MediaFrameInfo(key) == expected)
        let bytes = hex("C2 01F6")
        let upper = try DependencyDescriptor.parse(bytes.span, structure: &structure)
        let info = MediaFrameInfo(upper)
        #expect(info.spatialID == 1 && info.temporalID == 0 && info.isSwitchingUpPoint && !info.isKeyFrame)
    }

    @Test func `hostile bytes are refused or read, whatever came before`() throws {
        let custom = Self.packet(template: 63, flags: 0b01111, [(0xFFFF, 16), (0x1234, 16)])
        var inputs = HostileInputs(seed: 4, changing: [Self.key, custom, hex("C3 01F6")])
        var structure = DependencyStructure()
        var read = 0
        for _ in 0..<100_000 {
            let bytes = inputs.next()
            guard let descriptor = try? DependencyDescriptor.parse(bytes.span, structure: &structure) else {
                continue
            }
            read += 1
            try #require(descriptor.spatialID <= 3 && descriptor.temporalID <= 7)
            try #require(descriptor.referenceCount <= DependencyStructure.largestReferenceCount)
            try #require(structure.targetCount <= 32 && structure.chainCount <= structure.targetCount)
            _ = MediaFrameInfo(descriptor)
        }
        #expect(read > 10_000 && read < 100_000)
    }
}
