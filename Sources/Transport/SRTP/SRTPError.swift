/// What can go wrong in opening or sealing SRTP and SRTCP.
public enum SRTPError: Error, Hashable, Sendable {
    /// Shorter than its header, trailer and tag together.
    case tooShort
    /// Not version 2, or longer than a UDP datagram can be.
    case malformed
    /// The tag doesn't match: forged, damaged, or sealed with another key.
    case authenticationFailed
    /// This packet was opened before, or is older than the replay window.
    case replayed
    /// The table of streams is full.
    case tooManyStreams
    /// The stream isn't registered, or the packet's SSRC isn't the stream's.
    case unknownStream
    /// The output doesn't hold header, payload, padding and tag, or a length is out of its bounds.
    case outOfBounds
    /// This sequence number was sealed before; sealing it again with other bytes would break the cipher.
    case alreadySealed
    /// The sequence number lies before the first one of its stream.
    case beforeFirst
    /// All indices that the key may protect are used (2^48 RTP packets a stream, 2^31 RTCP packets).
    case keyExpired
    /// Key or salt don't have the suite's length.
    case badKeyLength
    /// The sealer was made with an engine of another implementation.
    case otherEngine
    /// A library refused what it should have done, with its status where it has one.
    case libraryFailed(status: Int32)
}
