/// The aggregation header at the start of each AV1 packet, and what the first OBU tells (AV1 RTP specification
/// section 4.4).
public struct AV1AggregationHeader: Hashable, Sendable, BitwiseCopyable {
    /// Z: the first OBU goes on from the packet before.
    public var continuesFirst: Bool
    /// Y: the last OBU goes on in the next packet.
    public var continuesLast: Bool
    /// W: number of OBUs, 1 to 3; 0 if each has its length in front.
    public var elementCount: UInt8
    /// N: the packet starts a new coded video sequence, which is a key frame.
    public var startsSequence: Bool
    /// Type of the first OBU that starts in this packet as its first; nil when that is a continuation.
    public var firstType: UInt8?
    /// Layers in the extension header of that OBU; 0 without one.
    public var temporalID: UInt8 = 0
    public var spatialID: UInt8 = 0

    /// As far as it can be told without a dependency descriptor: a sequence, frame or frame header OBU starts in this
    /// packet as its first.
    public var isFrameStart: Bool {
        startsSequence || firstType == 1 || firstType == 3 || firstType == 6
    }

    /// Parses an RTP payload.
    ///
    /// Throws `truncated` if the packet is empty or its first OBU is longer than the packet, `malformed` if a sequence
    /// starts with a continuation, or for a forbidden bit.
    public static func parse(_ payload: Span<UInt8>) throws(CodecError) -> AV1AggregationHeader {
        guard payload.count >= 2 else { throw .truncated }
        let first = payload[0]
        var header = AV1AggregationHeader(
            continuesFirst: first & 0x80 != 0, continuesLast: first & 0x40 != 0, elementCount: first >> 4 & 3,
            startsSequence: first & 0x08 != 0, firstType: nil)
        guard !(header.continuesFirst && header.startsSequence) else { throw .malformed }
        var cursor = ByteCursor(position: 1)
        if header.elementCount != 1 {
            let length = try leb128(payload, &cursor)
            guard payload.holds(length, at: cursor.position) else { throw .truncated }
            // An empty OBU is useless but allowed; nothing can be said about it.
            guard length > 0 else { return header }
        }
        if !header.continuesFirst { try header.readFirst(payload, &cursor) }
        return header
    }

    private mutating func readFirst(
        _ payload: Span<UInt8>, _ cursor: inout ByteCursor
    ) throws(CodecError) {
        let byte = try cursor.next(in: payload)
        guard byte & 0x80 == 0 else { throw .malformed }
        firstType = byte >> 3 & 0x0F
        guard byte & 0x04 != 0 else { return }
        let layers = try cursor.next(in: payload)
        temporalID = layers >> 5
        spatialID = layers >> 3 & 3
    }

    /// A length of 7 bits a byte, lowest first; more than 4 bytes can't be a length in a packet.
    private static func leb128(_ payload: Span<UInt8>, _ cursor: inout ByteCursor) throws(CodecError) -> Int {
        var value = 0
        for index in 0..<4 {
            let byte = try cursor.next(in: payload)
            value |= Int(byte & 0x7F) << (7 * index)
            if byte & 0x80 == 0 { return value }
        }
        throw .malformed
    }
}
