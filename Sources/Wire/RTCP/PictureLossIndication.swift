/// A request for a key frame (PLI, RFC 4585 section 6.3.1).
public struct PictureLossIndication: Hashable, Sendable, BitwiseCopyable {
    @inlinable public static var format: UInt8 { 1 }
    @inlinable public static var length: Int { 12 }

    /// Who asks.
    public var sender: SSRC
    /// The stream whose picture is lost.
    public var media: SSRC

    public init(sender: SSRC, media: SSRC) {
        self.sender = sender
        self.media = media
    }

    /// Parses one packet of a compound. Throws `wrongType` or `truncated`.
    public static func parse(_ packet: Span<UInt8>) throws(RTCPError) -> PictureLossIndication {
        try RTCPFrame.check(packet, .payloadFeedback, format: format, minimum: length)
        return PictureLossIndication(
            sender: SSRC(packet.loadUInt32(at: 4)), media: SSRC(packet.loadUInt32(at: 8)))
    }

    /// Writes the message to `offset`, and returns its length, 12. Throws `noSpace`.
    public func write(into bytes: inout MutableSpan<UInt8>, at offset: Int) throws(RTCPError) -> Int {
        try RTCPFrame.writeHeader(
            .payloadFeedback, count: Self.format, length: Self.length, into: &bytes, at: offset)
        bytes.store(sender.rawValue, at: offset + 4)
        bytes.store(media.rawValue, at: offset + 8)
        return Self.length
    }
}
