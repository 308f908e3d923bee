/// Where a VP8 or VP9 descriptor has the values that a forwarder rewrites: read once a packet, used for each viewer.
public struct PicturePlaces: Hashable, Sendable, BitwiseCopyable {
    /// Bytes of the descriptor up to the last of the values, VP8's as a whole: 1 to 6; 0 for a packet without one, of
    /// another codec.
    public var length: UInt8
    /// From the start of the payload; 0 where a value isn't there.
    public var pictureID: UInt8 = 0
    public var tl0PictureIndex: UInt8 = 0
    /// VP8 only.
    public var keyIndex: UInt8 = 0
    /// M: the picture id has 15 bits in 2 bytes.
    public var hasLongPictureID = false

    @inlinable
    public init(length: UInt8 = 0) {
        self.length = length
    }

    /// Puts other values in the places of those that are there; one that isn't there is left out, and no length
    /// changes: a picture id is cut to its 7 or 15 bits.
    ///
    /// `payload` is the one that the places were read from, or a copy of its first `length` bytes or more.
    @inlinable
    public func rewrite(
        _ payload: inout MutableSpan<UInt8>, pictureID newPictureID: UInt16, tl0PictureIndex newIndex: UInt8,
        keyIndex newKeyIndex: UInt8
    ) {
        if pictureID > 0 {
            if hasLongPictureID {
                payload.store(newPictureID | 0x8000, at: Int(pictureID))
            } else {
                payload[Int(pictureID)] = UInt8(truncatingIfNeeded: newPictureID & 0x7F)
            }
        }
        if tl0PictureIndex > 0 { payload[Int(tl0PictureIndex)] = newIndex }
        if keyIndex > 0 {
            payload[Int(keyIndex)] = payload[Int(keyIndex)] & 0xE0 | newKeyIndex & 0x1F
        }
    }
}
