import Wire

/// Which layers of the encoding that a seat shows go out: no more than it may have, and never one that the viewer's
/// decoder lacks something for.
///
/// Down goes at the next picture. Up goes at a switching point: a temporal layer where the sender says that one may go up
/// to it, a spatial layer at a key picture, which is asked for.
struct LayerSelector: BitwiseCopyable, Sendable {
    private(set) var limit = LayerLimit()
    /// What goes out, where layers are in the payload's own descriptor.
    private var current = LayerLimit()
    /// What goes out, by the dependency descriptor; −1: that isn't known yet.
    private var target = -1
    /// Nothing is to be done before the next key frame.
    private(set) var isSettled = true

    init() {}

    mutating func setLimit(_ limit: LayerLimit) {
        guard limit != self.limit else { return }
        self.limit = limit
        isSettled = false
    }

    /// Another encoding begins, with a key frame.
    mutating func begin() {
        current = LayerLimit()
        target = -1
        isSettled = false
    }

    /// Looks whether others shall go out from this packet on, the first one of a frame.
    ///
    /// - Returns: what goes out then; `nil`: what did.
    mutating func choose(at packet: borrowing PacketInfo, in layers: borrowing EncodingLayers) -> SentLayers?
    {
        if packet.frame.hasDescribedTargets { return chooseTarget(at: packet, in: layers.structure) }
        guard packet.frame.targets != .max else {
            isSettled = true
            return nil
        }
        return chooseLayers(at: packet, in: layers)
    }

    /// Whether what may be had can't be had before a key frame.
    func needsKeyFrame(in layers: borrowing EncodingLayers) -> Bool {
        guard target >= 0, layers.structure.isKnown else {
            return min(limit.spatial, layers.highest.spatial) > current.spatial
        }
        guard target < layers.structure.targetCount,
            let wanted = layers.structure.bestTarget(spatialID: limit.spatial, temporalID: limit.temporal)
        else { return false }
        return !layers.structure.isTarget(wanted, within: target)
            && layers.structure.spatialID(ofTarget: wanted) != layers.structure.spatialID(ofTarget: target)
    }

    // MARK: Layers of the payload's descriptor

    private mutating func chooseLayers(
        at packet: borrowing PacketInfo, in layers: borrowing EncodingLayers
    ) -> SentLayers? {
        let highest = SentLayers.highestLayer
        let wanted = LayerLimit(spatial: min(limit.spatial, highest), temporal: min(limit.temporal, highest))
        var next = current
        if packet.frame.isKeyFrame {
            next = wanted
        } else if packet.frame.isPictureStart {
            next.spatial = min(next.spatial, wanted.spatial)
            next.temporal = min(next.temporal, wanted.temporal)
            // One by one: a picture that needs nothing of its own layer may still need some of the layer between.
            if next.temporal < wanted.temporal, packet.frame.isSwitchingUpPoint,
                packet.frame.temporal == next.temporal + 1
            {
                next.temporal = packet.frame.temporal
            }
            // Nothing above it has come, so nothing was left out.
            if next.temporal >= layers.highest.temporal { next.temporal = wanted.temporal }
        }
        isSettled = next == wanted
        guard next != current else { return nil }
        current = next
        return SentLayers(upTo: next)
    }

    // MARK: Targets of the dependency descriptor

    private mutating func chooseTarget(
        at packet: borrowing PacketInfo, in structure: borrowing DependencyStructure
    ) -> SentLayers? {
        guard let wanted = structure.bestTarget(spatialID: limit.spatial, temporalID: limit.temporal) else {
            return nil
        }
        if packet.frame.isKeyFrame {
            isSettled = true
            target = wanted
            return sent(wanted, in: structure, isAnnounced: false)
        }
        guard target >= 0, target < structure.targetCount else { return nil }
        var next = target
        if packet.frame.isPictureStart { next = lowered(to: wanted, in: structure) }
        next = raised(next, to: wanted, at: packet, in: structure)
        isSettled = next == wanted
        guard next != target else { return nil }
        target = next
        return sent(next, in: structure, isAnnounced: true)
    }

    /// The best target for which nothing is needed that didn't go out.
    private func lowered(to wanted: Int, in structure: borrowing DependencyStructure) -> Int {
        if structure.isTarget(wanted, within: target) { return wanted }
        let spatial = min(structure.spatialID(ofTarget: wanted), structure.spatialID(ofTarget: target))
        let temporal = min(structure.temporalID(ofTarget: wanted), structure.temporalID(ofTarget: target))
        guard let lower = structure.bestTarget(spatialID: spatial, temporalID: temporal),
            structure.isTarget(lower, within: target)
        else { return target }
        return lower
    }

    /// The best target of the same spatial layer that one may go up to at a frame of what goes out.
    private func raised(
        _ current: Int, to wanted: Int, at packet: borrowing PacketInfo,
        in structure: borrowing DependencyStructure
    ) -> Int {
        guard packet.frame.targets >> UInt32(current) & 1 != 0, packet.frame.switches != 0 else {
            return current
        }
        let spatial = structure.spatialID(ofTarget: current)
        let highest = structure.temporalID(ofTarget: wanted)
        var best = current
        for target in 0..<structure.targetCount where packet.frame.switches >> UInt32(target) & 1 != 0 {
            let temporal = structure.temporalID(ofTarget: target)
            if structure.spatialID(ofTarget: target) == spatial, temporal <= highest,
                temporal > structure.temporalID(ofTarget: best)
            {
                best = target
            }
        }
        return best
    }

    /// - Parameter isAnnounced: the viewer has been told of other targets since the last structure.
    private func sent(
        _ target: Int, in structure: borrowing DependencyStructure, isAnnounced: Bool
    ) -> SentLayers {
        var layers = SentLayers()
        let active = structure.targets(within: target)
        let isEverything = active == structure.allTargets
        if !isEverything {
            layers.target = 1 << UInt32(target)
            layers.topSpatial = structure.spatialID(ofTarget: target)
        }
        if !isEverything || isAnnounced { layers.activeTargets = active }
        return layers
    }
}
