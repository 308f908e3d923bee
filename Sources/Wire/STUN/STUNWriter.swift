/// Writes a STUN message attribute by attribute into memory of the caller's.
///
/// Give every call the same bytes. The length field is right after each call. What doesn't fit isn't written, and then
/// `count` is 0 for good: check it at the end.
public struct STUNWriter: Sendable, BitwiseCopyable {
    /// Bytes of the message so far; 0 if something didn't fit.
    public private(set) var count: Int
    private let transactionID: STUNTransactionID

    /// Starts a message.
    public init(_ type: STUNMessageType, _ id: STUNTransactionID, into bytes: inout MutableSpan<UInt8>) {
        transactionID = id
        guard bytes.count >= STUNHeader.size else {
            count = 0
            return
        }
        count = STUNHeader.size
        bytes.store(type.rawValue, at: 0)
        bytes.store(UInt16(0), at: 2)
        bytes.store(STUNHeader.magicCookie, at: 4)
        bytes.store(id.high, at: 8)
        bytes.store(id.low, at: 12)
    }

    /// An attribute without a value, such as USE-CANDIDATE.
    public mutating func append(_ type: STUNAttributeType, into bytes: inout MutableSpan<UInt8>) {
        _ = reserve(type, 0, in: &bytes)
    }

    /// An attribute of four bytes, such as PRIORITY.
    public mutating func append(
        _ type: STUNAttributeType, _ value: UInt32, into bytes: inout MutableSpan<UInt8>
    ) {
        guard let offset = reserve(type, 4, in: &bytes) else { return }
        bytes.store(value, at: offset)
    }

    /// An attribute of eight bytes, such as the tie-breaker of ICE-CONTROLLING.
    public mutating func append(
        _ type: STUNAttributeType, _ value: UInt64, into bytes: inout MutableSpan<UInt8>
    ) {
        guard let offset = reserve(type, 8, in: &bytes) else { return }
        bytes.store(value, at: offset)
    }

    /// An attribute of any bytes, such as USERNAME.
    public mutating func append(
        _ type: STUNAttributeType, _ value: Span<UInt8>, into bytes: inout MutableSpan<UInt8>
    ) {
        guard let offset = reserve(type, value.count, in: &bytes) else { return }
        bytes.store(value, at: offset)
    }

    public mutating func appendXORMappedAddress(
        _ address: SocketAddress, into bytes: inout MutableSpan<UInt8>
    ) {
        guard let offset = reserve(.xorMappedAddress, STUNAddress.size(of: address), in: &bytes) else {
            return
        }
        STUNAddress.store(address, transactionID, in: &bytes, at: offset)
    }

    /// ERROR-CODE without a reason phrase, 300 to 699 (RFC 8489 section 14.8).
    public mutating func appendErrorCode(_ code: Int, into bytes: inout MutableSpan<UInt8>) {
        guard let offset = reserve(.errorCode, 4, in: &bytes) else { return }
        bytes[offset + 2] = UInt8(truncatingIfNeeded: code / 100)
        bytes[offset + 3] = UInt8(truncatingIfNeeded: code % 100)
    }

    /// UNKNOWN-ATTRIBUTES: those of `request` (RFC 8489 section 14.9).
    public mutating func appendUnknownAttributes(
        of request: STUNBindingRequest, into bytes: inout MutableSpan<UInt8>
    ) {
        guard let offset = reserve(.unknownAttributes, 2 * request.unknownCount, in: &bytes) else { return }
        for index in 0..<request.unknownCount {
            bytes.store(request.unknown[index].rawValue, at: offset + 2 * index)
        }
    }

    /// MESSAGE-INTEGRITY, whose digest the caller computes and stores before it goes on. Nil if it doesn't fit.
    public mutating func appendIntegrity(into bytes: inout MutableSpan<UInt8>) -> STUNIntegrity? {
        guard let offset = reserve(.messageIntegrity, STUNIntegrity.digestSize, in: &bytes) else {
            return nil
        }
        return STUNIntegrity(offset: offset - 4)
    }

    /// FINGERPRINT, which ends the message.
    public mutating func appendFingerprint(into bytes: inout MutableSpan<UInt8>) {
        guard let offset = reserve(.fingerprint, 4, in: &bytes) else { return }
        bytes.store(STUNFingerprint.value(of: bytes.span, count: offset - 4), at: offset)
    }

    /// Writes an attribute's header and zeroes its value and padding; the offset of the value.
    private mutating func reserve(
        _ type: STUNAttributeType, _ length: Int, in bytes: inout MutableSpan<UInt8>
    ) -> Int? {
        let padded = (length + 3) & ~3
        let end = count + 4 + padded
        guard count > 0, end <= bytes.count, end - STUNHeader.size <= Int(UInt16.max) else {
            count = 0
            return nil
        }
        let offset = count
        bytes.store(type.rawValue, at: offset)
        bytes.store(UInt16(length), at: offset + 2)
        for index in (offset + 4)..<end { bytes[index] = 0 }
        bytes.store(UInt16(end - STUNHeader.size), at: 2)
        count = end
        return offset + 4
    }
}
