import TestSupport
import Wire

/// Writes what stands in front of a frame's bytes.
struct DescriptorWriter {
    var structure: LayeredStructure
    /// Which of the simulcast encodings.
    var encoding: Int

    // MARK: Payload

    func payload(_ frame: LayeredFrame, starts: Bool, ends: Bool) -> [UInt8] {
        switch structure.codec {
        case .vp8: vp8(frame, starts: starts)
        case .vp9: vp9(frame, starts: starts, ends: ends)
        case .h264: [UInt8(frame.isKey ? 0x65 : 0x41), starts ? 0x80 : 0x00]
        default:
            // One OBU; a new sequence where a key frame starts.
            starts
                ? [frame.isKey && frame.spatial == 0 ? 0x18 : 0x10, frame.isKey ? 0x08 : 0x30]
                : [0x90, 0x00]
        }
    }

    private func vp8(_ frame: LayeredFrame, starts: Bool) -> [UInt8] {
        let layered = structure.temporals > 1
        var bytes: [UInt8] = [0x80 | (starts ? 0x10 : 0), layered ? 0xe0 : 0x80]
        bytes += (frame.pictureID | 0x8000).bytes
        if layered {
            bytes += [frame.tl0, UInt8(frame.temporal << 6) | (frame.isSwitchingUp ? 0x20 : 0)]
        }
        guard starts else { return bytes + [0] }
        guard frame.isKey else { return bytes + [0x11] }
        let height = structure.height(ofSpatial: 0, encoding: encoding)
        return bytes + [0x10, 0, 0, 0x9d, 0x01, 0x2a, 0x80, 0x02, UInt8(height & 0xff), UInt8(height >> 8)]
    }

    private func vp9(_ frame: LayeredFrame, starts: Bool, ends: Bool) -> [UInt8] {
        let hasStructure = frame.isKey && starts && frame.spatial == 0
        var flags: UInt8 = 0xa0 | (starts ? 0x08 : 0) | (ends ? 0x04 : 0)
        if !frame.isKey { flags |= 0x40 }
        if structure.isFlexible { flags |= 0x10 }
        if hasStructure { flags |= 0x02 }
        var bytes = [flags] + (frame.pictureID | 0x8000).bytes
        bytes.append(
            UInt8(frame.temporal << 5) | (frame.isSwitchingUp ? 0x10 : 0) | UInt8(frame.spatial << 1)
                | (frame.spatial > 0 ? 1 : 0))
        if !structure.isFlexible { bytes.append(frame.tl0) }
        if structure.isFlexible, !frame.isKey {
            for (index, back) in frame.back.enumerated() {
                bytes.append(UInt8(back << 1) | (index + 1 < frame.back.count ? 1 : 0))
            }
        }
        if hasStructure {
            bytes.append(UInt8(structure.spatials - 1) << 5 | 0x10)
            for layer in 0..<structure.spatials {
                let height = structure.height(ofSpatial: layer, encoding: encoding)
                bytes += UInt16(height * 16 / 9).bytes + UInt16(height).bytes
            }
        }
        return bytes
    }

    // MARK: Dependency descriptor

    /// Kinds of frames: key and four positions of the pattern, a spatial layer after the other.
    private var kinds: [(spatial: Int, temporal: Int, back: [Int], isKey: Bool)] {
        (0..<structure.spatials).flatMap { spatial in
            var kinds = [(spatial: spatial, temporal: 0, back: [Int](), isKey: true)]
            // Sorted by temporal layer, as the structure lists its templates.
            for position in [8, 10, 9, 11] where structure.temporals == 3 || position < 10 {
                if structure.temporals == 1, position > 8 { continue }
                kinds.append(
                    (
                        spatial, structure.temporal(ofPicture: position),
                        structure.references(ofPicture: position), false
                    ))
            }
            return kinds.sorted { $0.temporal < $1.temporal }
        }
    }

    func descriptor(_ frame: LayeredFrame, starts: Bool, ends: Bool) -> [UInt8]? {
        guard structure.isDescribed else { return nil }
        var fields = BitFields()
        fields.append(starts ? 1 : 0, 1)
        fields.append(ends ? 1 : 0, 1)
        let kind = kinds.firstIndex {
            $0.spatial == frame.spatial && $0.temporal == frame.temporal && $0.isKey == frame.isKey
                && (frame.isKey || $0.back == frame.back)
        }
        fields.append((kind ?? 0) + 60 & 63, 6)
        fields.append(Int(frame.number), 16)
        if kind == nil || (frame.isKey && starts && frame.spatial == 0) {
            fields.append(frame.isKey ? 0b10000 : 0, 5)
            if frame.isKey { appendStructure(to: &fields) }
        }
        return fields.bytes
    }

    private func appendStructure(to fields: inout BitFields) {
        let (spatials, temporals) = (structure.spatials, structure.temporals)
        fields.append(60, 6)
        fields.append(spatials * temporals - 1, 5)
        for (kind, next) in zip(kinds, kinds.dropFirst()) {
            fields.append(next.spatial > kind.spatial ? 2 : next.temporal > kind.temporal ? 1 : 0, 2)
        }
        fields.append(3, 2)
        for kind in kinds {
            for target in 0..<spatials * temporals {
                fields.append(indication(kind.spatial, kind.temporal, target), 2)
            }
        }
        for kind in kinds {
            var distances = kind.back.map { $0 * spatials }
            if kind.spatial > 0 { distances.append(1) }
            for distance in distances { fields.append(0x10 | (distance - 1), 5) }
            fields.append(0, 1)
        }
        // No chains: 0 of at most as many as there are targets.
        let width = Int.bitWidth - (spatials * temporals + 1).leadingZeroBitCount
        fields.append(0, width - 1)
        fields.append(1, 1)
        for layer in 0..<spatials {
            let height = structure.height(ofSpatial: layer, encoding: encoding)
            fields.append(height * 16 / 9 - 1, 16)
            fields.append(height - 1, 16)
        }
    }

    private func indication(_ spatial: Int, _ temporal: Int, _ target: Int) -> Int {
        let (targetSpatial, targetTemporal) = (target / structure.temporals, target % structure.temporals)
        guard targetSpatial >= spatial, targetTemporal >= temporal else { return 0 }
        guard targetSpatial == spatial else { return 3 }
        // The highest temporal layer of a target is needed by no one.
        return targetTemporal == temporal && temporal > 0 ? 1 : 2
    }
}
