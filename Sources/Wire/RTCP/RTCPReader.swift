/// Walks over the packets of an RTCP datagram, compound (RFC 3550 section 6.1) or reduced-size (RFC 5506).
///
///     var reader = RTCPReader()
///     while let packet = try reader.next(in: datagram) { … }
///
/// What comes after a packet that is wrong isn't read; the packets before it were good.
public struct RTCPReader: Sendable, BitwiseCopyable {
    @usableFromInline var position = 0

    @inlinable public init() {}

    /// The next packet, or nil at the end. `datagram` is the decrypted one, the same in every call.
    ///
    /// Throws `truncated`, `wrongVersion` or `invalidPadding`; a call after that returns nil.
    public mutating func next(in datagram: Span<UInt8>) throws(RTCPError) -> RTCPPacket? {
        let start = position
        guard start < datagram.count else { return nil }
        position = datagram.count
        guard datagram.count - start >= 4 else { throw .truncated }
        let first = datagram[start]
        guard first >> 6 == 2 else { throw .wrongVersion }
        var length = 4 + 4 * Int(datagram.loadUInt16(at: start + 2))
        guard length <= datagram.count - start else { throw .truncated }
        let end = start + length
        if first & 0x20 != 0 {
            let padding = Int(datagram[end - 1])
            // No check for whole words: browsers pad transport-cc feedback by 1 to 3 bytes.
            guard end == datagram.count, padding > 0, padding <= length - 4 else {
                throw .invalidPadding
            }
            length -= padding
        }
        position = end
        return RTCPPacket(
            type: RTCPPacketType(rawValue: datagram[start + 1]), count: first & 0x1F, offset: start,
            length: length)
    }
}

/// The parts that all messages have in common. Everything here works on one packet, header included.
enum RTCPFrame {
    /// The count field of `packet`, after its type and `minimum` length were checked.
    static func check(
        _ packet: Span<UInt8>, _ type: RTCPPacketType, minimum: Int
    ) throws(RTCPError) -> UInt8 {
        guard packet.count >= 4 else { throw .truncated }
        guard packet[0] >> 6 == 2 else { throw .wrongVersion }
        guard packet[1] == type.rawValue else { throw .wrongType }
        guard packet.count >= minimum else { throw .truncated }
        return packet[0] & 0x1F
    }

    /// Checks a feedback message, whose count field is its format (RFC 4585 section 6.1).
    static func check(
        _ packet: Span<UInt8>, _ type: RTCPPacketType, format: UInt8, minimum: Int
    ) throws(RTCPError) {
        guard try check(packet, type, minimum: minimum) == format else { throw .wrongType }
    }

    /// Writes the header of a packet that is `length` bytes long, a multiple of 4, at `offset`.
    static func writeHeader(
        _ type: RTCPPacketType, count: UInt8, length: Int, into bytes: inout MutableSpan<UInt8>,
        at offset: Int
    ) throws(RTCPError) {
        guard bytes.holds(length, at: offset), length <= 4 * 65_536 else { throw .noSpace }
        bytes[offset] = 0x80 | count & 0x1F
        bytes[offset + 1] = type.rawValue
        bytes.store(UInt16(truncatingIfNeeded: length / 4 - 1), at: offset + 2)
    }
}
