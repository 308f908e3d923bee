import FixedCollections
import Wire

@testable import Transport

/// A connectivity check as a client sends it.
struct TestCheck {
    var credentials: ICECredentials
    var nominates = true
    var role: STUNBindingRequest.Role? = .controlling
    /// Empty attributes ahead of the integrity.
    var extra: [STUNAttributeType] = []
    var transaction: UInt64 = 1

    func bytes() throws -> [UInt8] {
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
func readAnswer(_ bytes: [UInt8], _ credentials: ICECredentials) throws -> STUNBindingResponse? {
    let response = try STUNBindingResponse(bytes.span)
    guard let integrity = response.integrity else { return nil }
    return try ICEKey(credentials).verifies(bytes.span, integrity) ? response : nil
}

/// A client's address: 192.0.2.1, with a port.
func udpPath(_ port: UInt16 = 5_000) -> TransportPath {
    .udp(SocketAddress(ipv4: 0xc000_0201, port: port))
}

extension Instant {
    /// Seconds after an arbitrary start.
    static func at(_ seconds: Double) -> Instant {
        Instant(nanoseconds: 1_000_000_000_000 + Int64(seconds * 1e9))
    }
}
