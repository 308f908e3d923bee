/// The answer to a binding request (RFC 8489 section 6.3), not yet authenticated.
public struct STUNBindingResponse: Sendable, BitwiseCopyable {
    public let transactionID: STUNTransactionID
    /// 300 to 699; nil in a success response.
    public private(set) var errorCode: Int?
    /// The address from which the request came, as the answerer saw it.
    public private(set) var mappedAddress: SocketAddress?
    /// Nil if the answer isn't signed.
    public private(set) var integrity: STUNIntegrity?

    /// Reads a success or error response that ends in a FINGERPRINT.
    public init(_ bytes: Span<UInt8>) throws(STUNError) {
        guard let header = STUNHeader(bytes) else { throw .malformed }
        guard header.type == .bindingSuccess || header.type == .bindingError else { throw .unexpectedType }
        guard STUNFingerprint.isValid(in: bytes) else { throw .fingerprint }
        transactionID = header.transactionID
        var attributes = STUNAttributeIterator()
        while let attribute = attributes.next(in: bytes), integrity == nil {
            try read(attribute, in: bytes)
        }
        guard !attributes.isMalformed else { throw .malformed }
        guard (errorCode != nil) == (header.type == .bindingError) else { throw .malformed }
    }

    private mutating func read(_ attribute: STUNAttribute, in bytes: Span<UInt8>) throws(STUNError) {
        let offset = attribute.value.lowerBound
        switch attribute.type {
        case .xorMappedAddress:
            mappedAddress = STUNAddress.load(attribute, transactionID, in: bytes)
        case .errorCode where attribute.length >= 4:
            errorCode = Int(bytes[offset + 2] & 7) * 100 + Int(bytes[offset + 3])
        case .messageIntegrity:
            guard attribute.length == STUNIntegrity.digestSize else { throw .integrity }
            integrity = STUNIntegrity(offset: attribute.offset)
        default: break
        }
    }
}
