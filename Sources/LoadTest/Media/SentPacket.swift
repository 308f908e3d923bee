import FixedCollections
import Wire

/// One packet as it was sent, short enough to be kept, from which its bytes can be made again for a retransmission.
struct SentPacket: BitwiseCopyable {
    var sequence: SequenceNumber
    var timestamp: RTPTimestamp
    var stamp: Stamp
    var payloadLength: UInt16
    /// Of VP8.
    var pictureID: UInt16
    var baseIndex: UInt8
    var keyIndex: UInt8
    var isVideo: Bool
    /// The last packet of its frame, or the first of a talk spurt.
    var marker: Bool
    /// −dBov, for audio.
    var level: UInt8
}

extension SentPacket {
    /// Bytes of the VP8 payload descriptor with 15-bit picture id, TL0PICIDX, TID and KEYIDX (RFC 7741 section 4.2).
    static let descriptorLength = 6
    /// Where a stamp lies at the most, so that every payload has room for it.
    static let longestPrefix = descriptorLength + 10

    /// Writes the payload to `offset`: `payloadLength` bytes.
    func writePayload(into bytes: inout MutableSpan<UInt8>, at offset: Int) {
        let stampOffset = offset + (isVideo ? writeVP8(into: &bytes, at: offset) : 1)
        if !isVideo { bytes[offset] = 0x78 }
        let end = offset + Int(payloadLength)
        guard stampOffset + Stamp.size <= end else {
            for index in (isVideo ? stampOffset : offset + 1)..<max(end, offset + 1) { bytes[index] = 0 }
            return
        }
        stamp.write(into: &bytes, at: stampOffset)
        for index in (stampOffset + Stamp.size)..<end {
            bytes[index] = UInt8(truncatingIfNeeded: index - offset)
        }
    }

    /// Descriptor, and at a frame's start the VP8 frame header; returns their length.
    private func writeVP8(into bytes: inout MutableSpan<UInt8>, at offset: Int) -> Int {
        let isStart = stamp.packet == 0
        bytes[offset] = 0x80 | (stamp.temporal > 0 ? 0x20 : 0) | (isStart ? 0x10 : 0)
        bytes[offset + 1] = 0xf0
        bytes.store(pictureID | 0x8000, at: offset + 2)
        bytes[offset + 4] = baseIndex
        // Every higher frame depends on the lowest layer alone.
        bytes[offset + 5] = stamp.temporal << 6 | (stamp.temporal > 0 ? 0x20 : 0) | keyIndex & 0x1f
        guard isStart else { return Self.descriptorLength }
        let start = offset + Self.descriptorLength
        bytes[start] = stamp.isKey ? 0x10 : 0x11
        bytes[start + 1] = 0
        bytes[start + 2] = 0
        guard stamp.isKey else { return Self.descriptorLength + 3 }
        // Start code, then 1280x720 without scaling (RFC 6386 section 9.1).
        bytes.store(UInt32(0x9d01_2a00), at: start + 3)
        bytes.store(UInt32(0x0005_d002), at: start + 6)
        return Self.longestPrefix
    }

    /// Where the stamp is in a payload that was received; nil if the payload can't have one.
    static func stampOffset(in payload: Span<UInt8>, isVideo: Bool) -> Int? {
        guard isVideo else { return 1 }
        guard let descriptor = try? VP8Descriptor.parse(payload) else { return nil }
        guard descriptor.isFrameStart else { return descriptor.length }
        return descriptor.length + (descriptor.isKeyFrame ? 10 : 3)
    }
}
