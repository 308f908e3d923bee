import Wire

/// Several descriptors in a row, each with a byte of length in front, against the structure that came before.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count).span
    var structure = DependencyStructure()
    var position = 0
    while position < count {
        let length = min(Int(bytes[position]), count - position - 1)
        let value = bytes.extracting((position + 1)..<(position + 1 + length))
        position += 1 + length
        guard let descriptor = try? DependencyDescriptor.parse(value, structure: &structure) else { continue }
        for index in 0..<descriptor.referenceCount { precondition(descriptor.referenceDistance(index) > 0) }
        for target in 0..<structure.targetCount {
            _ = descriptor.indication(forTarget: target)
            _ = structure.chain(protecting: target).map { descriptor.chainDistance($0) }
        }
        _ = MediaFrameInfo(descriptor)
        rewrite(value, descriptor, structure)
    }
    return 0
}

/// With other targets, it is the same in all else.
private func rewrite(
    _ value: Span<UInt8>, _ descriptor: DependencyDescriptor, _ structure: borrowing DependencyStructure
) {
    let place = DependencyDescriptor.ActiveTargetsPlace(descriptor, targetCount: structure.targetCount)
    var copy = [UInt8](repeating: 0, count: place.length(of: value.count))
    var span = copy.mutableSpan
    DependencyDescriptor.rewrite(value, activeTargets: structure.allTargets, at: place, into: &span)
    // What came with a structure of its own can be read without any other.
    guard descriptor.hasStructure else { return }
    var fresh = DependencyStructure()
    let again = try? DependencyDescriptor.parse(copy.span, structure: &fresh)
    precondition(again?.presentTargets == descriptor.presentTargets)
    precondition(again?.activeTargets == structure.allTargets)
}
