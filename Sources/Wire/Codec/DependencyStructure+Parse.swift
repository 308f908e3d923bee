/// Reading a structure, in the order of the syntax tables (AV1 RTP specification, appendix A.8.2).
extension DependencyStructure {
    /// Throws `truncated`, `malformed`, or `unsupported` for more than 4 spatial or 8 temporal layers, or more
    /// references than are kept.
    init(_ reader: inout BitReader, in bytes: Span<UInt8>) throws(CodecError) {
        self.init()
        templateIDOffset = UInt8(truncatingIfNeeded: reader.read(6, in: bytes))
        targetCount = Int(reader.read(5, in: bytes)) + 1
        try readLayers(&reader, bytes)
        readIndications(&reader, bytes)
        try readReferences(&reader, bytes)
        try readChains(&reader, bytes)
        deriveTargetLayers()
        deriveContainers()
        hasSizes = reader.readFlag(in: bytes)
        if hasSizes {
            for layer in 0...Int(largestSpatialID) { sizes[layer] = reader.read(32, in: bytes) }
        }
        guard !reader.isExhausted else { throw .truncated }
    }

    private mutating func readLayers(_ reader: inout BitReader, _ bytes: Span<UInt8>) throws(CodecError) {
        var spatialID: UInt8 = 0
        var temporalID: UInt8 = 0
        while true {
            guard templateCount < 64 else { throw .malformed }
            templates[templateCount].spatialID = spatialID
            templates[templateCount].temporalID = temporalID
            templateCount += 1
            largestTemporalID = max(largestTemporalID, temporalID)
            let step = reader.read(2, in: bytes)
            guard !reader.isExhausted else { throw .truncated }
            switch step {
            case 0: break
            case 1: temporalID += 1
            case 2:
                spatialID += 1
                temporalID = 0
            default:
                largestSpatialID = spatialID
                return
            }
            guard spatialID <= 3, temporalID <= 7 else { throw .unsupported }
        }
    }

    private mutating func readIndications(_ reader: inout BitReader, _ bytes: Span<UInt8>) {
        for template in 0..<templateCount {
            templates[template].indications = Self.readIndications(&reader, bytes, count: targetCount)
        }
    }

    /// 2 bits a target, target 0 in the lowest.
    static func readIndications(_ reader: inout BitReader, _ bytes: Span<UInt8>, count: Int) -> UInt64 {
        var indications: UInt64 = 0
        for target in 0..<count {
            indications |= UInt64(reader.read(2, in: bytes)) << UInt64(2 * target)
        }
        return indications
    }

    private mutating func readReferences(_ reader: inout BitReader, _ bytes: Span<UInt8>) throws(CodecError) {
        for template in 0..<templateCount {
            var count = 0
            var references: UInt32 = 0
            while reader.readFlag(in: bytes) {
                guard count < Self.largestReferenceCount else { throw .unsupported }
                references |= reader.read(4, in: bytes) << UInt32(4 * count)
                count += 1
            }
            templates[template].references = references
            templates[template].referenceCount = UInt8(truncatingIfNeeded: count)
        }
    }

    private mutating func readChains(_ reader: inout BitReader, _ bytes: Span<UInt8>) throws(CodecError) {
        chainCount = reader.readNonSymmetric(below: targetCount + 1, in: bytes)
        guard chainCount > 0 else { return }
        guard chainCount <= targetCount else { throw .malformed }
        for target in 0..<targetCount {
            let chain = reader.readNonSymmetric(below: chainCount, in: bytes)
            guard chain < chainCount else { throw .malformed }
            protectors[target] = UInt8(truncatingIfNeeded: chain)
        }
        for template in 0..<templateCount {
            for chain in 0..<chainCount {
                let distance = UInt64(reader.read(4, in: bytes))
                if chain < 16 {
                    templates[template].chains0 |= distance << UInt64(4 * chain)
                } else {
                    templates[template].chains1 |= distance << UInt64(4 * chain - 64)
                }
            }
        }
    }

    /// A target lies within those that have all of its templates.
    private mutating func deriveContainers() {
        for target in 0..<targetCount {
            var containers = allTargets
            for template in 0..<templateCount {
                let indications = templates[template].indications
                guard indications >> UInt64(2 * target) & 3 != 0 else { continue }
                for other in 0..<targetCount where indications >> UInt64(2 * other) & 3 == 0 {
                    containers &= ~(1 << UInt32(other))
                }
            }
            self.containers[target] = containers
        }
    }

    /// A target's layers are the highest of the templates that are present in it.
    private mutating func deriveTargetLayers() {
        for target in 0..<targetCount {
            var spatialID: UInt8 = 0
            var temporalID: UInt8 = 0
            for template in 0..<templateCount
            where templates[template].indications >> UInt64(2 * target) & 3 != 0 {
                spatialID = max(spatialID, templates[template].spatialID)
                temporalID = max(temporalID, templates[template].temporalID)
            }
            targetLayers[target] = spatialID << 4 | temporalID
        }
        for template in 0..<templateCount {
            let layers = (templates[template].spatialID, templates[template].temporalID)
            let target = self.target(spatialID: layers.0, temporalID: layers.1) ?? 255
            templates[template].ownTarget = UInt8(truncatingIfNeeded: target)
        }
    }
}
