/// The values in an RTP packet's fixed header that a forwarder chooses for itself.
public struct RTPFields: Hashable, Sendable, BitwiseCopyable {
    public var marker: Bool
    public var payloadType: PayloadType
    public var sequenceNumber: SequenceNumber
    public var timestamp: RTPTimestamp
    public var ssrc: SSRC

    @inlinable
    public init(
        marker: Bool, payloadType: PayloadType, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp,
        ssrc: SSRC
    ) {
        self.marker = marker
        self.payloadType = payloadType
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.ssrc = ssrc
    }
}
