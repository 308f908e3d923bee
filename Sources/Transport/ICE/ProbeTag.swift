import Wire

/// By what the answer to a check of the server's finds its transport: the upper 32 bits of the transaction id.
///
/// Carries two numbers of the owner's choosing: which worker, and which transport there. Authenticates nothing.
public struct ProbeTag: Hashable, Sendable, BitwiseCopyable {
    /// Indices are 0 to `indexCount` − 1.
    public static var indexCount: Int { 1 << 20 }

    let rawValue: UInt32

    /// Takes the lane modulo `ICEUfrag.laneCount` and the index modulo `indexCount`.
    public init(lane: Int, index: Int) {
        let lane = lane & (ICEUfrag.laneCount - 1)
        rawValue = UInt32(truncatingIfNeeded: lane << 20 | index & (Self.indexCount - 1))
    }

    /// The one that stands in an answer; nil if `message` is no answer to a binding request.
    public init?(answeredBy message: Span<UInt8>) {
        guard let header = STUNHeader(message),
            header.type == .bindingSuccess || header.type == .bindingError
        else { return nil }
        rawValue = header.transactionID.high
    }

    public var lane: Int { Int(rawValue >> 20) }
    public var index: Int { Int(rawValue) & (Self.indexCount - 1) }
}
