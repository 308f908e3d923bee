/// The RTP header extensions that Rostrum uses, rewrites or passes through.
public enum HeaderExtensionKind: UInt8, Sendable, CaseIterable, BitwiseCopyable {
    /// The m-line a packet belongs to (RFC 9143).
    case mid
    /// The simulcast encoding a packet belongs to (RFC 8852).
    case rid
    /// The simulcast encoding that a retransmission repairs (RFC 8852).
    case repairedRID
    /// How loud the voice in this packet is (RFC 6464).
    case audioLevel
    /// Transport-wide sequence number (draft-holmer-rmcat-transport-wide-cc-extensions-01).
    case transportCC
    case absoluteSendTime
    case absoluteCaptureTime
    /// AV1 RTP specification, appendix A.
    case dependencyDescriptor
    /// 3GPP TS 26.114.
    case videoOrientation
    case playoutDelay
    case videoLayersAllocation
    /// Transmission time offset (RFC 5450).
    case transmissionOffset
    case contentType
    case videoTiming
    case colorSpace

    /// The URI that names the extension in an `a=extmap` line.
    public var uri: StaticString {
        switch self {
        case .mid: "urn:ietf:params:rtp-hdrext:sdes:mid"
        case .rid: "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
        case .repairedRID: "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id"
        case .audioLevel: "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
        case .transportCC: "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
        case .absoluteSendTime: "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
        case .absoluteCaptureTime: "http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time"
        case .dependencyDescriptor:
            "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension"
        case .videoOrientation: "urn:3gpp:video-orientation"
        case .playoutDelay: "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
        case .videoLayersAllocation: "http://www.webrtc.org/experiments/rtp-hdrext/video-layers-allocation00"
        case .transmissionOffset: "urn:ietf:params:rtp-hdrext:toffset"
        case .contentType: "http://www.webrtc.org/experiments/rtp-hdrext/video-content-type"
        case .videoTiming: "http://www.webrtc.org/experiments/rtp-hdrext/video-timing"
        case .colorSpace: "http://www.webrtc.org/experiments/rtp-hdrext/color-space"
        }
    }

    /// Whether a value of so many bytes can be of this kind. Where it can't, some receivers drop the connection.
    public func isLength(_ length: Int) -> Bool {
        switch self {
        case .audioLevel, .videoOrientation, .contentType: length == 1
        case .transportCC: length == 2 || length == 4
        case .absoluteSendTime, .playoutDelay, .transmissionOffset: length == 3
        case .absoluteCaptureTime: length == 8 || length == 16
        case .dependencyDescriptor: length >= 3
        case .videoTiming: length == 13
        case .colorSpace: length == 4 || length == 28
        case .mid, .rid, .repairedRID, .videoLayersAllocation: length > 0
        }
    }

    /// Whether it says something of this kind of media.
    public func concerns(isVideo: Bool) -> Bool {
        switch self {
        case .audioLevel: !isVideo
        case .dependencyDescriptor, .videoOrientation, .playoutDelay, .contentType, .colorSpace, .videoTiming,
            .videoLayersAllocation, .rid, .repairedRID:
            isVideo
        case .mid, .transportCC, .absoluteSendTime, .absoluteCaptureTime, .transmissionOffset: true
        }
    }

    /// The kind that `uri` names exactly; nil for one that isn't supported.
    public init?(uri: String) {
        guard let kind = Self.allCases.first(where: { $0.uri.description == uri }) else { return nil }
        self = kind
    }
}

/// Which id each header extension has on one m-line.
public struct HeaderExtensionMap: Sendable, BitwiseCopyable {
    /// The largest id that can be mapped. Browsers count up from 1 and leave out 15.
    @inlinable public static var largestID: UInt8 { 31 }

    // 0: not negotiated. Kinds are stored plus 1.
    @usableFromInline var ids = InlineArray<16, UInt8>(repeating: 0)
    @usableFromInline var kinds = InlineArray<32, UInt8>(repeating: 0)

    @inlinable public init() {}

    /// Negotiates `kind` as `id`. False, and nothing changed, if the id is 0, 15 or above 31, or if id or kind is
    /// taken already.
    public mutating func map(_ kind: HeaderExtensionKind, to id: UInt8) -> Bool {
        guard id >= 1, id != 15, id <= Self.largestID else { return false }
        guard kinds[Int(id)] == 0, ids[Int(kind.rawValue)] == 0 else { return false }
        ids[Int(kind.rawValue)] = id
        kinds[Int(id)] = kind.rawValue + 1
        return true
    }

    /// The id of `kind`, or 0 if it wasn't negotiated.
    @inlinable
    public func id(of kind: HeaderExtensionKind) -> UInt8 {
        ids[Int(kind.rawValue)]
    }

    /// The kind with this id, or nil if none was negotiated.
    @inlinable
    public func kind(of id: UInt8) -> HeaderExtensionKind? {
        id <= Self.largestID ? HeaderExtensionKind(rawValue: kinds[Int(id)] &- 1) : nil
    }

    /// Whether any id needs the two-byte form.
    public var needsTwoByteForm: Bool {
        HeaderExtensionKind.allCases.contains { id(of: $0) > 14 }
    }
}
