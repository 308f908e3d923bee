/// One item of a source description, and where its text is.
public struct SourceDescriptionItem: Hashable, Sendable, BitwiseCopyable {
    /// The item type of a canonical name.
    @inlinable public static var cname: UInt8 { 1 }

    public var ssrc: SSRC
    public var type: UInt8
    /// First byte of the text, from the start of the packet.
    public var offset: Int
    /// Bytes of text, 0 to 255. UTF-8 by the RFC; not checked.
    public var length: Int

    @inlinable public var range: Range<Int> { offset..<(offset &+ length) }
}

/// Walks over the items of an SDES packet, chunk by chunk (RFC 3550 section 6.5); also writes one with a CNAME.
public struct SourceDescription: Sendable, BitwiseCopyable {
    private var position = 4
    private var chunksLeft: Int
    private var ssrc = SSRC(0)
    private var isInChunk = false

    /// Starts on one packet of a compound. Throws `wrongType` or `truncated`.
    public static func parse(_ packet: Span<UInt8>) throws(RTCPError) -> SourceDescription {
        try SourceDescription(chunksLeft: Int(RTCPFrame.check(packet, .sourceDescription, minimum: 4)))
    }

    private init(chunksLeft: Int) {
        self.chunksLeft = chunksLeft
    }

    /// The next item, or nil after the last one. Throws `truncated` if a chunk or an item passes the end.
    public mutating func next(in packet: Span<UInt8>) throws(RTCPError) -> SourceDescriptionItem? {
        while true {
            if !isInChunk {
                guard chunksLeft > 0 else { return nil }
                chunksLeft -= 1
                guard packet.holds(5, at: position) else { throw end(.truncated) }
                ssrc = SSRC(packet.loadUInt32(at: position))
                position += 4
                isInChunk = true
            }
            guard position < packet.count else { throw end(.truncated) }
            let type = packet[position]
            if type == 0 {
                // A list ends with at least one zero byte, and is filled to a multiple of 4.
                position = (position + 4) & ~3
                isInChunk = false
                continue
            }
            guard packet.holds(2, at: position) else { throw end(.truncated) }
            let length = Int(packet[position + 1])
            let start = position + 2
            guard packet.holds(length, at: start) else { throw end(.truncated) }
            position = start + length
            return SourceDescriptionItem(ssrc: ssrc, type: type, offset: start, length: length)
        }
    }

    private mutating func end(_ error: RTCPError) -> RTCPError {
        chunksLeft = 0
        isInChunk = false
        return error
    }

    /// Writes a packet with one chunk, the canonical name of `ssrc` (1 to 255 bytes of UTF-8), to `offset`, and
    /// returns its length. Throws `noSpace`.
    public static func write(
        ssrc: SSRC, cname: Span<UInt8>, into bytes: inout MutableSpan<UInt8>, at offset: Int
    ) throws(RTCPError) -> Int {
        guard cname.count >= 1, cname.count <= 255 else { throw .noSpace }
        let length = (10 + cname.count + 4) & ~3
        try RTCPFrame.writeHeader(.sourceDescription, count: 1, length: length, into: &bytes, at: offset)
        bytes.store(ssrc.rawValue, at: offset + 4)
        bytes[offset + 8] = SourceDescriptionItem.cname
        bytes[offset + 9] = UInt8(truncatingIfNeeded: cname.count)
        bytes.store(cname, at: offset + 10)
        for index in (offset + 10 + cname.count)..<(offset + length) { bytes[index] = 0 }
        return length
    }
}
