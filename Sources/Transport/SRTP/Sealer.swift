public import Wire

/// A stream registered with a `Sealer`: a small index, so that sealing doesn't search.
public struct SealerStream: Hashable, Sendable, BitwiseCopyable {
    /// Its number among the sealer's streams.
    public let index: UInt16

    public init(index: UInt16) {
        self.index = index
    }
}

/// How one RTP packet that is about to be sealed lies in the output.
public struct PacketToSeal: BitwiseCopyable, Sendable {
    /// The stream whose SSRC the header carries.
    public var stream: SealerStream
    /// Where the packet starts in the output.
    public var offset: Int
    /// Bytes of header already written there, at least 12: SSRC and sequence number are read from it. It is
    /// authenticated, not encrypted.
    public var headerLength: Int
    /// Bytes of plaintext already written behind the header (a rewritten payload descriptor), encrypted in
    /// place.
    public var prefixLength: Int
    /// Bytes of RTP padding to append behind the payload, 0 to 255. Other than 0 sets the header's padding
    /// bit.
    public var paddingLength: UInt8

    @inlinable
    public init(
        stream: SealerStream, offset: Int = 0, headerLength: Int, prefixLength: Int = 0,
        paddingLength: UInt8 = 0
    ) {
        self.stream = stream
        self.offset = offset
        self.headerLength = headerLength
        self.prefixLength = prefixLength
        self.paddingLength = paddingLength
    }
}

/// Seals what is sent to one receiver: SRTP and SRTCP with one master key (RFC 3711, RFC 7714).
///
/// Belongs to the thread of its engine. After `init` nothing allocates.
public struct Sealer: ~Copyable {
    /// The most streams a sealer can have.
    public static let maximumStreams = 256

    public let suite: SRTPSuite
    /// What seals RTP; RTCP is always OpenSSL's.
    public let implementation: SealingImplementation

    var streams: OutboundStreamTable
    let rtp: RTPCipher
    let rtcp: OpenSSLCipher
    var rtcpIndex: UInt32 = 0

    /// - Parameter streamCapacity: how many SSRCs can be registered at once, 1 to 256; 24 bytes each.
    /// - Throws: `outOfBounds` for a bad capacity; `libraryFailed`.
    public init(
        key: borrowing SRTPMasterKey, streamCapacity: Int = 64, engine: borrowing SealingEngine
    ) throws(SRTPError) {
        try self.init(
            rtp: SessionKeys(from: key, for: .rtp), rtcp: SessionKeys(from: key, for: .rtcp),
            streamCapacity: streamCapacity, engine: engine)
    }

    init(
        rtp rtpKeys: consuming SessionKeys, rtcp rtcpKeys: consuming SessionKeys, streamCapacity: Int,
        engine: borrowing SealingEngine
    ) throws(SRTPError) {
        guard (1...Self.maximumStreams).contains(streamCapacity) else {
            throw .outOfBounds
        }
        let suite = rtpKeys.suite
        let rtp = try RTPCipher(keys: rtpKeys, engine: engine)
        let rtcp = try OpenSSLCipher(keys: rtcpKeys)
        self.suite = suite
        implementation = engine.implementation
        self.rtp = rtp
        self.rtcp = rtcp
        streams = OutboundStreamTable(capacity: streamCapacity)
    }

    /// Starts a stream at rollover counter 0, or finds the one that was registered with this SSRC before and
    /// goes on with its counter. O(capacity).
    ///
    /// The first sequence number should be below 2^15, so that a receiver that misses the first packets
    /// guesses right (RFC 3711 section 3.3.1).
    /// - Throws: `tooManyStreams`.
    public mutating func registerStream(_ ssrc: SSRC) throws(SRTPError) -> SealerStream {
        SealerStream(index: UInt16(truncatingIfNeeded: try streams.register(ssrc.rawValue)))
    }

    /// Ends a stream. Its place goes to another SSRC when no unused one is left; an SSRC that lost its place
    /// that way must not come back under this key, because its numbers would be sealed twice.
    public mutating func unregisterStream(_ stream: SealerStream) {
        streams.unregister(Int(stream.index))
    }
}
