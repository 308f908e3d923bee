/// The VP8 payload descriptor at the start of each packet (RFC 7741 section 4.2).
public struct VP8Descriptor: Hashable, Sendable, BitwiseCopyable {
    /// S: this packet starts a partition.
    public var startsPartition: Bool
    /// N: no other frame depends on this one.
    public var isNonReference: Bool
    /// PID: index of the partition, 0 to 7.
    public var partition: UInt8
    /// 7 or 15 bits, as `hasLongPictureID` says; nil without.
    public var pictureID: UInt16?
    /// TL0PICIDX: counts the frames of the lowest temporal layer.
    public var tl0PictureIndex: UInt8?
    /// TID: temporal layer, 0 to 3; nil without.
    public var temporalID: UInt8?
    /// Y: the frame depends on the lowest temporal layer only, so that one may switch up here.
    public var isLayerSync: Bool
    /// KEYIDX, 5 bits: counts key frames.
    public var keyIndex: UInt8?
    /// The packet starts a key frame.
    public var isKeyFrame: Bool
    /// Where the values are that a forwarder rewrites.
    public var places: PicturePlaces

    /// Bytes of the descriptor; the VP8 payload follows.
    @inlinable public var length: Int { Int(places.length) }

    /// The packet starts a frame.
    @inlinable public var isFrameStart: Bool { startsPartition && partition == 0 }

    /// Parses an RTP payload. Throws `truncated` if the descriptor or, at a frame's start, the first byte of VP8 isn't
    /// whole.
    public static func parse(_ payload: Span<UInt8>) throws(CodecError) -> VP8Descriptor {
        guard payload.count >= 1 else { throw .truncated }
        let first = payload[0]
        var descriptor = VP8Descriptor(
            startsPartition: first & 0x10 != 0, isNonReference: first & 0x20 != 0, partition: first & 0x07,
            pictureID: nil, tl0PictureIndex: nil, temporalID: nil, isLayerSync: false, keyIndex: nil,
            isKeyFrame: false, places: PicturePlaces(length: 1))
        if first & 0x80 != 0 { try descriptor.readExtension(payload) }
        if descriptor.isFrameStart {
            guard payload.count > descriptor.length else { throw .truncated }
            descriptor.isKeyFrame = payload[descriptor.length] & 0x01 == 0
        }
        return descriptor
    }

    private mutating func readExtension(_ payload: Span<UInt8>) throws(CodecError) {
        guard payload.count >= 2 else { throw .truncated }
        let flags = payload[1]
        places.length = 2
        if flags & 0x80 != 0 {
            guard payload.count > length else { throw .truncated }
            places.hasLongPictureID = payload[length] & 0x80 != 0
            places.pictureID = places.length
            if places.hasLongPictureID {
                guard payload.count > length + 1 else { throw .truncated }
                pictureID = payload.loadUInt16(at: length) & 0x7FFF
                places.length += 2
            } else {
                pictureID = UInt16(payload[length])
                places.length += 1
            }
        }
        if flags & 0x40 != 0 {
            guard payload.count > length else { throw .truncated }
            places.tl0PictureIndex = places.length
            tl0PictureIndex = payload[length]
            places.length += 1
        }
        if flags & 0x30 != 0 {
            guard payload.count > length else { throw .truncated }
            if flags & 0x20 != 0 {
                temporalID = payload[length] >> 6
                isLayerSync = payload[length] & 0x20 != 0
            }
            if flags & 0x10 != 0 {
                places.keyIndex = places.length
                keyIndex = payload[length] & 0x1F
            }
            places.length += 1
        }
    }

    /// The picture's size, from the header of a key frame (RFC 6386 section 9.1); nil for other packets, and when the
    /// packet ends before it or has no start code.
    public func frameSize(in payload: Span<UInt8>) -> FrameSize? {
        guard isKeyFrame, payload.holds(10, at: length) else { return nil }
        guard payload.loadUInt24(at: length + 3) == 0x9D012A else { return nil }
        let width = payload.loadUInt16(at: length + 6).byteSwapped & 0x3FFF
        let height = payload.loadUInt16(at: length + 8).byteSwapped & 0x3FFF
        return FrameSize(width: Int(width), height: Int(height))
    }
}
