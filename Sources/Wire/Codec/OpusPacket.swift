/// What an Opus packet's first byte tells (RFC 6716 section 3.1).
public struct OpusPacket: Hashable, Sendable, BitwiseCopyable {
    /// Configuration: mode, bandwidth and frame size, 0 to 31.
    public var configuration: UInt8
    public var isStereo: Bool
    /// Frames in the packet, 1 to 48.
    public var frameCount: Int
    /// At most 2 bytes: what an encoder sends in silence (RFC 6716 section 2.1.9).
    public var isDiscontinuous: Bool

    /// Parses an RTP payload. Throws `truncated` if it is empty or its frame count is missing, `malformed` for more
    /// than 120 ms or no frame.
    public static func parse(_ payload: Span<UInt8>) throws(CodecError) -> OpusPacket {
        guard payload.count >= 1 else { throw .truncated }
        let toc = payload[0]
        var packet = OpusPacket(
            configuration: toc >> 3, isStereo: toc & 0x04 != 0, frameCount: 1,
            isDiscontinuous: payload.count <= 2)
        switch toc & 3 {
        case 0: break
        case 1, 2: packet.frameCount = 2
        default:
            guard payload.count >= 2 else { throw .truncated }
            packet.frameCount = Int(payload[1] & 0x3F)
        }
        let ticks = packet.frameCount * packet.frameTicks
        guard ticks > 0, ticks <= 5_760 else { throw .malformed }
        return packet
    }

    /// Length of one frame in ticks of the 48 kHz RTP clock, 120 to 2,880.
    public var frameTicks: Int {
        switch configuration {
        case 0...11: configuration & 3 == 3 ? 2_880 : 480 << Int(configuration & 3)
        case 12...15: 480 << Int(configuration & 1)
        default: 120 << Int(configuration & 3)
        }
    }

    /// Length of the packet in ticks of the 48 kHz RTP clock, 120 to 5,760.
    public var ticks: Int { frameCount * frameTicks }

    /// Length of the packet, 2.5 to 120 ms.
    public var duration: Duration { .nanoseconds(ticks * 62_500 / 3) }
}
