public import FixedCollections
public import Wire

@testable public import Transport

/// A connectivity check as a client sends it.
public struct TestCheck {
    public var credentials: ICECredentials
    public var nominates: Bool
    public var role: STUNBindingRequest.Role?
    /// Empty attributes ahead of the integrity.
    public var extra: [STUNAttributeType]
    public var transaction: UInt64

    public init(
        credentials: ICECredentials, nominates: Bool = true,
        role: STUNBindingRequest.Role? = .controlling, extra: [STUNAttributeType] = [],
        transaction: UInt64 = 1
    ) {
        self.credentials = credentials
        self.nominates = nominates
        self.role = role
        self.extra = extra
        self.transaction = transaction
    }

    public func bytes() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 300)
        var span = bytes.mutableSpan
        let id = STUNTransactionID(high: 9, low: transaction)
        var writer = STUNWriter(.bindingRequest, id, into: &span)
        let username = Array("\(credentials.ufrag.text):peer".utf8)
        writer.append(.username, username.span, into: &span)
        for type in extra { writer.append(type, into: &span) }
        writer.append(.priority, 0x7e00_00ff as UInt32, into: &span)
        switch role {
        case .controlling: writer.append(.iceControlling, 77 as UInt64, into: &span)
        case .controlled: writer.append(.iceControlled, 77 as UInt64, into: &span)
        case nil: break
        }
        if nominates { writer.append(.useCandidate, into: &span) }
        let key = try ICEKey(credentials)
        if let integrity = writer.appendIntegrity(into: &span) { _ = key.sign(&span, integrity) }
        writer.appendFingerprint(into: &span)
        return Array(bytes[..<writer.count])
    }
}

/// A response that is authentic under these credentials; nil if it isn't.
public func readAnswer(_ bytes: [UInt8], _ credentials: ICECredentials) throws -> STUNBindingResponse? {
    let response = try STUNBindingResponse(bytes.span)
    guard let integrity = response.integrity else { return nil }
    return try ICEKey(credentials).verifies(bytes.span, integrity) ? response : nil
}

extension Instant {
    /// Seconds after an arbitrary start.
    public static func at(_ seconds: Double) -> Instant {
        Instant(nanoseconds: 1_000_000_000_000 + Int64(seconds * 1e9))
    }
}
