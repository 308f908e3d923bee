/// Why bytes aren't RTCP, or a message can't be written.
public enum RTCPError: Error, Hashable, Sendable {
    /// A length passes the end, or the body is too short for what it counts.
    case truncated
    /// The version isn't 2.
    case wrongVersion
    /// Padding that is 0, longer than the packet, or not in the last packet.
    case invalidPadding
    /// The packet is of another type than the one that is parsed.
    case wrongType
    /// Values that the format forbids.
    case malformed
    /// The buffer to write into has no room for this, or the list is longer than the format can carry.
    case noSpace
}
