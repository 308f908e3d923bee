import CSRTP
public import Wire

/// Opens what one peer sends: SRTP and SRTCP with one master key, by libsrtp2.
///
/// Each SSRC has its own rollover counter and replay window, made when its first packet has been
/// authenticated, for at most `maximumStreams` of them. What isn't authentic leaves nothing behind. Belongs
/// to one thread; several receivers may live on several.
@safe public struct SRTPReceiver: ~Copyable {
    /// The sizes of a receiver.
    public struct Limits: BitwiseCopyable, Sendable {
        /// How far behind the newest packet of a stream a packet may be, 128 to 1,024. RTCP's window is
        /// always 128.
        public var replayWindow: Int
        /// How many SSRCs the peer may use, 1 to 1,024.
        public var maximumStreams: Int

        public init(replayWindow: Int = 512, maximumStreams: Int = 64) {
            self.replayWindow = replayWindow
            self.maximumStreams = maximumStreams
        }
    }

    public let suite: SRTPSuite
    private let session: srtp_t
    private var streams: KnownStreams

    /// - Throws: `outOfBounds` for bad limits, `libraryFailed`.
    public init(key: borrowing SRTPMasterKey, limits: Limits = Limits()) throws(SRTPError) {
        guard (128...1_024).contains(limits.replayWindow), (1...1_024).contains(limits.maximumStreams) else {
            throw .outOfBounds
        }
        let session = try unsafe SRTPLibrary.makeSession(key: key, window: limits.replayWindow)
        suite = key.suite
        unsafe self.session = unsafe session
        streams = KnownStreams(capacity: limits.maximumStreams)
    }

    deinit {
        unsafe _ = srtp_dealloc(session)
    }

    /// How many SSRCs have state.
    public var streamCount: Int {
        streams.count
    }

    /// Opens the SRTP packet in the first `length` bytes of `packet` in place.
    ///
    /// - Returns: the length of the RTP packet, padding included.
    /// - Throws: `tooShort`, `malformed`, `replayed`, `authenticationFailed`, `tooManyStreams`, `outOfBounds`
    ///   if `length` is more than `packet` holds, `libraryFailed`. The bytes are then undefined.
    public mutating func openRTP(
        _ packet: inout MutableSpan<UInt8>, length: Int
    ) throws(SRTPError) -> Int {
        try checkLength(length, of: packet, atLeast: 12)
        guard packet[0] >> 6 == 2 else {
            throw .malformed
        }
        let header = try rtpHeaderLength(packet, length: length)
        guard length >= header + suite.tagLength else {
            throw .tooShort
        }
        return unsafe try open(&packet, length: length, ssrcOffset: 8, srtp_unprotect)
    }

    /// Opens the SRTCP packet in the first `length` bytes of `packet` in place. As `openRTP` otherwise.
    ///
    /// - Returns: the length of the compound packet.
    public mutating func openRTCP(
        _ packet: inout MutableSpan<UInt8>, length: Int
    ) throws(SRTPError) -> Int {
        try checkLength(length, of: packet, atLeast: 8 + suite.rtcpOverhead)
        guard packet[0] >> 6 == 2 else {
            throw .malformed
        }
        return unsafe try open(&packet, length: length, ssrcOffset: 4, srtp_unprotect_rtcp)
    }

    /// Whether a packet with the SSRC of the RTP packet in the first `length` bytes was opened before.
    mutating func hasHeard(_ packet: borrowing MutableSpan<UInt8>, length: Int) -> Bool {
        guard length >= 12, length <= packet.count else { return false }
        return streams.contains(packet.loadUInt32(at: 8))
    }

    /// Forgets a stream, so that its SSRC may start again at rollover counter 0, as after a peer rejoined.
    /// Its old packets can be replayed from then on: don't call it because a packet asks for it.
    public mutating func removeStream(_ ssrc: SSRC) {
        if streams.remove(ssrc.rawValue) {
            unsafe _ = srtp_remove_stream(session, ssrc.rawValue.bigEndian)
        }
    }

    private func checkLength(
        _ length: Int, of packet: borrowing MutableSpan<UInt8>, atLeast minimum: Int
    ) throws(SRTPError) {
        guard length <= packet.count else {
            throw .outOfBounds
        }
        guard length >= minimum else {
            throw .tooShort
        }
        guard length <= Sealer.maximumPacketLength else {
            throw .malformed
        }
    }

    /// Bytes of fixed header, contributing sources and header extension.
    private func rtpHeaderLength(
        _ packet: borrowing MutableSpan<UInt8>, length: Int
    ) throws(SRTPError) -> Int {
        let fixed = 12 + 4 * Int(packet[0] & 0x0f)
        guard packet[0] & 0x10 != 0 else {
            return fixed
        }
        guard length >= fixed + 4 else {
            throw .tooShort
        }
        return fixed + 4 + 4 * (Int(packet[fixed + 2]) << 8 | Int(packet[fixed + 3]))
    }

    private mutating func open(
        _ packet: inout MutableSpan<UInt8>, length: Int, ssrcOffset: Int,
        _ unprotect: (srtp_t?, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int32>?) -> srtp_err_status_t
    ) throws(SRTPError) -> Int {
        let ssrc =
            UInt32(packet[ssrcOffset]) << 24 | UInt32(packet[ssrcOffset + 1]) << 16
            | UInt32(packet[ssrcOffset + 2]) << 8 | UInt32(packet[ssrcOffset + 3])
        let isKnown = streams.contains(ssrc)
        guard isKnown || !streams.isFull else {
            throw .tooManyStreams
        }
        var count = Int32(length)
        let status = unsafe packet.withUnsafeMutableBytes { bytes in
            unsafe unprotect(session, bytes.baseAddress, &count)
        }
        guard status == srtp_err_status_ok else {
            throw SRTPError(status)
        }
        if !isKnown {
            streams.insert(ssrc)
        }
        return Int(count)
    }
}

/// The SSRCs that libsrtp2 keeps state for. Few: searched one by one, the last hit first.
@safe private struct KnownStreams: ~Copyable {
    let capacity: Int
    private(set) var count = 0
    private var last = 0
    private let ssrcs: UnsafeMutablePointer<UInt32>

    init(capacity: Int) {
        self.capacity = capacity
        unsafe ssrcs = .allocate(capacity: capacity)
        unsafe ssrcs.initialize(repeating: 0, count: capacity)
    }

    deinit {
        unsafe ssrcs.deallocate()
    }

    var isFull: Bool {
        count == capacity
    }

    mutating func contains(_ ssrc: UInt32) -> Bool {
        if last < count, unsafe ssrcs[last] == ssrc {
            return true
        }
        for index in 0..<count where unsafe ssrcs[index] == ssrc {
            last = index
            return true
        }
        return false
    }

    mutating func insert(_ ssrc: UInt32) {
        unsafe ssrcs[count] = ssrc
        last = count
        count += 1
    }

    mutating func remove(_ ssrc: UInt32) -> Bool {
        for index in 0..<count where unsafe ssrcs[index] == ssrc {
            count -= 1
            unsafe ssrcs[index] = ssrcs[count]
            return true
        }
        return false
    }
}
