import FixedCollections
import Wire

/// The codecs whose payload formats synthetic cameras write: what stands before the compressed bytes is real.
public enum VideoCodec: String, Sendable, BitwiseCopyable, CaseIterable, Codable {
    case vp8 = "VP8"
    case vp9 = "VP9"
    case h264 = "H264"
    case av1 = "AV1"

    /// What an offer says of it.
    var parameters: [FormatParameters.Parameter] {
        switch self {
        case .vp8, .av1: []
        case .vp9: [.init(name: "profile-id", value: "0")]
        case .h264:
            [
                .init(name: "level-asymmetry-allowed", value: "1"),
                .init(name: "packetization-mode", value: "1"),
                .init(name: "profile-level-id", value: "42e01f"),
            ]
        }
    }

    /// Temporal layers that its payload format tells by itself, without a dependency descriptor.
    var tellsTemporalLayers: Bool { self == .vp8 || self == .vp9 }
}

extension SentPacket {
    /// Where a stamp lies at the most, so that every payload has room for it.
    static let longestPrefix = 18
    /// Bytes before the stamp in a packet of H.264's parameter sets.
    static let parameterSetsPrefix = 7

    /// Lines of the picture: 720 of a camera's largest encoding and layer, half of them of each smaller one.
    private func lines(ofSpatial layer: Int) -> UInt16 {
        let encoding = max(0, Int(stamp.publication & 7) - 1)
        return 720 >> UInt16(encoding + Int(spatialLayers) - 1 - layer)
    }

    /// The VP8 payload descriptor with 15-bit picture id, TL0PICIDX, TID and KEYIDX (RFC 7741 section 4.2), and at a
    /// frame's start the frame header; returns their length.
    func writeVP8(into bytes: inout MutableSpan<UInt8>, at offset: Int) -> Int {
        let isStart = stamp.packet == 0
        bytes[offset] = 0x80 | (stamp.temporal > 0 ? 0x20 : 0) | (isStart ? 0x10 : 0)
        bytes[offset + 1] = 0xf0
        bytes.store(pictureID | 0x8000, at: offset + 2)
        bytes[offset + 4] = baseIndex
        // Every higher frame depends on the lowest layer alone.
        bytes[offset + 5] = stamp.temporal << 6 | (stamp.temporal > 0 ? 0x20 : 0) | keyIndex & 0x1f
        guard isStart else { return 6 }
        let start = offset + 6
        bytes[start] = stamp.isKey ? 0x10 : 0x11
        bytes[start + 1] = 0
        bytes[start + 2] = 0
        guard stamp.isKey else { return 9 }
        // Start code, then width and height without scaling, the low byte first (RFC 6386 section 9.1).
        bytes.store(UInt32(0x9d01_2a00), at: start + 3)
        let height = lines(ofSpatial: 0)
        bytes.store((height / 9 * 16).byteSwapped, at: start + 6)
        bytes.store(height.byteSwapped, at: start + 8)
        return 16
    }

    /// The VP9 payload descriptor in non-flexible mode, with the structure at key pictures (RFC 9628 section 4.2).
    func writeVP9(into bytes: inout MutableSpan<UInt8>, at offset: Int) -> Int {
        let (isStart, isEnd) = (stamp.packet == 0, stamp.packet + 1 == stamp.packets)
        let isTop = stamp.spatial + 1 == spatialLayers
        let hasStructure = isStart && stamp.isKey && stamp.spatial == 0
        bytes[offset] =
            0xa0 | (stamp.isKey ? 0 : 0x40) | (isStart ? 0x08 : 0) | (isEnd ? 0x04 : 0)
            | (hasStructure ? 0x02 : 0) | (isTop ? 0x01 : 0)
        bytes.store(pictureID | 0x8000, at: offset + 1)
        let switchesUp: UInt8 = stamp.temporal > 0 ? 0x10 : 0
        bytes[offset + 3] =
            stamp.temporal << 5 | switchesUp | stamp.spatial << 1 | (stamp.spatial > 0 ? 1 : 0)
        bytes[offset + 4] = baseIndex
        guard hasStructure else { return 5 }
        bytes[offset + 5] = (spatialLayers - 1) << 5 | 0x10
        for layer in 0..<Int(spatialLayers) {
            let height = lines(ofSpatial: layer)
            bytes.store(height / 9 * 16, at: offset + 6 + 4 * layer)
            bytes.store(height, at: offset + 8 + 4 * layer)
        }
        return 6 + 4 * Int(spatialLayers)
    }

    /// A slice in one piece or in fragments; a key frame's first packet has the parameter sets (RFC 6184 section 5).
    func writeH264(into bytes: inout MutableSpan<UInt8>, at offset: Int) -> Int {
        let slice: UInt8 = stamp.isKey ? 5 : 1
        let first: UInt16 = stamp.isKey ? 1 : 0
        guard stamp.packet >= first else {
            // STAP-A with a sequence parameter set, which is as long as there is room, and has the stamp in it.
            bytes[offset] = 0x78
            bytes.store(payloadLength - 3, at: offset + 1)
            bytes.store(UInt32(0x6742_e01f), at: offset + 3)
            return Self.parameterSetsPrefix
        }
        guard stamp.packets - first > 1 else {
            bytes[offset] = 0x60 | slice
            bytes[offset + 1] = 0x80
            return 2
        }
        bytes[offset] = 0x7c
        let (starts, ends) = (stamp.packet == first, stamp.packet + 1 == stamp.packets)
        bytes[offset + 1] = (starts ? 0x80 : 0) | (ends ? 0x40 : 0) | slice
        bytes[offset + 2] = starts ? 0x80 : 0
        return 3
    }

    /// The aggregation header, and the header of the one OBU that begins in the first packet (AV1 RTP specification
    /// section 4.4).
    func writeAV1(into bytes: inout MutableSpan<UInt8>, at offset: Int) -> Int {
        let (isStart, isEnd) = (stamp.packet == 0, stamp.packet + 1 == stamp.packets)
        bytes[offset] = 0x10 | (isStart ? 0 : 0x80) | (isEnd ? 0 : 0x40) | (isStart && stamp.isKey ? 0x08 : 0)
        guard isStart else { return 1 }
        // A sequence header begins what can be decoded by itself, a frame goes on.
        bytes[offset + 1] = stamp.isKey ? 0x08 : 0x30
        return 2
    }
}
