/// The scalability structure that a VP9 key picture carries (RFC 9628 section 4.2.1).
///
/// The pictures of its group (PG), which tell the references of each, are walked over and counted, not kept: a
/// forwarder goes by TID, U, SID and D.
public struct VP9Structure: Hashable, Sendable, BitwiseCopyable {
    /// Number of spatial layers, 1 to 8.
    public var spatialLayerCount: Int
    /// Whether sizes are known.
    public var hasSizes: Bool
    /// N_G: pictures in the group; 0 if it isn't told.
    public var groupSize: Int
    // A layer's width and height in 16 bits each, two layers a number.
    private var sizes01: UInt64 = 0
    private var sizes23: UInt64 = 0
    private var sizes45: UInt64 = 0
    private var sizes67: UInt64 = 0

    /// Throws `truncated`.
    init(_ payload: Span<UInt8>, _ cursor: inout ByteCursor) throws(CodecError) {
        let flags = try cursor.next(in: payload)
        spatialLayerCount = Int(flags >> 5) + 1
        hasSizes = flags & 0x10 != 0
        groupSize = 0
        if hasSizes {
            for layer in 0..<spatialLayerCount {
                let width = try cursor.nextUInt16(in: payload)
                let height = try cursor.nextUInt16(in: payload)
                keep(UInt64(width) << 16 | UInt64(height), of: layer)
            }
        }
        guard flags & 0x08 != 0 else { return }
        groupSize = try Int(cursor.next(in: payload))
        for _ in 0..<groupSize {
            let references = try cursor.next(in: payload) >> 2 & 0x03
            for _ in 0..<references { _ = try cursor.next(in: payload) }
        }
    }

    private mutating func keep(_ size: UInt64, of layer: Int) {
        let shifted = size << UInt64(32 * (layer & 1))
        switch layer >> 1 {
        case 0: sizes01 |= shifted
        case 1: sizes23 |= shifted
        case 2: sizes45 |= shifted
        default: sizes67 |= shifted
        }
    }

    /// The size of a spatial layer; nil if it isn't told or there is no such layer.
    public func size(ofLayer layer: Int) -> FrameSize? {
        guard hasSizes, layer >= 0, layer < spatialLayerCount else { return nil }
        let pair =
            switch layer >> 1 {
            case 0: sizes01
            case 1: sizes23
            case 2: sizes45
            default: sizes67
            }
        let size = pair >> UInt64(32 * (layer & 1))
        return FrameSize(width: Int(size >> 16 & 0xFFFF), height: Int(size & 0xFFFF))
    }
}
