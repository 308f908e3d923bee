import COpenSSL
public import FixedCollections

@testable public import Transport

/// The active side of DTLS-SRTP, as a browser has it, over memory BIOs.
///
/// Each record it writes is a datagram of its own, so that a network can lose and reorder them one by one; or as many
/// as fit share one, as browsers do it.
@safe public final class DTLSTestClient {
    public static let allProfiles = "SRTP_AES128_CM_SHA1_80:SRTP_AEAD_AES_256_GCM:SRTP_AEAD_AES_128_GCM"

    public let certificate: DTLSCertificate
    public private(set) var isConnected = false
    public private(set) var hasFailed = false
    public private(set) var isClosed = false
    private let packsRecords: Bool
    private let connection: OpaquePointer
    private let input: OpaquePointer
    private let output: OpaquePointer

    public struct Refused: Error {}

    /// - Parameters:
    ///   - profiles: of `use_srtp`, in OpenSSL's spelling; nil leaves the extension out.
    ///   - helloSize: about how many bytes the ClientHello has; above 1,200 it takes two datagrams.
    ///   - packsRecords: whether records share datagrams.
    ///   - certificate: one to present instead of a new one.
    ///   - cipher: the only one that is offered, in OpenSSL's spelling.
    public init(
        profiles: String? = allProfiles, helloSize: Int = 0, hasCertificate: Bool = true,
        packsRecords: Bool = false, sharing certificate: DTLSCertificate? = nil, cipher: String? = nil
    ) throws {
        self.packsRecords = packsRecords
        let certificate = try certificate ?? .generate()
        self.certificate = certificate
        guard let context = unsafe SSL_CTX_new(DTLS_client_method()) else { throw Refused() }
        defer { unsafe SSL_CTX_free(context) }
        unsafe SSL_CTX_set_options(context, DTLSOption.noQueryMTU | DTLSOption.noTicket)
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        unsafe SSL_CTX_set_cert_verify_callback(context, { _, _ in 1 }, nil)
        if hasCertificate {
            unsafe SSL_CTX_use_certificate_ASN1(
                context, Int32(certificate.certificate.count), certificate.certificate)
            unsafe SSL_CTX_use_PrivateKey_ASN1(
                EVP_PKEY_EC, context, certificate.privateKey, certificate.privateKey.count)
        }
        if let cipher { unsafe SSL_CTX_set_cipher_list(context, cipher) }
        if let profiles { unsafe SSL_CTX_set_tlsext_use_srtp(context, profiles) }
        guard let connection = unsafe SSL_new(context), let input = unsafe BIO_new(BIO_s_mem()),
            let output = unsafe BIO_new(BIO_s_mem())
        else { throw Refused() }
        unsafe (self.connection, self.input, self.output) = (connection, input, output)
        unsafe BIO_ctrl(input, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, nil)
        unsafe SSL_set_bio(connection, input, output)
        unsafe SSL_set_connect_state(connection)
        unsafe SSL_ctrl(connection, SSL_CTRL_SET_MTU, 1_200, nil)
        unsafe DTLS_set_timer_cb(connection) { _, previous in previous == 0 ? 50_000 : previous &* 2 }
        // What makes a browser's ClientHello long is a key share; a list of protocols does as well.
        let protocols = (0..<(helloSize / 201)).flatMap { _ in [200] + [UInt8](repeating: 0x61, count: 200) }
        if !protocols.isEmpty {
            unsafe SSL_set_alpn_protos(connection, protocols, UInt32(protocols.count))
        }
    }

    deinit {
        unsafe SSL_free(connection)
    }

    /// The ClientHello. The time may be nil, here and below: then OpenSSL reads the real clock.
    public func start(at now: Instant? = .at(0)) -> [[UInt8]] {
        advance(at: now)
    }

    public func receive(_ datagram: [UInt8], at now: Instant? = .at(0)) -> [[UInt8]] {
        unsafe BIO_write(input, datagram, Int32(datagram.count))
        return advance(at: now)
    }

    /// When `handleTimeout` is due.
    public func deadline(at now: Instant) -> Instant {
        VirtualClock.set(now)
        defer { VirtualClock.clear() }
        var left: (seconds: Int, microseconds: Int) = (0, 0)
        guard unsafe SSL_ctrl(connection, DTLS_CTRL_GET_TIMEOUT, 0, &left) == 1 else { return .distantFuture }
        return now + .seconds(left.seconds) + .microseconds(left.microseconds)
    }

    /// Sends the last flight again, if it is time.
    public func handleTimeout(at now: Instant?) -> [[UInt8]] {
        VirtualClock.set(now)
        defer { VirtualClock.clear() }
        OpenSSL.drainErrors()
        if unsafe SSL_ctrl(connection, DTLS_CTRL_HANDLE_TIMEOUT, 0, nil) < 0 { hasFailed = true }
        return written()
    }

    public func close() -> [[UInt8]] {
        unsafe SSL_shutdown(connection)
        return written()
    }

    /// Tries to shake hands anew on a connection that stands.
    public func renegotiate() -> [[UInt8]] {
        unsafe SSL_renegotiate(connection)
        unsafe SSL_do_handshake(connection)
        return written()
    }

    public func send(_ bytes: [UInt8]) -> [[UInt8]] {
        unsafe SSL_write(connection, bytes, Int32(bytes.count))
        return written()
    }

    public func exportKeys() throws -> SRTPMasterKeys {
        guard let profile = unsafe SSL_get_selected_srtp_profile(connection),
            let suite = unsafe SRTPSuite(profileID: UInt16(profile.pointee.id))
        else { throw Refused() }
        var material = [UInt8](repeating: 0, count: suite.keyingMaterialLength)
        let label = SRTPSuite.exporterLabel
        guard
            unsafe SSL_export_keying_material(
                connection, &material, material.count, label, label.utf8.count, nil, 0, 0) == 1
        else { throw Refused() }
        return try SRTPMasterKeys(suite: suite, exported: material.span)
    }

    private func advance(at now: Instant?) -> [[UInt8]] {
        VirtualClock.set(now)
        defer { VirtualClock.clear() }
        OpenSSL.drainErrors()
        if !isConnected {
            let status = unsafe SSL_do_handshake(connection)
            isConnected = status == 1
            if !isConnected, unsafe SSL_get_error(connection, status) != SSL_ERROR_WANT_READ {
                hasFailed = true
            }
        }
        if isConnected {
            var byte: UInt8 = 0
            let status = unsafe SSL_read(connection, &byte, 1)
            switch unsafe SSL_get_error(connection, status) {
            case SSL_ERROR_ZERO_RETURN: isClosed = true
            case SSL_ERROR_SSL: hasFailed = true
            default: break
            }
        }
        return written()
    }

    private func written() -> [[UInt8]] {
        var bytes = [UInt8](repeating: 0, count: 20_000)
        let count = Int(unsafe BIO_read(output, &bytes, Int32(bytes.count)))
        var datagrams: [[UInt8]] = []
        var offset = 0
        while offset + 13 <= count {
            let end = offset + 13 + Int(bytes[offset + 11]) * 256 + Int(bytes[offset + 12])
            let record = bytes[offset..<min(end, count)]
            if packsRecords, let last = datagrams.last, last.count + record.count <= 1_200 {
                datagrams[datagrams.count - 1] += record
            } else {
                datagrams.append(Array(record))
            }
            offset = end
        }
        return datagrams
    }
}
