/// What an RTP packet's header says, with the places of its parts (RFC 3550 section 5.1).
///
/// A plain value without a reference to the packet's bytes. All offsets and lengths are in bytes from the start of
/// the packet, and lie within the packet that was parsed.
public struct RTPHeader: Hashable, Sendable, BitwiseCopyable {
    /// Bytes of the fixed part, before CSRC list and extension block.
    @inlinable public static var fixedLength: Int { 12 }

    public var fields: RTPFields
    /// Whether the P bit is set; how much padding there is, `paddingLength` says (if it could be read).
    public var hasPadding: Bool
    /// Number of contributing sources, 0 to 15.
    public var csrcCount: UInt8
    /// The 16 bits before the extension block's length; 0 without an extension block.
    public var extensionProfile: UInt16
    @usableFromInline var rawExtensionOffset: UInt16
    @usableFromInline var rawExtensionLength: UInt16
    @usableFromInline var rawPayloadOffset: UInt16
    @usableFromInline var rawPayloadLength: UInt16
    @usableFromInline var rawPaddingLength: UInt8

    @inlinable public var marker: Bool { fields.marker }
    @inlinable public var payloadType: PayloadType { fields.payloadType }
    @inlinable public var sequenceNumber: SequenceNumber { fields.sequenceNumber }
    @inlinable public var timestamp: RTPTimestamp { fields.timestamp }
    @inlinable public var ssrc: SSRC { fields.ssrc }
    /// Where the elements of the extension block begin, after its 4 bytes of profile and length; 0 without one.
    @inlinable public var extensionOffset: Int { Int(rawExtensionOffset) }
    /// Bytes of the extension block's elements, a multiple of 4.
    @inlinable public var extensionLength: Int { Int(rawExtensionLength) }
    /// Bytes of fixed part, CSRC list and extension block: what SRTP leaves unencrypted.
    @inlinable public var headerLength: Int { Int(rawPayloadOffset) }
    @inlinable public var payloadOffset: Int { Int(rawPayloadOffset) }
    /// Bytes of payload without padding. Of a packet parsed with `init(parsingHeaderOf:)`, all that follows the header.
    @inlinable public var payloadLength: Int { Int(rawPayloadLength) }
    /// Bytes of padding, its count included; 0 when parsed with `init(parsingHeaderOf:)`.
    @inlinable public var paddingLength: Int { Int(rawPaddingLength) }
    @inlinable public var payloadRange: Range<Int> { payloadOffset..<(payloadOffset &+ payloadLength) }

    /// Parses a packet whose payload is readable, padding included.
    ///
    /// Throws `truncated`, `wrongVersion`, `tooLong`, or `invalidPadding` if the padding is longer than the payload.
    public static func parse(_ packet: Span<UInt8>) throws(RTPError) -> RTPHeader {
        var header = try RTPHeader(parsingHeaderOf: packet)
        try header.readPadding(in: packet)
        return header
    }

    /// Parses the header of a packet whose payload is still encrypted, so that padding can't be told from payload
    /// (RFC 3711 section 3.1). After opening, `readPadding(in:)` completes it.
    ///
    /// Throws `truncated`, `wrongVersion` or `tooLong`.
    public init(parsingHeaderOf packet: Span<UInt8>) throws(RTPError) {
        let count = packet.count
        guard count >= Self.fixedLength else { throw .truncated }
        guard count <= 65_535 else { throw .tooLong }
        let first = packet[0]
        guard first >> 6 == 2 else { throw .wrongVersion }
        let second = packet[1]
        fields = RTPFields(
            marker: second & 0x80 != 0,
            payloadType: PayloadType(second & 0x7F),
            sequenceNumber: SequenceNumber(packet.loadUInt16(at: 2)),
            timestamp: RTPTimestamp(packet.loadUInt32(at: 4)),
            ssrc: SSRC(packet.loadUInt32(at: 8)))
        hasPadding = first & 0x20 != 0
        csrcCount = first & 0x0F
        var end = Self.fixedLength + 4 * Int(csrcCount)
        if first & 0x10 != 0 {
            guard count >= end + 4 else { throw .truncated }
            extensionProfile = packet.loadUInt16(at: end)
            rawExtensionLength = UInt16(truncatingIfNeeded: 4 * Int(packet.loadUInt16(at: end + 2)))
            rawExtensionOffset = UInt16(truncatingIfNeeded: end + 4)
            end += 4 + 4 * Int(packet.loadUInt16(at: end + 2))
        } else {
            extensionProfile = 0
            rawExtensionLength = 0
            rawExtensionOffset = 0
        }
        guard count >= end else { throw .truncated }
        rawPayloadOffset = UInt16(truncatingIfNeeded: end)
        rawPayloadLength = UInt16(truncatingIfNeeded: count - end)
        rawPaddingLength = 0
    }

    /// Reads the padding count of `packet`, now that its payload is readable, and takes the packet's length as it is
    /// now (without the authentication tag).
    ///
    /// Throws `truncated` if the packet became shorter than its header, `invalidPadding` if the count is 0 or longer
    /// than the payload.
    public mutating func readPadding(in packet: Span<UInt8>) throws(RTPError) {
        guard packet.count >= headerLength else { throw .truncated }
        guard packet.count <= 65_535 else { throw .tooLong }
        let length = packet.count - headerLength
        var padding: UInt8 = 0
        if hasPadding {
            guard length > 0 else { throw .invalidPadding }
            padding = packet[packet.count - 1]
            guard padding > 0, Int(padding) <= length else { throw .invalidPadding }
        }
        rawPaddingLength = padding
        rawPayloadLength = UInt16(truncatingIfNeeded: length - Int(padding))
    }

    /// The contributing source at `index`, below `csrcCount`, of the packet this header was parsed from.
    @inlinable
    public func csrc(_ index: Int, in packet: Span<UInt8>) -> SSRC {
        SSRC(packet.loadUInt32(at: Self.fixedLength + 4 * index))
    }

    /// Whether a packet that shares a port with RTP is RTCP, by its second byte (RFC 5761 section 4).
    @inlinable
    public static func isRTCP(_ packet: Span<UInt8>) -> Bool {
        packet.count >= 2 && packet[1] >= 192 && packet[1] <= 223
    }
}
