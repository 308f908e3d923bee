/// The type of an RTCP packet; types that aren't listed are carried along, so that a reader can skip them.
public struct RTCPPacketType: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    @inlinable public static var senderReport: Self { Self(rawValue: 200) }
    @inlinable public static var receiverReport: Self { Self(rawValue: 201) }
    @inlinable public static var sourceDescription: Self { Self(rawValue: 202) }
    @inlinable public static var goodbye: Self { Self(rawValue: 203) }
    @inlinable public static var application: Self { Self(rawValue: 204) }
    /// RTPFB (RFC 4585): NACK, transport-cc feedback.
    @inlinable public static var transportFeedback: Self { Self(rawValue: 205) }
    /// PSFB (RFC 4585): PLI, FIR, REMB.
    @inlinable public static var payloadFeedback: Self { Self(rawValue: 206) }
    @inlinable public static var extendedReport: Self { Self(rawValue: 207) }
}

/// One packet of a compound: its type, and where it is.
public struct RTCPPacket: Hashable, Sendable, BitwiseCopyable {
    public var type: RTCPPacketType
    /// The 5 bits after version and padding: a count, or the format of a feedback message.
    public var count: UInt8
    /// The packet's first byte (its header is 4 bytes), from the start of the datagram.
    public var offset: Int
    /// Bytes with header, without padding; at least 4.
    public var length: Int

    /// Header and body: `bytes.extracting(packet.range)` is what the messages' `parse` take.
    @inlinable public var range: Range<Int> { offset..<(offset &+ length) }

    /// What the message is, judged by type, format and (for REMB) its mark.
    public func kind(in bytes: Span<UInt8>) -> RTCPMessageKind {
        switch (type, count) {
        case (.senderReport, _): .senderReport
        case (.receiverReport, _): .receiverReport
        case (.sourceDescription, _): .sourceDescription
        case (.goodbye, _): .goodbye
        case (.transportFeedback, Nack.format): .nack
        case (.transportFeedback, TransportFeedback.format): .transportFeedback
        case (.payloadFeedback, PictureLossIndication.format): .pictureLossIndication
        case (.payloadFeedback, FullIntraRequest.format): .fullIntraRequest
        case (.payloadFeedback, ReceiverEstimate.format):
            ReceiverEstimate.isMarked(bytes.extracting(range)) ? .receiverEstimate : .unknown
        case (.extendedReport, _): .extendedReport
        default: .unknown
        }
    }
}

/// The RTCP messages that this module reads.
public enum RTCPMessageKind: Sendable, BitwiseCopyable {
    case senderReport, receiverReport, sourceDescription, goodbye
    case nack, transportFeedback
    case pictureLossIndication, fullIntraRequest, receiverEstimate
    case extendedReport
    case unknown
}
