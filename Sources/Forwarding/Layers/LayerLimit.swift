/// The highest layers that are wanted of an encoding, or sent.
struct LayerLimit: Hashable, Sendable, BitwiseCopyable {
    var spatial: UInt8 = .max
    var temporal: UInt8 = .max
}

/// What goes out of an encoding, as a packet can be held against it: one of its decode targets.
///
/// A packet has a bit for each target that it belongs to (`FrameInfo.targets`). Those of a dependency descriptor are
/// counted as there. Where layers are in the payload's own descriptor, there is one target for each of four spatial and
/// four temporal layers.
struct SentLayers: Hashable, Sendable, BitwiseCopyable {
    /// The target's bit; all bits: everything goes out.
    var target = UInt32.max
    /// The spatial layer that ends a picture; beyond all: the one that ends it already.
    var topSpatial = UInt8.max
    /// What a dependency descriptor says of the targets that are active; 0: what it said.
    var activeTargets: UInt32 = 0
}

/// Targets where layers are in the payload's own descriptor.
extension SentLayers {
    /// Layers above the fourth, which nobody sends, count as that.
    static var highestLayer: UInt8 { 3 }

    /// Bits of the targets that have these layers.
    static func targets(spatial: UInt8, temporal: UInt8) -> UInt32 {
        // The temporal layers of one spatial layer, then of all, then of those that are high enough.
        let row: UInt32 = 0xf << UInt32(min(temporal, highestLayer)) & 0xf
        let all: UInt32 = row * 0x1111
        return all & 0xffff << UInt32(4 * min(spatial, highestLayer))
    }

    init(upTo limit: LayerLimit) {
        let (spatial, temporal) = (
            min(limit.spatial, Self.highestLayer), min(limit.temporal, Self.highestLayer)
        )
        guard spatial < Self.highestLayer || temporal < Self.highestLayer else { return }
        target = 1 << UInt32(4 * spatial + temporal)
        topSpatial = spatial
    }
}
