/// Reads a descriptor byte by byte.
struct ByteCursor: BitwiseCopyable {
    /// Bytes read so far.
    var position = 0

    /// The next byte. Throws `truncated` at the end.
    mutating func next(in bytes: Span<UInt8>) throws(CodecError) -> UInt8 {
        guard position < bytes.count else { throw .truncated }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func nextUInt16(in bytes: Span<UInt8>) throws(CodecError) -> UInt16 {
        try UInt16(next(in: bytes)) << 8 | UInt16(next(in: bytes))
    }
}
