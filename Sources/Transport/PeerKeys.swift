/// Both directions' SRTP of one peer. Made from what DTLS agreed on.
struct PeerKeys: ~Copyable {
    var receiver: SRTPReceiver
    var sealer: Sealer

    /// - Parameter role: whose keys these are: what the other side sends is opened.
    init(
        _ keys: consuming SRTPMasterKeys, role: DTLSRole, limits: SRTPReceiver.Limits, sealerStreams: Int,
        engine: borrowing SealingEngine
    ) throws(SRTPError) {
        switch role {
        case .passive:
            let receiver = try SRTPReceiver(key: keys.client, limits: limits)
            sealer = try Sealer(key: keys.server, streamCapacity: sealerStreams, engine: engine)
            self.receiver = receiver
        case .active:
            let receiver = try SRTPReceiver(key: keys.server, limits: limits)
            sealer = try Sealer(key: keys.client, streamCapacity: sealerStreams, engine: engine)
            self.receiver = receiver
        }
    }

    /// Optional chaining reaches what is inside of an optional in place, but only for a method's call.
    @inline(__always)
    mutating func lend<Value>(to body: (inout PeerKeys) throws(SRTPError) -> Value) throws(SRTPError) -> Value
    {
        try body(&self)
    }
}

extension Optional where Wrapped == PeerKeys {
    /// What `body` does with the keys. Throws `noKeys` if there are none yet, or any more, and `srtp` with its error.
    @inline(__always)
    mutating func use<Value>(
        _ body: (inout PeerKeys) throws(SRTPError) -> Value
    ) throws(TransportError) -> Value {
        let value: Value?
        do {
            value = try self?.lend(to: body)
        } catch {
            throw .srtp(error)
        }
        guard let value else { throw .noKeys }
        return value
    }
}
