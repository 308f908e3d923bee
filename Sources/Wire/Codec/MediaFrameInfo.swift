/// What a forwarder needs to know of a packet's payload, whatever the codec.
public struct MediaFrameInfo: Hashable, Sendable, BitwiseCopyable {
    /// The packet starts a key frame: a receiver can begin here.
    public var isKeyFrame: Bool
    /// The packet starts a frame. H.264 and AV1 without a dependency descriptor don't tell for sure: there it may be
    /// true for more than one packet of a frame, and false for an unusual first one.
    public var isFrameStart: Bool
    /// The packet ends a frame; with spatial layers, a layer's frame.
    public var isFrameEnd: Bool
    /// Spatial layer, 0 to 7; 0 if the payload doesn't tell.
    public var spatialID: UInt8
    /// Temporal layer, 0 to 7; 0 if the payload doesn't tell.
    public var temporalID: UInt8
    /// One may switch up to this packet's temporal layer from the next lower one here.
    public var isSwitchingUpPoint: Bool

    @inlinable
    public init(
        isKeyFrame: Bool, isFrameStart: Bool, isFrameEnd: Bool, spatialID: UInt8 = 0, temporalID: UInt8 = 0,
        isSwitchingUpPoint: Bool = false
    ) {
        self.isKeyFrame = isKeyFrame
        self.isFrameStart = isFrameStart
        self.isFrameEnd = isFrameEnd
        self.spatialID = spatialID
        self.temporalID = temporalID
        self.isSwitchingUpPoint = isSwitchingUpPoint
    }

    /// Describes a packet by its RTP payload, without padding, and marker. Audio packets are frames of their own, each
    /// a start.
    ///
    /// Throws what the codec's descriptor throws; empty payloads, which probe for bandwidth, are `truncated`.
    public static func describe(
        _ codec: Codec, payload: Span<UInt8>, marker: Bool
    ) throws(CodecError) -> MediaFrameInfo {
        switch codec {
        case .opus, .red:
            guard payload.count > 0 else { throw .truncated }
            return MediaFrameInfo(isKeyFrame: true, isFrameStart: true, isFrameEnd: true)
        case .vp8:
            return try MediaFrameInfo(VP8Descriptor.parse(payload), marker: marker)
        case .vp9:
            return try MediaFrameInfo(VP9Descriptor.parse(payload))
        case .h264:
            let parsed = try H264Payload.parse(payload)
            return MediaFrameInfo(
                isKeyFrame: parsed.isKeyFrame, isFrameStart: parsed.isFrameStart, isFrameEnd: marker)
        case .av1:
            let header = try AV1AggregationHeader.parse(payload)
            return MediaFrameInfo(
                isKeyFrame: header.startsSequence, isFrameStart: header.isFrameStart, isFrameEnd: marker,
                spatialID: header.spatialID, temporalID: header.temporalID)
        }
    }

    public init(_ descriptor: VP8Descriptor, marker: Bool) {
        self.init(
            isKeyFrame: descriptor.isKeyFrame, isFrameStart: descriptor.isFrameStart, isFrameEnd: marker,
            temporalID: descriptor.temporalID ?? 0,
            isSwitchingUpPoint: descriptor.isKeyFrame || descriptor.isLayerSync)
    }

    public init(_ descriptor: VP9Descriptor) {
        self.init(
            isKeyFrame: descriptor.isKeyFrame, isFrameStart: descriptor.isFrameStart,
            isFrameEnd: descriptor.isFrameEnd, spatialID: descriptor.spatialID,
            temporalID: descriptor.temporalID,
            isSwitchingUpPoint: descriptor.isKeyFrame || descriptor.isSwitchingUpPoint)
    }

    /// Describes a packet of any codec by its dependency descriptor.
    public init(_ descriptor: DependencyDescriptor) {
        self.init(
            isKeyFrame: descriptor.isKeyFrame, isFrameStart: descriptor.startsFrame,
            isFrameEnd: descriptor.endsFrame, spatialID: descriptor.spatialID,
            temporalID: descriptor.temporalID, isSwitchingUpPoint: descriptor.isSwitchingUpPoint)
    }
}
