import COpenSSL

/// What all DTLS connections of one thread share: certificate, ciphers, SRTP profiles. Doesn't change once made.
///
/// DTLS 1.2 only. A client that offers 1.3 as well gets 1.2. No tickets, no session cache, no renegotiation:
/// each transport shakes hands in full, once, with a certificate of the client's that the SDP announced.
@safe public final class DTLSContext {
    /// The fingerprint of the certificate it presents.
    public let fingerprint: CertificateFingerprint
    /// The side that its connections take.
    public let role: DTLSRole
    /// An `SSL_CTX`.
    let pointer: OpaquePointer

    private static let version = 0xfefd
    /// Bytes of certificates that a client may send; bounds the memory for fragments of handshake messages.
    private static let longestCertificateList = 16_384
    private static let ciphers =
        "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305"

    /// - Parameter suites: SRTP suites that are offered, best first: the passive side's order decides. Not empty.
    public init(
        certificate: DTLSCertificate, suites: [SRTPSuite] = [.aes128GCM, .aes256GCM, .aes128CMSHA1],
        role: DTLSRole = .passive
    ) throws(TransportError) {
        fingerprint = certificate.fingerprint
        self.role = role
        let method = role == .passive ? unsafe DTLS_server_method() : unsafe DTLS_client_method()
        guard let context = unsafe SSL_CTX_new(method) else {
            OpenSSL.drainErrors()
            throw .cryptographyFailed
        }
        unsafe pointer = context
        let profiles = suites.map(\.profileName).joined(separator: ":")
        guard unsafe Self.configure(context, certificate, profiles: profiles) else {
            OpenSSL.drainErrors()
            throw .cryptographyFailed
        }
    }

    deinit {
        unsafe SSL_CTX_free(pointer)
    }

    private static func configure(
        _ context: OpaquePointer, _ certificate: DTLSCertificate, profiles: String
    ) -> Bool {
        unsafe SSL_CTX_set_options(context, DTLSOption.all)
        unsafe SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
        unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_CERT_LIST, longestCertificateList, nil)
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        unsafe SSL_CTX_set_cert_verify_callback(context, { store, _ in unsafe DTLSPeer.verify(store) }, nil)
        return unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, version, nil) == 1
            && SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, version, nil) == 1
            && SSL_CTX_set_cipher_list(context, ciphers) == 1
            && SSL_CTX_use_certificate_ASN1(
                context, Int32(certificate.certificate.count), certificate.certificate) == 1
            && SSL_CTX_use_PrivateKey_ASN1(
                EVP_PKEY_EC, context, certificate.privateKey, certificate.privateKey.count) == 1
            // This one returns 0 for success.
            && SSL_CTX_set_tlsext_use_srtp(context, profiles) == 0
    }
}

/// Who starts the handshake (RFC 8842 section 5): the server's side of a transport is passive, a client's is active.
public enum DTLSRole: Sendable {
    case passive, active
}

/// Bits of OpenSSL's `SSL_OP_` macros, which don't import.
enum DTLSOption {
    static let noQueryMTU: UInt64 = 1 << 12
    static let noTicket: UInt64 = 1 << 14
    static let serverPreference: UInt64 = 1 << 22
    static let noRenegotiation: UInt64 = 1 << 30
    static let all = noQueryMTU | noTicket | serverPreference | noRenegotiation
}
