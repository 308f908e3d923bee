/// Why bytes are not a STUN message that is worth an answer.
public enum STUNError: Error, Sendable {
    /// Not STUN, or lengths that don't add up.
    case malformed
    /// Some other message: an indication, another method.
    case unexpectedType
    /// No FINGERPRINT at the end, or a wrong one.
    case fingerprint
    /// USERNAME is missing, empty, or longer than 513 bytes (RFC 8489 section 14.3).
    case username
    /// MESSAGE-INTEGRITY is missing or has a wrong length.
    case integrity
}

/// A connectivity or consent check of a peer (RFC 8445 section 7.3, RFC 7675), not yet authenticated.
///
/// Values are offsets into the bytes it was read from.
public struct STUNBindingRequest: Sendable {
    /// The role that the sender believes to have.
    public enum Role: Sendable, BitwiseCopyable {
        case controlling, controlled
    }

    /// How many attributes that weren't understood are remembered.
    public static var unknownCapacity: Int { 4 }

    public let transactionID: STUNTransactionID
    /// The bytes of USERNAME: the ufrag of the receiver, a colon, that of the sender.
    public private(set) var username: Range<Int>
    public private(set) var integrity: STUNIntegrity
    public private(set) var priority: UInt32?
    public private(set) var role: Role?
    /// USE-CANDIDATE is there: the sender wants media on this pair.
    public private(set) var nominates = false
    /// The first `unknownCount` are types that must be understood and aren't.
    public private(set) var unknown = InlineArray<4, STUNAttributeType>(
        repeating: STUNAttributeType(rawValue: 0))
    public private(set) var unknownCount = 0

    /// Reads a binding request; doesn't verify the integrity, for which the key is looked up by `username` first.
    ///
    /// What stands behind MESSAGE-INTEGRITY is ignored but for FINGERPRINT, as nobody vouches for it.
    public init(_ bytes: Span<UInt8>) throws(STUNError) {
        guard let header = STUNHeader(bytes) else { throw .malformed }
        guard header.type == .bindingRequest else { throw .unexpectedType }
        guard STUNFingerprint.isValid(in: bytes) else { throw .fingerprint }
        transactionID = header.transactionID
        username = 0..<0
        integrity = STUNIntegrity(offset: 0)
        var attributes = STUNAttributeIterator()
        while let attribute = attributes.next(in: bytes), integrity.offset == 0 {
            try read(attribute, in: bytes)
        }
        guard !attributes.isMalformed else { throw .malformed }
        guard !username.isEmpty, username.count <= 513 else { throw .username }
        guard integrity.offset != 0 else { throw .integrity }
    }

    private mutating func read(_ attribute: STUNAttribute, in bytes: Span<UInt8>) throws(STUNError) {
        let offset = attribute.value.lowerBound
        switch attribute.type {
        case .username where username.isEmpty:
            username = attribute.value
        case .messageIntegrity:
            guard attribute.length == STUNIntegrity.digestSize else { throw .integrity }
            integrity = STUNIntegrity(offset: attribute.offset)
        case .priority where attribute.length == 4:
            priority = bytes.loadUInt32(at: offset)
        case .useCandidate:
            nominates = true
        case .iceControlling where attribute.length == 8:
            role = .controlling
        case .iceControlled where attribute.length == 8:
            role = .controlled
        case let type where !type.isUnderstoodInRequests:
            guard unknownCount < Self.unknownCapacity else { return }
            unknown[unknownCount] = type
            unknownCount += 1
        default: break
        }
    }

    /// The part of USERNAME before the colon, by which a receiver finds the transport that a request is for.
    ///
    /// Looks at the header and at attribute lengths only, so that a flood costs little. Nil if `bytes` is no binding
    /// request or has no such part.
    public static func localUfrag(in bytes: Span<UInt8>) -> Range<Int>? {
        guard let header = STUNHeader(bytes), header.type == .bindingRequest else { return nil }
        var attributes = STUNAttributeIterator()
        while let attribute = attributes.next(in: bytes) {
            guard attribute.type == .username else { continue }
            for index in attribute.value where bytes[index] == UInt8(ascii: ":") {
                return index > attribute.value.lowerBound ? attribute.value.lowerBound..<index : nil
            }
            return nil
        }
        return nil
    }
}
