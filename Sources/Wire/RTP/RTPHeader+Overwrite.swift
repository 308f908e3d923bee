/// Changes of single fields of a packet in place. The packet has been parsed: it has its 12 bytes of fixed header.
extension RTPHeader {
    @inlinable
    public static func overwrite(_ value: SSRC, in packet: inout MutableSpan<UInt8>) {
        packet.store(value.rawValue, at: 8)
    }

    @inlinable
    public static func overwrite(_ value: SequenceNumber, in packet: inout MutableSpan<UInt8>) {
        packet.store(value.rawValue, at: 2)
    }

    @inlinable
    public static func overwrite(_ value: RTPTimestamp, in packet: inout MutableSpan<UInt8>) {
        packet.store(value.rawValue, at: 4)
    }

    /// Leaves the marker as it is.
    @inlinable
    public static func overwrite(_ value: PayloadType, in packet: inout MutableSpan<UInt8>) {
        packet[1] = packet[1] & 0x80 | value.rawValue & 0x7F
    }

    @inlinable
    public static func overwriteMarker(_ marker: Bool, in packet: inout MutableSpan<UInt8>) {
        packet[1] = packet[1] & 0x7F | (marker ? 0x80 : 0)
    }

    @inlinable
    public static func overwrite(_ fields: RTPFields, in packet: inout MutableSpan<UInt8>) {
        packet[1] = fields.payloadType.rawValue & 0x7F | (fields.marker ? 0x80 : 0)
        overwrite(fields.sequenceNumber, in: &packet)
        overwrite(fields.timestamp, in: &packet)
        overwrite(fields.ssrc, in: &packet)
    }

    /// Sets the P bit and fills the `length` bytes from `end` with padding; the packet is then `end + length` long.
    ///
    /// Throws `invalidPadding` unless `length` is 1 to 255, `noSpace` if the buffer ends before.
    @inlinable
    public static func pad(
        _ packet: inout MutableSpan<UInt8>, from end: Int, by length: Int
    ) throws(RTPError) {
        guard length >= 1, length <= 255 else { throw .invalidPadding }
        guard end >= fixedLength, packet.holds(length, at: end) else { throw .noSpace }
        for index in end..<(end + length - 1) { packet[index] = 0 }
        packet[end + length - 1] = UInt8(truncatingIfNeeded: length)
        packet[0] |= 0x20
    }
}
