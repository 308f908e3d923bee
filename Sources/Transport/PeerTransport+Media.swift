public import FixedCollections
public import Wire

/// Media in both directions. Nothing here allocates, and without keys nothing goes in or out.
extension PeerTransport {
    /// Opens the SRTP packet in the first `length` bytes of `packet` in place.
    ///
    /// - Returns: the length of the RTP packet, padding included.
    /// - Throws: `noKeys`, `unknownPath`, or `srtp`, after which the bytes are undefined.
    public mutating func openRTP(
        _ packet: inout MutableSpan<UInt8>, length: Int, from path: TransportPath, now: Instant
    ) throws(TransportError) -> Int {
        guard isValidated(path) else { throw .unknownPath }
        let opened = try withKeys { keys throws(SRTPError) in
            try keys.receiver.openRTP(&packet, length: length)
        }
        heard(from: path, now: now)
        return opened
    }

    /// Opens the SRTCP packet in the first `length` bytes of `packet` in place; returns the compound packet's length.
    ///
    /// - Throws: `noKeys`, `unknownPath`, or `srtp`, after which the bytes are undefined.
    public mutating func openRTCP(
        _ packet: inout MutableSpan<UInt8>, length: Int, from path: TransportPath, now: Instant
    ) throws(TransportError) -> Int {
        guard isValidated(path) else { throw .unknownPath }
        let opened = try withKeys { keys throws(SRTPError) in
            try keys.receiver.openRTCP(&packet, length: length)
        }
        heard(from: path, now: now)
        return opened
    }

    /// Forgets an SSRC of the peer's; see `SRTPReceiver.removeStream`.
    public mutating func removeInboundStream(_ ssrc: SSRC) {
        keys?.receiver.removeStream(ssrc)
    }

    /// Readies an SSRC for sending; see `Sealer.registerStream`.
    ///
    /// - Throws: `noKeys`, `srtp(.tooManyStreams)`.
    public mutating func registerStream(_ ssrc: SSRC) throws(TransportError) -> SealerStream {
        try withKeys { keys throws(SRTPError) in try keys.sealer.registerStream(ssrc) }
    }

    /// Ends a stream; see `Sealer.unregisterStream`.
    public mutating func unregisterStream(_ stream: SealerStream) {
        keys?.sealer.unregisterStream(stream)
    }

    /// Seals one packet, which is ready on return; see `Sealer.sealRTP`. Returns its length.
    ///
    /// - Throws: `noKeys`, `srtp`.
    public mutating func sealRTP(
        _ packet: PacketToSeal, payload: Span<UInt8>, into output: inout MutableSpan<UInt8>,
        engine: inout SealingEngine
    ) throws(TransportError) -> Int {
        try withKeys { keys throws(SRTPError) in
            try keys.sealer.sealRTP(packet, payload: payload, into: &output, engine: &engine)
        }
    }

    /// Seals one packet, which is ready when the engine is flushed; see `Sealer.queueRTP`. Returns its length.
    ///
    /// - Throws: `noKeys`, `srtp`.
    public mutating func queueRTP(
        _ packet: PacketToSeal, payload: Span<UInt8>, into output: inout MutableSpan<UInt8>,
        engine: inout SealingEngine
    ) throws(TransportError) -> Int {
        try withKeys { keys throws(SRTPError) in
            try keys.sealer.queueRTP(packet, payload: payload, into: &output, engine: &engine)
        }
    }

    /// Seals the compound RTCP packet in the first `length` bytes of `packet` in place; returns the new length.
    ///
    /// - Throws: `noKeys`, `srtp`.
    public mutating func sealRTCP(
        _ packet: inout MutableSpan<UInt8>, length: Int
    ) throws(TransportError) -> Int {
        try withKeys { keys throws(SRTPError) in try keys.sealer.sealRTCP(&packet, length: length) }
    }

    /// What `body` does with the keys. Throws `noKeys` if there are none yet, or any more, and `srtp` with its error.
    @inline(__always)
    mutating func withKeys<Value>(
        _ body: (inout PeerKeys) throws(SRTPError) -> Value
    ) throws(TransportError) -> Value {
        let value: Value?
        do {
            value = try keys?.lend(to: body)
        } catch {
            throw .srtp(error)
        }
        guard let value else { throw .noKeys }
        return value
    }
}

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
