import Wire

/// The descriptor with its structure, rewriting with its own values.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count).span
    guard let descriptor = try? VP9Descriptor.parse(bytes) else { return 0 }
    precondition(descriptor.length <= count)
    for layer in -1...8 { _ = descriptor.structure?.size(ofLayer: layer) }
    var copy = (0..<count).map { bytes[$0] }
    var payload = copy.mutableSpan
    descriptor.places.rewrite(
        &payload, pictureID: descriptor.pictureID ?? 0, tl0PictureIndex: descriptor.tl0PictureIndex ?? 0,
        keyIndex: 0)
    let isSame = (try? VP9Descriptor.parse(payload.span)) == descriptor
    precondition(isSame)
    return 0
}
