public import Wire

/// What forwarding needs to know of a packet's place in its picture.
public struct FrameInfo: BitwiseCopyable, Sendable {
    /// With `isFrameStart`: a viewer can begin here.
    public var isKeyFrame = false
    /// With spatial layers, a frame is one layer of a picture.
    public var isFrameStart = false
    public var isFrameEnd = false
    /// The first packet of a picture, and nothing is missing before it.
    public var isPictureStart = false
    /// One may go up to the packet's temporal layer here, from the next lower one.
    public var isSwitchingUpPoint = false
    public var spatial: UInt8 = 0
    public var temporal: UInt8 = 0

    /// VP8, VP9: what is rewritten for each seat in the descriptor at the payload's start, and where.
    public var places = PicturePlaces()
    public var pictureID: UInt16 = 0
    public var tl0PictureIndex: UInt8 = 0
    public var keyIndex: UInt8 = 0

    /// Bit k: the packet belongs to decode target k. All of them if it can't be told.
    public var targets = UInt32.max
    /// Bit k: one may go up to target k here, if this frame could be decoded.
    public var switches: UInt32 = 0
    /// The targets are those of a dependency descriptor.
    public var hasDescribedTargets = false
    /// The dependency descriptor's number of the frame; 0 without.
    public var frameNumber: UInt16 = 0
    /// What the dependency descriptor says of the active targets, and where; 0: nothing.
    public var activeTargets: UInt32 = 0
    public var activeTargetsPlace = DependencyDescriptor.ActiveTargetsPlace()

    public init() {}

    /// Reads the payload's descriptor. Throws what the codec's parser throws.
    init(_ codec: Codec, payload: Span<UInt8>, marker: Bool) throws(CodecError) {
        let info: MediaFrameInfo
        switch codec {
        case .vp8:
            let descriptor = try VP8Descriptor.parse(payload)
            info = MediaFrameInfo(descriptor, marker: marker)
            places = descriptor.places
            pictureID = descriptor.pictureID ?? 0
            tl0PictureIndex = descriptor.tl0PictureIndex ?? 0
            keyIndex = descriptor.keyIndex ?? 0
        case .vp9:
            let descriptor = try VP9Descriptor.parse(payload)
            info = MediaFrameInfo(descriptor)
            places = descriptor.places
            pictureID = descriptor.pictureID ?? 0
            tl0PictureIndex = descriptor.tl0PictureIndex ?? 0
        default:
            info = try MediaFrameInfo.describe(codec, payload: payload, marker: marker)
        }
        isKeyFrame = info.isKeyFrame
        isFrameStart = info.isFrameStart
        isFrameEnd = info.isFrameEnd
        isSwitchingUpPoint = info.isSwitchingUpPoint
        spatial = info.spatialID
        temporal = info.temporalID
        if codec == .vp8 || codec == .vp9 {
            targets = SentLayers.targets(spatial: spatial, temporal: temporal)
        }
    }

    /// Goes by the dependency descriptor, which knows more than a payload of H.264 or AV1 tells.
    mutating func take(_ descriptor: DependencyDescriptor, structure: borrowing DependencyStructure) {
        isKeyFrame = descriptor.isKeyFrame
        isFrameStart = descriptor.startsFrame
        isFrameEnd = descriptor.endsFrame
        spatial = descriptor.spatialID
        temporal = descriptor.temporalID
        targets = descriptor.presentTargets
        switches = descriptor.switchTargets
        hasDescribedTargets = true
        activeTargets = descriptor.activeTargets ?? 0
        activeTargetsPlace = DependencyDescriptor.ActiveTargetsPlace(
            descriptor, targetCount: structure.targetCount)
    }
}
