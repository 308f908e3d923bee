import COpenSSL
import FixedCollections
import Wire

/// One DTLS 1.2 connection (RFC 6347) that agrees on SRTP keys (RFC 5764), in the role that its context has: datagrams in,
/// datagrams out.
///
/// OpenSSL times retransmissions by the real clock, whatever `now` says: `deadline` is `now` plus what OpenSSL says is
/// left, and a timeout handled early changes nothing but `deadline`.
@safe struct DTLSConnection: ~Copyable {
    /// What happened in a call.
    enum Event: Equatable {
        case nothing
        /// The handshake is through and the peer is who the SDP says. Happens once.
        case connected
        /// Happens once.
        case failed(DTLSFailure)
        /// The peer said goodbye. Happens once.
        case closed
    }

    private enum State {
        case handshaking, connected, over
    }

    /// The longest datagram that is looked at, in bytes.
    static let longestInput = 2_048

    private let peer: DTLSPeer
    /// Keeps the `SSL_CTX` and with it the callbacks.
    private let context: DTLSContext
    /// An `SSL`; owns both BIOs.
    private let connection: OpaquePointer
    private let input: OpaquePointer
    private let output: OpaquePointer
    private var state = State.handshaking
    /// When `handleTimeout` is due.
    private(set) var deadline = Instant.distantFuture

    init(context: DTLSContext, fingerprints: [CertificateFingerprint]) throws(TransportError) {
        peer = DTLSPeer(fingerprints: fingerprints)
        self.context = context
        guard let (connection, input, output) = unsafe Self.connect(context, peer) else {
            OpenSSL.drainErrors()
            throw .cryptographyFailed
        }
        unsafe (self.connection, self.input, self.output) = (connection, input, output)
    }

    deinit {
        unsafe SSL_free(connection)
    }

    var alertsReceived: Int { peer.alertsReceived }
    var alertsSent: Int { peer.alertsSent }

    /// Sends the first flight, which only the active side has.
    mutating func start(to path: TransportPath, now: Instant, into target: inout OutputDatagrams) -> Event {
        guard state == .handshaking else { return .nothing }
        OpenSSL.drainErrors()
        let event = advance()
        finish(to: path, now: now, into: &target)
        return event
    }

    /// Takes a datagram and answers it.
    ///
    /// After `.connected` export the keys before the answer is sent: then no media can come too early.
    mutating func receive(
        _ datagram: Span<UInt8>, from path: TransportPath, now: Instant, into target: inout OutputDatagrams
    ) -> Event {
        guard state != .over, datagram.count <= Self.longestInput,
            !DTLSRecords.hasStump(datagram, shortest: cipherOverhead)
        else { return .nothing }
        OpenSSL.drainErrors()
        takeBuffers()
        let written = unsafe datagram.withUnsafeBufferPointer { bytes in
            unsafe BIO_write(input, bytes.baseAddress, Int32(bytes.count))
        }
        guard written == datagram.count else { return .nothing }
        let event = advance()
        // A datagram that ends within a record leaves nothing for the next one.
        unsafe BIO_ctrl(input, BIO_CTRL_RESET, 0, nil)
        finish(to: path, now: now, into: &target)
        return event
    }

    /// Sends the last flight again, if OpenSSL's clock agrees that it is time. Fails after a dozen in vain.
    mutating func handleTimeout(
        to path: TransportPath, now: Instant, into target: inout OutputDatagrams
    ) -> Event {
        guard state == .handshaking, now >= deadline else { return .nothing }
        OpenSSL.drainErrors()
        let status = unsafe SSL_ctrl(connection, DTLS_CTRL_HANDLE_TIMEOUT, 0, nil)
        if status < 0 { state = .over }
        finish(to: path, now: now, into: &target)
        return status < 0 ? .failed(.timedOut) : .nothing
    }

    /// Says goodbye. What comes later is ignored.
    mutating func close(to path: TransportPath, now: Instant, into target: inout OutputDatagrams) {
        guard state == .connected else {
            (state, deadline) = (.over, .distantFuture)
            return
        }
        OpenSSL.drainErrors()
        takeBuffers()
        unsafe SSL_shutdown(connection)
        state = .over
        finish(to: path, now: now, into: &target)
    }

    /// The suite and keys agreed on; throws unless connected.
    func exportKeys() throws(TransportError) -> SRTPMasterKeys {
        guard state == .connected, peer.isVerified, let suite = selectedSuite else { throw .noKeys }
        var material = [UInt8](repeating: 0, count: suite.keyingMaterialLength)
        let label = SRTPSuite.exporterLabel
        let status = unsafe SSL_export_keying_material(
            connection, &material, material.count, label, label.utf8.count, nil, 0, 0)
        guard status == 1 else {
            OpenSSL.drainErrors()
            throw .cryptographyFailed
        }
        defer { unsafe OPENSSL_cleanse(&material, material.count) }
        do {
            return try SRTPMasterKeys(suite: suite, exported: material.span)
        } catch {
            throw .srtp(error)
        }
    }

    private var selectedSuite: SRTPSuite? {
        guard let profile = unsafe SSL_get_selected_srtp_profile(connection) else { return nil }
        return unsafe SRTPSuite(profileID: UInt16(truncatingIfNeeded: profile.pointee.id))
    }

    /// Bytes that encryption adds to a record: 16 of tag, and 8 of nonce with GCM, which is assumed until a cipher is
    /// chosen.
    private var cipherOverhead: Int {
        guard
            let cipher = unsafe SSL_get_current_cipher(connection) ?? SSL_get_pending_cipher(connection),
            unsafe SSL_CIPHER_get_cipher_nid(cipher) == NID_chacha20_poly1305
        else { return 24 }
        return 16
    }

    private static func connect(
        _ context: DTLSContext, _ peer: DTLSPeer
    ) -> (connection: OpaquePointer, input: OpaquePointer, output: OpaquePointer)? {
        guard let connection = unsafe SSL_new(context.pointer) else { return nil }
        guard let input = unsafe BIO_new(BIO_s_mem()) else {
            unsafe SSL_free(connection)
            return nil
        }
        guard let output = unsafe BIO_new(BIO_s_mem()) else {
            unsafe BIO_free(input)
            unsafe SSL_free(connection)
            return nil
        }
        // Empty means "try later", not the end.
        unsafe BIO_ctrl(input, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, nil)
        unsafe SSL_set_bio(connection, input, output)
        switch context.role {
        case .passive: unsafe SSL_set_accept_state(connection)
        case .active: unsafe SSL_set_connect_state(connection)
        }
        unsafe SSL_ctrl(connection, SSL_CTRL_SET_MTU, DTLSRecords.maximumDatagramSize, nil)
        guard unsafe peer.attach(to: connection) else {
            unsafe SSL_free(connection)
            return nil
        }
        return unsafe (connection, input, output)
    }
}

extension DTLSConnection {
    /// Lets OpenSSL go as far as it can with what has come in.
    private mutating func advance() -> Event {
        guard state == .handshaking else { return readOn() }
        let status = unsafe SSL_do_handshake(connection)
        guard status != 1 else {
            guard peer.isVerified, selectedSuite != nil else { return fail(.noCommonSuite) }
            state = .connected
            // Whatever else the datagram holds stays in OpenSSL's buffer, and is seen to with the next one.
            return .connected
        }
        if unsafe SSL_get_error(connection, status) == SSL_ERROR_WANT_READ { return .nothing }
        return fail(peer.isRefused ? .fingerprintMismatch : .handshake)
    }

    /// Handles alerts and repeated handshake messages; application data is of no use here and dropped.
    private mutating func readOn() -> Event {
        var discarded = InlineArray<256, UInt8>(repeating: 0)
        var status: Int32 = 0
        repeat {
            var target = discarded.mutableSpan
            status = unsafe target.withUnsafeMutableBufferPointer { buffer in
                unsafe SSL_read(connection, buffer.baseAddress, Int32(buffer.count))
            }
        } while status > 0
        switch unsafe SSL_get_error(connection, status) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .nothing
        case SSL_ERROR_ZERO_RETURN:
            state = .over
            return .closed
        default: return fail(.alert)
        }
    }

    private mutating func fail(_ failure: DTLSFailure) -> Event {
        state = .over
        return .failed(failure)
    }

    /// Hands out what OpenSSL wrote, and arms the timer anew.
    private mutating func finish(to path: TransportPath, now: Instant, into target: inout OutputDatagrams) {
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe BIO_ctrl(output, BIO_CTRL_INFO, 0, &start)
        if count > 0, let start = unsafe start {
            let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
            unsafe DTLSRecords.append(bytes.span, to: path, into: &target)
            unsafe BIO_ctrl(output, BIO_CTRL_RESET, 0, nil)
        }
        deadline = state == .handshaking ? now + remaining : .distantFuture
        // Records hardly come any more; their buffers are half of what a connection holds, about 40 KiB. They stay while
        // something unread is in them.
        if state != .handshaking { unsafe SSL_free_buffers(connection) }
        OpenSSL.drainErrors()
    }

    /// Gets back what `finish` gave away.
    private func takeBuffers() {
        if state == .connected { unsafe SSL_alloc_buffers(connection) }
    }

    private var remaining: Duration {
        // A `timeval`: seconds and microseconds.
        var left: (seconds: Int, microseconds: Int) = (0, 0)
        guard unsafe SSL_ctrl(connection, DTLS_CTRL_GET_TIMEOUT, 0, &left) == 1 else {
            return Instant.distantFuture - .zero
        }
        return .seconds(left.seconds) + .microseconds(left.microseconds)
    }
}
