/// A command to send a key frame (FIR, RFC 5104 section 4.3.1).
public struct FullIntraRequest: Hashable, Sendable, BitwiseCopyable {
    @inlinable public static var format: UInt8 { 4 }

    /// One stream that is asked for a key frame. A repeated command has the same number, a new one the next.
    public struct Entry: Hashable, Sendable, BitwiseCopyable {
        public var ssrc: SSRC
        public var sequenceNumber: UInt8

        public init(ssrc: SSRC, sequenceNumber: UInt8) {
            self.ssrc = ssrc
            self.sequenceNumber = sequenceNumber
        }
    }

    /// Who asks.
    public let sender: SSRC
    /// Number of entries.
    public let count: Int

    /// Parses one packet of a compound. Throws `wrongType` or `truncated`; bytes after the last whole entry are
    /// ignored.
    public static func parse(_ packet: Span<UInt8>) throws(RTCPError) -> FullIntraRequest {
        try RTCPFrame.check(packet, .payloadFeedback, format: format, minimum: 12)
        return FullIntraRequest(sender: SSRC(packet.loadUInt32(at: 4)), count: (packet.count - 12) / 8)
    }

    /// The entry at `index`, below `count`, of the packet this was parsed from.
    public func entry(_ index: Int, in packet: Span<UInt8>) -> Entry {
        Entry(
            ssrc: SSRC(packet.loadUInt32(at: 12 + 8 * index)), sequenceNumber: packet[16 + 8 * index])
    }

    /// Writes a command to `offset`, and returns its length. Throws `noSpace`.
    public static func write(
        sender: SSRC, _ entries: Span<Entry>, into bytes: inout MutableSpan<UInt8>, at offset: Int
    ) throws(RTCPError) -> Int {
        let length = 12 + 8 * entries.count
        try RTCPFrame.writeHeader(.payloadFeedback, count: format, length: length, into: &bytes, at: offset)
        bytes.store(sender.rawValue, at: offset + 4)
        bytes.store(UInt32(0), at: offset + 8)
        for index in 0..<entries.count {
            let start = offset + 12 + 8 * index
            bytes.store(entries[index].ssrc.rawValue, at: start)
            bytes.store(UInt32(entries[index].sequenceNumber) << 24, at: start + 4)
        }
        return length
    }
}
