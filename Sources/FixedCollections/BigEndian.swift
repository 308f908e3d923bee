/// Numbers in network byte order, and copies, each with one test for room: what a loop over bytes would test for each.
extension Span where Element == UInt8 {
    /// The big-endian number at `offset`; traps when the bytes aren't there.
    @inlinable @inline(__always)
    public func loadBigEndian<Number: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Number.Type
    ) -> Number {
        precondition(
            offset >= 0 && offset <= count &- MemoryLayout<Number>.size, "the number lies within the bytes")
        return unsafe withUnsafeBytes { bytes in
            unsafe Number(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }
    }
}

extension MutableSpan where Element == UInt8 {
    /// The big-endian number at `offset`; traps when the bytes aren't there.
    @inlinable @inline(__always)
    public func loadBigEndian<Number: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Number.Type
    ) -> Number {
        span.loadBigEndian(at: offset, as: type)
    }

    /// Stores the number big-endian at `offset`; traps when there is no room.
    @inlinable @inline(__always)
    public mutating func storeBigEndian<Number: FixedWidthInteger & BitwiseCopyable>(
        _ number: Number, at offset: Int
    ) {
        precondition(
            offset >= 0 && offset <= count &- MemoryLayout<Number>.size, "the number lies within the bytes")
        unsafe withUnsafeMutableBytes { bytes in
            unsafe bytes.storeBytes(of: number.bigEndian, toByteOffset: offset, as: Number.self)
        }
    }

    /// Copies all of `source` to `offset`; traps when there is no room. The two don't overlap.
    @inlinable @inline(__always)
    public mutating func copy(_ source: Span<UInt8>, to offset: Int) {
        precondition(offset >= 0 && source.count <= count && offset <= count &- source.count, "the bytes fit")
        unsafe withUnsafeMutableBufferPointer { target in
            unsafe source.withUnsafeBufferPointer { source in
                guard let from = source.baseAddress, let to = target.baseAddress else { return }
                unsafe (to + offset).update(from: from, count: source.count)
            }
        }
    }
}
