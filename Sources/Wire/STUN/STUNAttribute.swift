/// The type of a STUN attribute (RFC 8489 section 14, RFC 8445 section 16.1).
public struct STUNAttributeType: Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static var mappedAddress: STUNAttributeType { STUNAttributeType(rawValue: 0x0001) }
    public static var username: STUNAttributeType { STUNAttributeType(rawValue: 0x0006) }
    public static var messageIntegrity: STUNAttributeType { STUNAttributeType(rawValue: 0x0008) }
    public static var errorCode: STUNAttributeType { STUNAttributeType(rawValue: 0x0009) }
    public static var unknownAttributes: STUNAttributeType { STUNAttributeType(rawValue: 0x000a) }
    public static var realm: STUNAttributeType { STUNAttributeType(rawValue: 0x0014) }
    public static var nonce: STUNAttributeType { STUNAttributeType(rawValue: 0x0015) }
    public static var messageIntegritySHA256: STUNAttributeType { STUNAttributeType(rawValue: 0x001c) }
    public static var xorMappedAddress: STUNAttributeType { STUNAttributeType(rawValue: 0x0020) }
    public static var priority: STUNAttributeType { STUNAttributeType(rawValue: 0x0024) }
    public static var useCandidate: STUNAttributeType { STUNAttributeType(rawValue: 0x0025) }
    public static var software: STUNAttributeType { STUNAttributeType(rawValue: 0x8022) }
    public static var fingerprint: STUNAttributeType { STUNAttributeType(rawValue: 0x8028) }
    public static var iceControlled: STUNAttributeType { STUNAttributeType(rawValue: 0x8029) }
    public static var iceControlling: STUNAttributeType { STUNAttributeType(rawValue: 0x802a) }

    /// A message with an attribute of this kind that isn't understood must be refused (RFC 8489 section 6.3.1).
    public var isComprehensionRequired: Bool { rawValue < 0x8000 }

    /// Whether a binding request may carry it without being refused.
    var isUnderstoodInRequests: Bool {
        switch self {
        case .username, .messageIntegrity, .messageIntegritySHA256, .realm, .nonce, .priority, .useCandidate:
            true
        default: !isComprehensionRequired
        }
    }
}

/// Where one attribute lies within a message. Offsets are in bytes from the start of the message.
public struct STUNAttribute: Sendable, BitwiseCopyable {
    public let type: STUNAttributeType
    /// Of the attribute's own four-byte header; a multiple of four.
    public let offset: Int
    /// Length of the value, without padding.
    public let length: Int

    /// The bytes of the value, without padding.
    public var value: Range<Int> { (offset + 4)..<(offset + 4 + length) }
}

/// Walks the attributes of a message in order, without allocation.
///
/// Give every call the same bytes.
public struct STUNAttributeIterator: Sendable, BitwiseCopyable {
    private var offset = STUNHeader.size
    /// An attribute reached past the end of the message; the walk stopped there.
    public private(set) var isMalformed = false

    public init() {}

    /// The next attribute, all of whose bytes are there; nil at the end.
    public mutating func next(in bytes: Span<UInt8>) -> STUNAttribute? {
        guard !isMalformed, offset < bytes.count else { return nil }
        guard bytes.holds(4, at: offset) else {
            isMalformed = true
            return nil
        }
        let type = STUNAttributeType(rawValue: bytes.loadUInt16(at: offset))
        let length = Int(bytes.loadUInt16(at: offset + 2))
        let padded = (length + 3) & ~3
        guard bytes.holds(padded, at: offset + 4) else {
            isMalformed = true
            return nil
        }
        defer { offset += 4 + padded }
        return STUNAttribute(type: type, offset: offset, length: length)
    }
}
