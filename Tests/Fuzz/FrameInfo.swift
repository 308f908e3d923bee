import Wire

/// Each codec on the same payload.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count).span
    for codec in Codec.allCases {
        _ = try? MediaFrameInfo.describe(codec, payload: bytes, marker: count & 1 == 0)
    }
    if let payload = try? H264Payload.parse(bytes), let size = payload.frameSize(in: bytes) {
        precondition((1...16_384).contains(size.width) && (1...16_384).contains(size.height))
    }
    if let packet = try? OpusPacket.parse(bytes) { precondition(packet.duration <= .milliseconds(120)) }
    return 0
}
