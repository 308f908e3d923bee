/// Why bytes aren't an RTP packet, or a packet can't be written.
public enum RTPError: Error, Hashable, Sendable {
    /// Shorter than its fixed header, CSRC list or extension block says.
    case truncated
    /// The version isn't 2.
    case wrongVersion
    /// The padding count is 0 or larger than the payload.
    case invalidPadding
    /// More than 65,535 bytes.
    case tooLong
    /// The buffer to write into has no room for this.
    case noSpace
    /// A header extension id of 0, or a value of more than 255 bytes.
    case invalidExtension
}
