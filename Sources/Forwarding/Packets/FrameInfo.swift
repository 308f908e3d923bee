public import Wire

/// What forwarding needs to know of a packet's place in its picture.
public struct FrameInfo: BitwiseCopyable, Sendable {
    /// With `isFrameStart`: a viewer can begin here.
    public var isKeyFrame = false
    public var isFrameStart = false
    public var isFrameEnd = false
    public var spatial: UInt8 = 0
    public var temporal: UInt8 = 0
    /// VP8: what is rewritten for each seat in the descriptor at the payload's start, and where.
    public var places = PicturePlaces()
    public var pictureID: UInt16 = 0
    public var tl0PictureIndex: UInt8 = 0
    public var keyIndex: UInt8 = 0

    public init() {}

    /// Reads the payload's descriptor. Throws what the codec's parser throws.
    init(_ codec: Codec, payload: Span<UInt8>, marker: Bool) throws(CodecError) {
        let info: MediaFrameInfo
        if codec == .vp8 {
            let descriptor = try VP8Descriptor.parse(payload)
            info = MediaFrameInfo(descriptor, marker: marker)
            places = descriptor.places
            pictureID = descriptor.pictureID ?? 0
            tl0PictureIndex = descriptor.tl0PictureIndex ?? 0
            keyIndex = descriptor.keyIndex ?? 0
        } else {
            info = try MediaFrameInfo.describe(codec, payload: payload, marker: marker)
        }
        isKeyFrame = info.isKeyFrame
        isFrameStart = info.isFrameStart
        isFrameEnd = info.isFrameEnd
        spatial = info.spatialID
        temporal = info.temporalID
    }
}
