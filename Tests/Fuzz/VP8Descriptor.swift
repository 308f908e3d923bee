import Wire

/// The descriptor, rewriting with its own values, the size in a key frame.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count).span
    guard let descriptor = try? VP8Descriptor.parse(bytes) else { return 0 }
    _ = descriptor.frameSize(in: bytes)
    var copy = (0..<count).map { bytes[$0] }
    var payload = copy.mutableSpan
    descriptor.places.rewrite(
        &payload, pictureID: descriptor.pictureID ?? 0, tl0PictureIndex: descriptor.tl0PictureIndex ?? 0,
        keyIndex: descriptor.keyIndex ?? 0)
    let isSame = (try? VP8Descriptor.parse(payload.span)) == descriptor
    precondition(isSame)
    return 0
}
