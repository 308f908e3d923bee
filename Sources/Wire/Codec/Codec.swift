/// The codecs Rostrum forwards.
public enum Codec: UInt8, Sendable, CaseIterable, BitwiseCopyable {
    /// Opus (RFC 7587).
    case opus
    /// Redundant audio around Opus (RFC 2198).
    case red
    case vp8
    case vp9
    case h264
    case av1

    @inlinable public var isVideo: Bool {
        switch self {
        case .opus, .red: false
        case .vp8, .vp9, .h264, .av1: true
        }
    }
}

/// A codec with the parameters that decide whether two endpoints mean the same stream.
///
/// Two formats that are equal can be forwarded into each other with nothing but another payload type.
public struct CodecFormat: Hashable, Sendable, BitwiseCopyable {
    public var codec: Codec
    /// VP9 `profile-id`, AV1 `profile`; for H.264 the `profile_idc` and `profile-iop` bytes of `profile-level-id`.
    public var profile: UInt16
    /// H.264 `packetization-mode`; 0 elsewhere.
    public var packetizationMode: UInt8

    @inlinable
    public init(codec: Codec, profile: UInt16 = 0, packetizationMode: UInt8 = 0) {
        self.codec = codec
        self.profile = profile
        self.packetizationMode = packetizationMode
    }
}
