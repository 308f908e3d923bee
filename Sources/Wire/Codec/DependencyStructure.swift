/// What a frame means for a decode target (AV1 RTP specification, appendix A.4).
public enum DecodeTargetIndication: UInt8, Sendable, BitwiseCopyable {
    /// Not needed for this target.
    case notPresent
    /// Part of the target, and nothing depends on it.
    case discardable
    /// Part of the target; whoever starts with this frame can decode the target from here on.
    case `switch`
    /// Part of the target, and others depend on it.
    case required
}

/// The dependency structure that a key frame brings and that later frames are read against (AV1 RTP specification,
/// appendix A.3 and A.8).
///
/// About 2 KiB in place, without references. It can't be copied, so that no packet pays for that: keep one per stream.
public struct DependencyStructure: ~Copyable, Sendable {
    /// One kind of frame of the stream.
    struct Template: BitwiseCopyable {
        var spatialID: UInt8 = 0
        var temporalID: UInt8 = 0
        var referenceCount: UInt8 = 0
        // The decode target of exactly these layers; 255 if there is none.
        var ownTarget: UInt8 = 255
        // Distances less 1, 4 bits each, the first in the lowest bits.
        var references: UInt32 = 0
        // Indications, 2 bits each, the target 0 in the lowest bits.
        var indications: UInt64 = 0
        // Distances to the last frame in each chain, 4 bits each, chain 0 in the lowest bits.
        var chains0: UInt64 = 0
        var chains1: UInt64 = 0
    }

    /// References that are kept of a frame. AV1 and VP9 have no more than 7 and 3.
    @inlinable public static var largestReferenceCount: Int { 8 }

    /// Number of templates, 1 to 64; 0 if no structure has come yet.
    public internal(set) var templateCount = 0
    /// Number of decode targets, 1 to 32.
    public internal(set) var targetCount = 0
    /// Number of chains, 0 to 32.
    public internal(set) var chainCount = 0
    /// Highest layers of all templates.
    public internal(set) var largestSpatialID: UInt8 = 0
    public internal(set) var largestTemporalID: UInt8 = 0
    var templateIDOffset: UInt8 = 0
    var hasSizes = false
    var templates = InlineArray<64, Template>(repeating: Template())
    // Chain that protects each target.
    var protectors = InlineArray<32, UInt8>(repeating: 0)
    // Layers of each target: spatial id in the upper, temporal id in the lower 4 bits.
    var targetLayers = InlineArray<32, UInt8>(repeating: 0)
    // Bit k of a target's number: all its frames are target k's too.
    var containers = InlineArray<32, UInt32>(repeating: 0)
    // Width and height less 1, of each spatial layer.
    var sizes = InlineArray<4, UInt32>(repeating: 0)

    public init() {}

    /// The template at `index`, below `templateCount`.
    ///
    /// Mutating, because reading an element through a borrow of this size makes the compiler copy all of it.
    mutating func template(at index: Int) -> Template {
        templates.mutableSpan[index]
    }

    /// Whether a structure has come.
    public var isKnown: Bool { templateCount > 0 }

    /// Highest spatial layer that belongs to `target`, below `targetCount`.
    public func spatialID(ofTarget target: Int) -> UInt8 { targetLayers[target] >> 4 }

    /// Highest temporal layer that belongs to `target`, below `targetCount`.
    public func temporalID(ofTarget target: Int) -> UInt8 { targetLayers[target] & 0x0F }

    /// The chain that protects `target`, below `targetCount`; nil if there are no chains.
    public func chain(protecting target: Int) -> Int? {
        chainCount > 0 ? Int(protectors[target]) : nil
    }

    /// The decode target of exactly these layers; nil if there is none.
    public func target(spatialID: UInt8, temporalID: UInt8) -> Int? {
        let layers = spatialID << 4 | temporalID & 0x0F
        for target in 0..<targetCount where targetLayers[target] == layers { return target }
        return nil
    }

    /// Bit k is set for each target k of the structure.
    public var allTargets: UInt32 { targetCount > 0 ? UInt32.max >> UInt32(32 - targetCount) : 0 }

    /// The best target, by spatial layer first, that has no layers above these; the lowest one if all have.
    public func bestTarget(spatialID: UInt8, temporalID: UInt8) -> Int? {
        var best: Int?
        var lowest: Int?
        for target in 0..<targetCount {
            let layers = targetLayers[target]
            if targetLayers[lowest ?? target] >= layers { lowest = target }
            guard layers >> 4 <= spatialID, layers & 0x0F <= temporalID else { continue }
            if targetLayers[best ?? target] <= layers { best = target }
        }
        return best ?? lowest
    }

    /// Whether all frames of `target` are frames of `container` too, both below `targetCount`: whoever gets these can go
    /// over to those at any time.
    public func isTarget(_ target: Int, within container: Int) -> Bool {
        containers[target] >> UInt32(container) & 1 != 0
    }

    /// Bit k is set for each target k that lies within `container`.
    public func targets(within container: Int) -> UInt32 {
        var targets: UInt32 = 0
        for target in 0..<targetCount where isTarget(target, within: container) {
            targets |= 1 << UInt32(target)
        }
        return targets
    }

    /// Size of a spatial layer; nil if it isn't told or there is no such layer.
    public func size(ofLayer layer: Int) -> FrameSize? {
        guard hasSizes, layer >= 0, layer <= Int(largestSpatialID) else { return nil }
        return FrameSize(width: Int(sizes[layer] >> 16) + 1, height: Int(sizes[layer] & 0xFFFF) + 1)
    }
}
