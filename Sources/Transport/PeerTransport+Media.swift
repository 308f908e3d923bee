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
        let opened = try keys.use { keys throws(SRTPError) in
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
        let opened = try keys.use { keys throws(SRTPError) in
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
        try keys.use { keys throws(SRTPError) in try keys.sealer.registerStream(ssrc) }
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
        try keys.use { keys throws(SRTPError) in
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
        try keys.use { keys throws(SRTPError) in
            try keys.sealer.queueRTP(packet, payload: payload, into: &output, engine: &engine)
        }
    }

    /// Seals the compound RTCP packet in the first `length` bytes of `packet` in place; returns the new length.
    ///
    /// - Throws: `noKeys`, `srtp`.
    public mutating func sealRTCP(
        _ packet: inout MutableSpan<UInt8>, length: Int
    ) throws(TransportError) -> Int {
        try keys.use { keys throws(SRTPError) in try keys.sealer.sealRTCP(&packet, length: length) }
    }
}
