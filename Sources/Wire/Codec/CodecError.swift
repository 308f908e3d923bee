/// Why a payload or a descriptor can't be read. Such a packet isn't forwarded.
public enum CodecError: Error, Hashable, Sendable {
    /// It ends before what it announces.
    case truncated
    /// Values that the format forbids.
    case malformed
    /// Allowed, but beyond what is kept here, or of a kind that WebRTC doesn't use.
    case unsupported
}
