/// A name of 1 to 16 visible ASCII characters, held in place: a `mid` (RFC 9143) or a `rid` (RFC 8852).
///
/// Comparing and hashing one costs as much as two integers, which is what a lookup per packet needs.
public struct ShortID: Hashable, Sendable, BitwiseCopyable {
    // Left-aligned, big-endian, filled with zeros; a name holds no zero byte, so that the length follows from it.
    @usableFromInline let high: UInt64
    @usableFromInline let low: UInt64

    /// The name in `bytes`; nil unless it is 1 to 16 bytes of visible ASCII (0x21 to 0x7E).
    @inlinable
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= 1, bytes.count <= 16 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for index in 0..<bytes.count {
            let byte = bytes[index]
            guard byte >= 0x21, byte <= 0x7E else { return nil }
            if index < 8 {
                high |= UInt64(byte) << UInt64(56 &- 8 &* index)
            } else {
                low |= UInt64(byte) << UInt64(120 &- 8 &* index)
            }
        }
        self.high = high
        self.low = low
    }

    /// The name in `text`; nil unless it is 1 to 16 characters of visible ASCII.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(bytes.span)
    }

    /// Number of characters, 1 to 16.
    @inlinable public var count: Int {
        low == 0 ? 8 &- high.trailingZeroBitCount / 8 : 16 &- low.trailingZeroBitCount / 8
    }

    /// The character at `index`, below `count`.
    @inlinable
    public subscript(index: Int) -> UInt8 {
        index < 8
            ? UInt8(truncatingIfNeeded: high >> UInt64(56 &- 8 &* index))
            : UInt8(truncatingIfNeeded: low >> UInt64(120 &- 8 &* index))
    }

    /// Writes the characters to `offset`, which has room for `count` bytes.
    @inlinable
    public func write(into bytes: inout MutableSpan<UInt8>, at offset: Int) {
        for index in 0..<count { bytes[offset + index] = self[index] }
    }
}

extension ShortID: CustomStringConvertible {
    public var description: String {
        String(decoding: (0..<count).map { self[$0] }, as: UTF8.self)
    }
}

extension String {
    /// The characters of `id`. Allocates.
    public init(_ id: ShortID) {
        self = id.description
    }
}
