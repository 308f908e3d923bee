/// The 20 bytes that every STUN message starts with (RFC 8489 section 5).
public struct STUNHeader: Sendable, BitwiseCopyable {
    /// Bytes of the header itself.
    public static var size: Int { 20 }
    /// The fixed number in bytes 4–7, which tells STUN from everything else.
    public static var magicCookie: UInt32 { 0x2112_a442 }

    public let type: STUNMessageType
    public let transactionID: STUNTransactionID

    /// Reads the header of a message that fills `bytes` exactly.
    ///
    /// Nil unless the two topmost bits are zero, the magic cookie is there, and the length field is a multiple of four
    /// that accounts for every byte.
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= Self.size, bytes[0] & 0xc0 == 0,
            bytes.loadUInt32(at: 4) == Self.magicCookie,
            Int(bytes.loadUInt16(at: 2)) == bytes.count - Self.size, bytes.count % 4 == 0
        else { return nil }
        type = STUNMessageType(rawValue: bytes.loadUInt16(at: 0))
        transactionID = STUNTransactionID(high: bytes.loadUInt32(at: 8), low: bytes.loadUInt64(at: 12))
    }
}

/// Method and class of a STUN message, as they stand in its first two bytes.
public struct STUNMessageType: Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static var bindingRequest: STUNMessageType { STUNMessageType(rawValue: 0x0001) }
    /// Expects no answer; some clients send it to keep a NAT binding open.
    public static var bindingIndication: STUNMessageType { STUNMessageType(rawValue: 0x0011) }
    public static var bindingSuccess: STUNMessageType { STUNMessageType(rawValue: 0x0101) }
    public static var bindingError: STUNMessageType { STUNMessageType(rawValue: 0x0111) }
}

/// The 96 bits by which an answer finds its request.
public struct STUNTransactionID: Hashable, Sendable, BitwiseCopyable {
    /// Bytes 0–3, first byte highest.
    public var high: UInt32
    /// Bytes 4–11, first byte highest.
    public var low: UInt64

    public init(high: UInt32, low: UInt64) {
        self.high = high
        self.low = low
    }
}
