import COpenSSL
import Glibc

/// Where the server's certificate is.
public struct CertificateFiles: Sendable, Equatable {
    /// PEM: the server's own certificate first, then those between it and the authority.
    public var certificate: String
    /// PEM, not encrypted.
    public var privateKey: String

    public init(certificate: String, privateKey: String) {
        self.certificate = certificate
        self.privateKey = privateKey
    }
}

/// Why a certificate or its key can't be used.
public struct CertificateError: Error, Sendable, CustomStringConvertible {
    public let path: String
    public let reason: String

    public var description: String { "can't use \(path) for TLS: \(reason)" }
}

/// A certificate with its chain and its key, read and checked. Doesn't change once made.
@safe final class Certificate {
    /// When it expires, in milliseconds since 1970; nil if that can't be told.
    let expiresAt: Int64?
    /// An `SSL_CTX` that nobody connects by: OpenSSL reads and checks into it.
    private let context: OpaquePointer

    /// Reads the files: blocks the thread.
    init(_ files: CertificateFiles) throws(CertificateError) {
        ERR_clear_error()
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else {
            throw CertificateError(path: files.certificate, reason: Self.reason())
        }
        do throws(CertificateError) {
            try unsafe Self.read(files, into: context)
        } catch {
            unsafe SSL_CTX_free(context)
            throw error
        }
        unsafe self.context = context
        expiresAt = unsafe Self.expiry(of: context)
    }

    deinit {
        unsafe SSL_CTX_free(context)
    }

    /// Makes it the one that a handshake, an `SSL`, presents.
    func present(in handshake: OpaquePointer) -> Bool {
        var chain: OpaquePointer?
        unsafe SSL_CTX_ctrl(context, SSL_CTRL_GET_CHAIN_CERTS, 0, &chain)
        unsafe SSL_certs_clear(handshake)
        return unsafe SSL_use_cert_and_key(
            handshake, SSL_CTX_get0_certificate(context), SSL_CTX_get0_privatekey(context), chain, 1) == 1
    }

    // MARK: - Reading

    private static func read(
        _ files: CertificateFiles, into context: OpaquePointer
    ) throws(CertificateError) {
        // OpenSSL would ask for a password on the terminal.
        unsafe SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in -1 }
        for path in [files.certificate, files.privateKey] {
            if let fault = fault(of: path) { throw CertificateError(path: path, reason: fault) }
        }
        guard unsafe SSL_CTX_use_certificate_chain_file(context, files.certificate) == 1 else {
            throw CertificateError(path: files.certificate, reason: reason())
        }
        guard unsafe SSL_CTX_use_PrivateKey_file(context, files.privateKey, SSL_FILETYPE_PEM) == 1,
            unsafe SSL_CTX_check_private_key(context) == 1
        else {
            throw CertificateError(path: files.privateKey, reason: reason())
        }
    }

    /// Why a file can't be read; nil: it can. What is no file, as a pipe, could keep whoever reads it waiting for ever.
    private static func fault(of path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return unsafe String(cString: strerror(errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return unsafe String(cString: strerror(errno)) }
        return status.st_mode & S_IFMT == S_IFREG ? nil : "it is no regular file"
    }

    private static func expiry(of context: OpaquePointer) -> Int64? {
        var time = unsafe tm()
        guard let certificate = unsafe SSL_CTX_get0_certificate(context),
            unsafe ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1
        else { return nil }
        return unsafe Int64(timegm(&time)) * 1_000
    }

    /// What OpenSSL complains of first, which is the cause; empties its queue.
    private static func reason() -> String {
        defer { ERR_clear_error() }
        guard let text = unsafe ERR_reason_error_string(ERR_peek_error()) else { return "OpenSSL refuses it" }
        return unsafe String(cString: text)
    }
}
