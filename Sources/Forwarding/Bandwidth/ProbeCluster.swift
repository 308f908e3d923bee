public import Wire

/// A burst that measures the link: what waits to be sent anyway, then padding on the retransmission stream, at a rate above
/// the estimate.
public struct ProbeCluster: Hashable, Sendable, BitwiseCopyable {
    /// 1 to 65,535; comes again after a wrap.
    public let id: UInt16
    /// How fast to send it.
    public let bitrate: Bitrate
    /// How much to send.
    public let bytes: Int
    /// In how many packets at least.
    public let packets: Int
    /// It asks whether the link is full, and is sent although the estimate may be higher.
    public var isCheck = false
}
