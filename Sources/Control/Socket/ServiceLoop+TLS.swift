import COpenSSL
import CWebSockets

/// HTTPS and wss: libwebsockets shakes hands by OpenSSL, with what is set here.
extension ServiceLoop {
    private static let oldestVersion = 0x0303
    /// Of TLS 1.2; 1.3 has none that are bad.
    private static let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20"
    /// A bit of OpenSSL's `SSL_OP_` macros, which don't import.
    private static let noRenegotiation: UInt64 = 1 << 30
    /// HTTP/2 isn't among what a client may choose: see README.
    private static let applicationProtocols: StaticString = "http/1.1"

    /// Tells libwebsockets to speak TLS. It asks for the rest by `setUpTLS`.
    func addTLS(to info: inout lws_context_creation_info) {
        guard certificate != nil else { return }
        let createContext: UInt64 = 1 << 24
        let initializeLibrary: UInt64 = 1 << 12
        unsafe info.options |= createContext | initializeLibrary
        unsafe info.alpn = UnsafeRawPointer(Self.applicationProtocols.utf8Start)
            .assumingMemoryBound(to: CChar.self)
    }

    /// Sets up the `SSL_CTX` that libwebsockets has made; false stops the start.
    ///
    /// Certificates aren't put into it: each handshake asks for the one that holds then. So a new one replaces the old
    /// one for all who come later, whatever the kind of its key, and nobody who is there notices.
    func setUpTLS(_ context: OpaquePointer) -> Bool {
        unsafe SSL_CTX_set_options(context, Self.noRenegotiation)
        // Idle connections hold no buffers, and sessions are resumed by tickets, which clients keep.
        unsafe SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
        unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe SSL_CTX_set_cert_cb(context, presentCertificate, me)
        return unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Self.oldestVersion, nil) == 1
            && SSL_CTX_set_cipher_list(context, Self.ciphers) == 1
    }

    /// Presents a certificate that is read now from here on, or the old one still if it can't be used.
    func loadCertificate(_ files: CertificateFiles, _ done: (Result<Int64?, CertificateError>) -> Void) {
        do throws(CertificateError) {
            let certificate = try Certificate(files)
            self.certificate = certificate
            done(.success(certificate.expiresAt))
        } catch {
            done(.failure(error))
        }
    }
}

/// Called by OpenSSL in each handshake, on the service thread. Its argument is the loop, which outlives the context.
private func presentCertificate(_ handshake: OpaquePointer?, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    guard let handshake = unsafe handshake, let argument = unsafe argument else { return 0 }
    let loop = unsafe Unmanaged<ServiceLoop>.fromOpaque(argument).takeUnretainedValue()
    return unsafe loop.certificate?.present(in: handshake) == true ? 1 : 0
}
