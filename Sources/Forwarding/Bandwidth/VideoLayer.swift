public import Wire

/// One way to send a video: an encoding up to a spatial and a temporal layer.
public struct VideoLayer: Hashable, Sendable, BitwiseCopyable {
    /// Which of the publication's encodings, in the order of its simulcast ids; 0 if there is one.
    public var encoding: UInt8
    /// Its place by resolution, whether simulcast or scalable coding makes it; 0 is the smallest.
    public var spatial: UInt8
    public var temporal: UInt8
    /// Frames a second; 0 if it isn't known.
    public var framesPerSecond: UInt8
    /// Lines of the picture.
    public var height: Int32
    /// What all that belongs to it takes on the link, lower layers that it needs included. Smoothed by the caller.
    public var bitrate: Bitrate

    public init(
        encoding: UInt8 = 0, spatial: UInt8 = 0, temporal: UInt8 = 0, height: Int, framesPerSecond: Int = 0,
        bitrate: Bitrate
    ) {
        self.encoding = encoding
        self.spatial = spatial
        self.temporal = temporal
        self.height = Int32(clamping: height)
        self.framesPerSecond = UInt8(clamping: framesPerSecond)
        self.bitrate = bitrate
    }
}

/// Up to twelve layers, held in place: four encodings of three temporal layers.
public struct VideoLayers: Sendable, BitwiseCopyable {
    @inlinable public static var limit: Int { 12 }

    private var layers = InlineArray<12, VideoLayer>(
        repeating: VideoLayer(height: 0, bitrate: Bitrate(bitsPerSecond: 0)))
    public private(set) var count = 0

    public init() {}

    /// Adds a layer; those beyond the limit, and those that take nothing because they aren't sent, are left out.
    public mutating func append(_ layer: VideoLayer) {
        guard count < Self.limit, layer.bitrate.bitsPerSecond > 0 else { return }
        layers[count] = layer
        count += 1
    }

    public subscript(index: Int) -> VideoLayer { layers[index] }
}
