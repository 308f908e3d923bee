import Wire

@testable import Forwarding

/// The numbers that codecs count their pictures and frames with.
extension DecoderModel {
    func numberFaults(_ known: [UInt32: LayeredFrame]) -> [String] {
        var faults: [String] = []
        switch structure.codec {
        case .vp8: faults += vp8Faults(known)
        case .vp9: faults += vp9Faults(known)
        default: break
        }
        if structure.isDescribed { faults += frameNumberFaults(known) }
        return faults
    }

    /// Picture ids without a gap, and an index that counts the pictures of the lowest layer.
    private func vp8Faults(_ known: [UInt32: LayeredFrame]) -> [String] {
        var faults: [String] = []
        var last: VP8Descriptor?
        for (_, frame, packets) in frames(known) {
            let payload = packets[0].payload
            guard let descriptor = try? VP8Descriptor.parse(payload.span) else {
                faults.append("unreadable")
                continue
            }
            if let last, let before = last.pictureID, let picture = descriptor.pictureID {
                if picture != (before + 1) & 0x7fff { faults.append("picture \(picture) after \(before)") }
                if let index = descriptor.tl0PictureIndex, let previous = last.tl0PictureIndex {
                    let expected = frame.temporal == 0 ? previous &+ 1 : previous
                    if index != expected { faults.append("TL0PICIDX \(index) after \(previous)") }
                }
            }
            last = descriptor
        }
        return faults
    }

    /// Picture ids that keep their distances within an encoding, and rise over a switch.
    private func vp9Faults(_ known: [UInt32: LayeredFrame]) -> [String] {
        var faults: [String] = []
        var last: (frame: LayeredFrame, descriptor: VP9Descriptor)?
        for (_, frame, packets) in frames(known) {
            let payload = packets[0].payload
            guard let descriptor = try? VP9Descriptor.parse(payload.span) else {
                faults.append("unreadable")
                continue
            }
            if let last, let before = last.descriptor.pictureID, let picture = descriptor.pictureID {
                let step = (picture &- before) & 0x7fff
                let expected =
                    last.frame.encoding == frame.encoding
                    ? (frame.pictureID &- last.frame.pictureID) & 0x7fff : 1
                // After a pause, it goes on where it was.
                if step != expected, !frame.isKey || step != 1 {
                    faults.append("picture \(picture) after \(before)")
                }
                if let index = descriptor.tl0PictureIndex, let previous = last.descriptor.tl0PictureIndex {
                    let isNew = frame.temporal == 0 && frame.capture != last.frame.capture
                    if index != (isNew ? previous &+ 1 : previous) { faults.append("TL0PICIDX \(index)") }
                }
            }
            last = (frame, descriptor)
        }
        return faults
    }

    /// Frame numbers that rise, and references by number that lead to what the frame needs.
    private func frameNumberFaults(_ known: [UInt32: LayeredFrame]) -> [String] {
        var faults: [String] = []
        var numbers: [UInt32: UInt16] = [:]
        var last: UInt16?
        var structure = DependencyStructure()
        for (number, frame, packets) in frames(known) {
            guard let value = packets[0].descriptor else {
                faults.append("no descriptor")
                continue
            }
            let out = value.span.loadUInt16(at: 1)
            if let last, Int16(bitPattern: out &- last) <= 0 { faults.append("frame \(out) after \(last)") }
            last = out
            numbers[number] = out
            guard self.structure.isTemplated else { continue }
            guard let descriptor = try? DependencyDescriptor.parse(value.span, structure: &structure) else {
                faults.append("unreadable descriptor")
                continue
            }
            if Int(descriptor.spatialID) != frame.spatial || Int(descriptor.temporalID) != frame.temporal {
                faults.append("layers of \(number)")
            }
            let led = Set(
                (0..<descriptor.referenceCount).map { out &- UInt16(descriptor.referenceDistance($0)) })
            if led != Set(frame.references.compactMap { numbers[$0] }) {
                faults.append("references of \(number)")
            }
            if let active = descriptor.activeTargets, active & descriptor.presentTargets == 0 {
                faults.append("\(number) is of no active target")
            }
        }
        return faults
    }
}
