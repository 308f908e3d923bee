/// The VP9 payload descriptor at the start of each packet (RFC 9628 section 4.2).
public struct VP9Descriptor: Hashable, Sendable, BitwiseCopyable {
    /// Bytes of the descriptor; the VP9 payload follows.
    public var length = 1
    /// P: the picture is predicted from others.
    public var isInterPicture: Bool
    /// F: references are listed packet by packet.
    public var isFlexible: Bool
    /// B: the packet starts a layer frame.
    public var isFrameStart: Bool
    /// E: the packet ends a layer frame.
    public var isFrameEnd: Bool
    /// Z: no higher spatial layer of this picture depends on this frame.
    public var isNotReferencedAcrossLayers: Bool
    /// 7 or 15 bits, as `hasLongPictureID` says; nil without.
    public var pictureID: UInt16?
    public var hasLongPictureID = false
    /// Where the picture id is, from the start of the payload; 0 without.
    public var pictureIDOffset = 0
    /// Whether temporal and spatial layer are in the descriptor; if not, both read 0.
    public var hasLayerIndices = false
    /// TID, 0 to 7.
    public var temporalID: UInt8 = 0
    /// SID, 0 to 7.
    public var spatialID: UInt8 = 0
    /// U: from here on, one may switch up to this temporal layer.
    public var isSwitchingUpPoint = false
    /// D: the frame depends on the next lower spatial layer of the same picture.
    public var dependsOnLowerLayer = false
    /// In non-flexible mode.
    public var tl0PictureIndex: UInt8?
    public var tl0PictureIndexOffset = 0
    /// P_DIFF: how many pictures back the references are, 1 to 127; 0 where there is none.
    public var firstReference: UInt8 = 0
    public var secondReference: UInt8 = 0
    public var thirdReference: UInt8 = 0
    /// V: the scalability structure, if it is in this packet.
    public var structure: VP9Structure?

    /// The packet starts a key picture: nothing before it is needed.
    @inlinable public var isKeyFrame: Bool { !isInterPicture && isFrameStart && spatialID == 0 }

    private init(flags: UInt8) {
        isInterPicture = flags & 0x40 != 0
        isFlexible = flags & 0x10 != 0
        isFrameStart = flags & 0x08 != 0
        isFrameEnd = flags & 0x04 != 0
        isNotReferencedAcrossLayers = flags & 0x01 != 0
    }

    /// Parses an RTP payload. Throws `truncated`, or `malformed` if more than three references are listed.
    public static func parse(_ payload: Span<UInt8>) throws(CodecError) -> VP9Descriptor {
        var cursor = ByteCursor()
        let flags = try cursor.next(in: payload)
        var descriptor = VP9Descriptor(flags: flags)
        if flags & 0x80 != 0 {
            descriptor.pictureIDOffset = cursor.position
            let first = try cursor.next(in: payload)
            descriptor.hasLongPictureID = first & 0x80 != 0
            if descriptor.hasLongPictureID {
                descriptor.pictureID = try UInt16(first & 0x7F) << 8 | UInt16(cursor.next(in: payload))
            } else {
                descriptor.pictureID = UInt16(first)
            }
        }
        if flags & 0x20 != 0 { try descriptor.readLayers(payload, &cursor) }
        if flags & 0x50 == 0x50 { try descriptor.readReferences(payload, &cursor) }
        if flags & 0x02 != 0 { descriptor.structure = try VP9Structure(payload, &cursor) }
        descriptor.length = cursor.position
        return descriptor
    }

    private mutating func readLayers(
        _ payload: Span<UInt8>, _ cursor: inout ByteCursor
    ) throws(CodecError) {
        let byte = try cursor.next(in: payload)
        hasLayerIndices = true
        temporalID = byte >> 5
        isSwitchingUpPoint = byte & 0x10 != 0
        spatialID = byte >> 1 & 0x07
        dependsOnLowerLayer = byte & 0x01 != 0
        guard !isFlexible else { return }
        tl0PictureIndexOffset = cursor.position
        tl0PictureIndex = try cursor.next(in: payload)
    }

    private mutating func readReferences(
        _ payload: Span<UInt8>, _ cursor: inout ByteCursor
    ) throws(CodecError) {
        var byte = try cursor.next(in: payload)
        firstReference = byte >> 1
        guard byte & 1 != 0 else { return }
        byte = try cursor.next(in: payload)
        secondReference = byte >> 1
        guard byte & 1 != 0 else { return }
        byte = try cursor.next(in: payload)
        thirdReference = byte >> 1
        guard byte & 1 == 0 else { throw .malformed }
    }

    /// Where the values are that a forwarder rewrites.
    public var places: PicturePlaces {
        var places = PicturePlaces()
        places.hasLongPictureID = hasLongPictureID
        places.pictureID = UInt8(pictureIDOffset)
        places.tl0PictureIndex = UInt8(tl0PictureIndexOffset)
        let pictureIDEnd = pictureIDOffset > 0 ? pictureIDOffset + (hasLongPictureID ? 2 : 1) : 0
        let indexEnd = tl0PictureIndexOffset > 0 ? tl0PictureIndexOffset + 1 : 0
        places.length = UInt8(max(pictureIDEnd, indexEnd))
        return places
    }
}
