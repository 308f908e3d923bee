public import FixedCollections

/// Big-endian access to the bytes of a packet.
///
/// All of these trap when the bytes aren't there, as a subscript does: a parser checks `count` once a header and then
/// reads without further tests. Offsets are in bytes from the start of the span.
extension Span where Element == UInt8 {
    /// The 16-bit big-endian number at `offset`.
    @inlinable @inline(__always)
    public func loadUInt16(at offset: Int) -> UInt16 { loadBigEndian(at: offset, as: UInt16.self) }

    /// The 24-bit big-endian number at `offset`, 0 to 16,777,215.
    @inlinable @inline(__always)
    public func loadUInt24(at offset: Int) -> UInt32 {
        UInt32(self[offset]) << 16 | UInt32(loadUInt16(at: offset + 1))
    }

    /// The 32-bit big-endian number at `offset`.
    @inlinable @inline(__always)
    public func loadUInt32(at offset: Int) -> UInt32 { loadBigEndian(at: offset, as: UInt32.self) }

    /// The 64-bit big-endian number at `offset`.
    @inlinable @inline(__always)
    public func loadUInt64(at offset: Int) -> UInt64 { loadBigEndian(at: offset, as: UInt64.self) }

    /// Whether `length` bytes from `offset` lie within the span; false for negative numbers and sums that overflow.
    @inlinable @inline(__always)
    public func holds(_ length: Int, at offset: Int) -> Bool {
        offset >= 0 && length >= 0 && offset <= count && length <= count - offset
    }
}

extension MutableSpan where Element == UInt8 {
    /// The 16-bit big-endian number at `offset`.
    @inlinable @inline(__always)
    public func loadUInt16(at offset: Int) -> UInt16 { loadBigEndian(at: offset, as: UInt16.self) }

    /// The 32-bit big-endian number at `offset`.
    @inlinable @inline(__always)
    public func loadUInt32(at offset: Int) -> UInt32 { loadBigEndian(at: offset, as: UInt32.self) }

    /// Stores `value` big-endian in the 2 bytes at `offset`.
    @inlinable @inline(__always)
    public mutating func store(_ value: UInt16, at offset: Int) { storeBigEndian(value, at: offset) }

    /// Stores the low 24 bits of `value` big-endian in the 3 bytes at `offset`.
    @inlinable @inline(__always)
    public mutating func storeUInt24(_ value: UInt32, at offset: Int) {
        self[offset] = UInt8(truncatingIfNeeded: value >> 16)
        store(UInt16(truncatingIfNeeded: value), at: offset + 1)
    }

    /// Stores `value` big-endian in the 4 bytes at `offset`.
    @inlinable @inline(__always)
    public mutating func store(_ value: UInt32, at offset: Int) { storeBigEndian(value, at: offset) }

    /// Stores `value` big-endian in the 8 bytes at `offset`.
    @inlinable @inline(__always)
    public mutating func store(_ value: UInt64, at offset: Int) { storeBigEndian(value, at: offset) }

    /// Copies all of `bytes` to `offset`; they don't overlap.
    ///
    /// - Complexity: linear in `bytes.count`.
    @inlinable @inline(__always)
    public mutating func store(_ bytes: Span<UInt8>, at offset: Int) { copy(bytes, to: offset) }

    /// Whether `length` bytes from `offset` lie within the span; false for negative numbers and sums that overflow.
    @inlinable @inline(__always)
    public func holds(_ length: Int, at offset: Int) -> Bool {
        offset >= 0 && length >= 0 && offset <= count && length <= count - offset
    }
}
