/// MESSAGE-INTEGRITY: over which bytes the HMAC-SHA1 goes (RFC 8489 section 14.5). The HMAC itself is the caller's.
///
/// The HMAC covers the message up to the attribute, with a length field that counts the attribute but nothing behind it.
public struct STUNIntegrity: Sendable, BitwiseCopyable {
    /// Bytes of an HMAC-SHA1.
    public static var digestSize: Int { 20 }
    /// Bytes of the whole attribute.
    public static var size: Int { 4 + digestSize }

    /// Offset of the attribute's header: the number of bytes covered.
    public let offset: Int

    /// `offset` is at least `STUNHeader.size`.
    init(offset: Int) {
        self.offset = offset
    }

    /// What the HMAC takes for bytes 2 and 3 of the message.
    public var lengthField: UInt16 {
        UInt16(truncatingIfNeeded: offset - STUNHeader.size + Self.size)
    }

    /// The bytes of the digest.
    public var digest: Range<Int> { (offset + 4)..<(offset + Self.size) }
}
