import COpenSSL
import Wire

/// Opens RTP of the AEAD suites (RFC 7714) for a client that receives much: OpenSSL's EVP with a context that is kept.
///
/// For tools and tests: several times cheaper than libsrtp2, and without its replay window. A packet that comes twice is
/// opened twice; whoever counts packets sees that by their numbers. Keeps a rollover counter a stream.
@safe struct ClientOpener: ~Copyable {
    private struct Stream {
        var ssrc: UInt32
        /// Rollover counter and sequence number of the newest packet that was opened.
        var highest: UInt64
    }

    private let suite: SRTPSuite
    private let salt: PacketIV
    /// An `EVP_CIPHER_CTX`.
    private let context: OpaquePointer
    private var streams: [Stream] = []
    private var last = 0

    private static let tagLength = 16
    private static let mostStreams = 1_024

    /// - Throws: `libraryFailed`; `outOfBounds` for a suite that isn't AEAD.
    init(key: borrowing SRTPMasterKey) throws(SRTPError) {
        guard key.suite.isAEAD else { throw .outOfBounds }
        let keys = try SessionKeys(from: key, for: .rtp)
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .libraryFailed(status: 0) }
        let algorithm = key.suite == .aes256GCM ? unsafe EVP_aes_256_gcm() : unsafe EVP_aes_128_gcm()
        guard unsafe EVP_DecryptInit_ex(context, algorithm, nil, keys.encryptionKey, nil) == 1 else {
            unsafe EVP_CIPHER_CTX_free(context)
            OpenSSL.drainErrors()
            throw .libraryFailed(status: 0)
        }
        suite = key.suite
        salt = keys.salt
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(context)
    }

    /// Opens the SRTP packet in the first `length` bytes of `packet` in place; returns the RTP packet's length.
    ///
    /// - Throws: `tooShort`, `malformed`, `authenticationFailed`, `tooManyStreams`.
    mutating func open(_ packet: inout MutableSpan<UInt8>, length: Int) throws(SRTPError) -> Int {
        guard length <= packet.count else { throw .outOfBounds }
        let header: RTPHeader
        do {
            header = try RTPHeader(parsingHeaderOf: packet.span.extracting(0..<length))
        } catch {
            throw error == .truncated ? .tooShort : .malformed
        }
        let body = length - header.headerLength - Self.tagLength
        guard body >= 0 else { throw .tooShort }
        let place = find(header.ssrc.rawValue)
        let index =
            place.map { Self.index(header.sequenceNumber, after: streams[$0].highest) }
            ?? UInt64(header.sequenceNumber.rawValue)
        let vector = salt.vector(ssrc: header.ssrc.rawValue, index: index, suite: suite)
        guard decrypt(&packet, header.headerLength, body, vector) else {
            OpenSSL.drainErrors()
            throw .authenticationFailed
        }
        try note(index, header.ssrc.rawValue, place)
        return header.headerLength + body
    }

    private func decrypt(
        _ packet: inout MutableSpan<UInt8>, _ header: Int, _ body: Int, _ vector: PacketIV
    ) -> Bool {
        unsafe packet.withUnsafeMutableBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return false }
            let text = unsafe start + header
            var count: Int32 = 0
            return unsafe vector.withBytes { vector in
                unsafe EVP_DecryptInit_ex(context, nil, nil, nil, vector) == 1
                    && EVP_DecryptUpdate(context, nil, &count, start, Int32(header)) == 1
                    && EVP_DecryptUpdate(context, text, &count, text, Int32(body)) == 1
                    && EVP_CIPHER_CTX_ctrl(
                        context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), text + body) == 1
                    && EVP_DecryptFinal_ex(context, text + body, &count) == 1
            }
        }
    }

    private mutating func find(_ ssrc: UInt32) -> Int? {
        if last < streams.count, streams[last].ssrc == ssrc { return last }
        guard let place = streams.firstIndex(where: { $0.ssrc == ssrc }) else { return nil }
        last = place
        return place
    }

    private mutating func note(_ index: UInt64, _ ssrc: UInt32, _ place: Int?) throws(SRTPError) {
        if let place {
            streams[place].highest = max(streams[place].highest, index)
            return
        }
        guard streams.count < Self.mostStreams else { throw .tooManyStreams }
        streams.append(Stream(ssrc: ssrc, highest: index))
        last = streams.count - 1
    }

    /// The counted-on number nearest to the newest (RFC 3711 section 3.3.1).
    private static func index(_ sequence: SequenceNumber, after highest: UInt64) -> UInt64 {
        let step = sequence.distance(from: SequenceNumber(UInt16(truncatingIfNeeded: highest)))
        let index = Int64(bitPattern: highest) + Int64(step)
        // Before the first rollover there is nothing below 0.
        return index >= 0 ? UInt64(index) : UInt64(sequence.rawValue)
    }
}
