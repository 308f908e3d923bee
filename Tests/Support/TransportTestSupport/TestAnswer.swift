public import Wire

@testable public import Transport

/// A client's answer to a check of the server's.
public struct TestAnswer {
    /// What test clients offer.
    public static let credentials = RemoteICECredentials(
        ufrag: "peer", password: "passwordpasswordpassword")

    public var transactionID: STUNTransactionID
    public var password = Self.credentials.password
    /// Makes it an error response.
    public var errorCode: Int?

    public init(to check: [UInt8]) throws {
        transactionID = try STUNBindingRequest(check.span).transactionID
    }

    public func bytes() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 200)
        var span = bytes.mutableSpan
        let type: STUNMessageType = errorCode == nil ? .bindingSuccess : .bindingError
        var writer = STUNWriter(type, transactionID, into: &span)
        if let errorCode { writer.appendErrorCode(errorCode, into: &span) }
        writer.appendXORMappedAddress(SocketAddress(ipv4: 0xc000_0209, port: 9), into: &span)
        let signer = try STUNSigner(password: password)
        if let integrity = writer.appendIntegrity(into: &span) { _ = signer.sign(&span, integrity) }
        writer.appendFingerprint(into: &span)
        return Array(bytes[..<writer.count])
    }
}

/// Whether a check of the server's is one that a client with these credentials answers (RFC 8445 section 7.3).
public func isCheck(
    _ bytes: [UInt8], of server: ICECredentials, for client: RemoteICECredentials = TestAnswer.credentials
) throws -> Bool {
    let request = try STUNBindingRequest(bytes.span)
    let signer = try STUNSigner(password: client.password)
    return Array(bytes[request.username]) == Array("\(client.ufrag):\(server.ufrag.text)".utf8)
        && request.role == .controlled && request.priority != nil && !request.nominates
        && request.unknownCount == 0 && signer.verifies(bytes.span, request.integrity)
}
