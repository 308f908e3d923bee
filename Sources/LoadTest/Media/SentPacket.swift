import FixedCollections
import Wire

/// One packet as it was sent, short enough to be kept, from which its bytes can be made again for a retransmission.
struct SentPacket: BitwiseCopyable {
    var sequence: SequenceNumber
    var timestamp: RTPTimestamp
    var stamp: Stamp
    var payloadLength: UInt16
    var codec = VideoCodec.vp8
    /// Of the picture; 1 to 3.
    var spatialLayers: UInt8 = 1
    /// Of VP8 and VP9.
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
    /// Writes the payload to `offset`: `payloadLength` bytes.
    func writePayload(into bytes: inout MutableSpan<UInt8>, at offset: Int) {
        let stampOffset = offset + (isVideo ? writeDescriptor(into: &bytes, at: offset) : 1)
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

    private func writeDescriptor(into bytes: inout MutableSpan<UInt8>, at offset: Int) -> Int {
        switch codec {
        case .vp8: writeVP8(into: &bytes, at: offset)
        case .vp9: writeVP9(into: &bytes, at: offset)
        case .h264: writeH264(into: &bytes, at: offset)
        case .av1: writeAV1(into: &bytes, at: offset)
        }
    }

    /// Where the stamp is in a payload that was received; nil if the payload can't have one.
    static func stampOffset(in payload: Span<UInt8>, codec: VideoCodec?) -> Int? {
        switch codec {
        case nil: return 1
        case .vp8:
            guard let descriptor = try? VP8Descriptor.parse(payload) else { return nil }
            guard descriptor.isFrameStart else { return descriptor.length }
            return descriptor.length + (descriptor.isKeyFrame ? 10 : 3)
        case .vp9: return (try? VP9Descriptor.parse(payload))?.length
        case .h264:
            guard let parsed = try? H264Payload.parse(payload) else { return nil }
            switch parsed.packaging {
            case .single: return 2
            case .aggregate: return Self.parameterSetsPrefix
            case .fragment: return 3
            }
        case .av1:
            guard let header = try? AV1AggregationHeader.parse(payload) else { return nil }
            return header.continuesFirst ? 1 : 2
        }
    }
}
