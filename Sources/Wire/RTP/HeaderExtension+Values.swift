/// How loud a packet's audio is (RFC 6464 section 3).
public struct AudioLevel: Hashable, Sendable, BitwiseCopyable {
    /// Loudness in −dBov: 0 is the loudest there is, 127 is silence.
    public var level: UInt8
    /// The sender's own guess whether this is speech. Browsers set it in silence too.
    public var isVoice: Bool

    @inlinable
    public init(level: UInt8, isVoice: Bool) {
        self.level = level & 0x7F
        self.isVoice = isVoice
    }

    @inlinable
    public init(byte: UInt8) {
        level = byte & 0x7F
        isVoice = byte & 0x80 != 0
    }

    @inlinable public var byte: UInt8 { level & 0x7F | (isVoice ? 0x80 : 0) }
}

/// Decoding of an element's value, from the packet that the element was found in; nil if the length isn't right.
extension HeaderExtension {
    @inlinable
    public func audioLevel(in packet: Span<UInt8>) -> AudioLevel? {
        length >= 1 && packet.holds(length, at: offset) ? AudioLevel(byte: packet[offset]) : nil
    }

    /// The transport-wide sequence number. It counts apart from the RTP one, but wraps the same way.
    @inlinable
    public func transportSequenceNumber(in packet: Span<UInt8>) -> SequenceNumber? {
        guard length >= 2, packet.holds(length, at: offset) else { return nil }
        return SequenceNumber(packet.loadUInt16(at: offset))
    }

    /// Send time in units of 2^−18 s, 24 bits, wrapping every 64 s.
    @inlinable
    public func absoluteSendTime(in packet: Span<UInt8>) -> UInt32? {
        guard length == 3, packet.holds(length, at: offset) else { return nil }
        return packet.loadUInt24(at: offset)
    }

    /// A `mid` or `rid`; nil too if it isn't 1 to 16 characters of visible ASCII.
    @inlinable
    public func shortID(in packet: Span<UInt8>) -> ShortID? {
        guard packet.holds(length, at: offset) else { return nil }
        return ShortID(packet.extracting(range))
    }
}
