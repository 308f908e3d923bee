import COpenSSL

/// A self-signed certificate over an ECDSA P-256 key, made for one run of the server.
///
/// Who holds it is known by its fingerprint, which travels in the SDP; nothing else in it means anything. It is kept as
/// DER bytes, so that each thread can make an OpenSSL context of its own from it.
public struct DTLSCertificate: Sendable {
    /// SHA-256, for `a=fingerprint`.
    public let fingerprint: CertificateFingerprint
    let certificate: [UInt8]
    let privateKey: [UInt8]

    /// Days for which it is valid; it starts a day early, for clients whose clocks are behind.
    static let lifetimeInDays = 3_650

    /// Makes a new key and certificate. Takes about a millisecond.
    public static func generate() throws(TransportError) -> DTLSCertificate {
        defer { OpenSSL.drainErrors() }
        guard let key = unsafe makeKey() else { throw .cryptographyFailed }
        defer { unsafe EVP_PKEY_free(key) }
        guard let certificate = unsafe X509_new() else { throw .cryptographyFailed }
        defer { unsafe X509_free(certificate) }
        let serial = try OpenSSL.randomBytes(8)
        guard unsafe fill(certificate, key: key, serial: serial),
            let fingerprint = unsafe CertificateFingerprint.of(certificate, .sha256),
            let encoded = unsafe encode({ unsafe i2d_X509(certificate, $0) }),
            let encodedKey = unsafe encode({ unsafe i2d_PrivateKey(key, $0) })
        else { throw .cryptographyFailed }
        return DTLSCertificate(fingerprint: fingerprint, certificate: encoded, privateKey: encodedKey)
    }

    private static func makeKey() -> OpaquePointer? {
        guard let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            unsafe EVP_PKEY_keygen(context, &key) == 1
        else { return nil }
        return unsafe key
    }

    private static func fill(_ certificate: OpaquePointer, key: OpaquePointer, serial: [UInt8]) -> Bool {
        let commonName = Array("rostrum".utf8)
        let number = serial.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 1
        guard unsafe X509_set_version(certificate, 2) == 1,
            unsafe ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), number) == 1,
            unsafe X509_gmtime_adj(X509_getm_notBefore(certificate), -86_400) != nil,
            unsafe X509_gmtime_adj(X509_getm_notAfter(certificate), lifetimeInDays * 86_400) != nil,
            let name = unsafe X509_get_subject_name(certificate),
            unsafe X509_NAME_add_entry_by_txt(
                name, "CN", MBSTRING_UTF8, commonName, Int32(commonName.count), -1, 0) == 1
        else { return false }
        return unsafe X509_set_issuer_name(certificate, name) == 1
            && X509_set_pubkey(certificate, key) == 1
            && X509_sign(certificate, key, EVP_sha256()) > 0
    }

    /// Calls an `i2d` function twice: for the length, and for the bytes.
    private static func encode(
        _ function: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) -> [UInt8]? {
        let length = function(nil)
        guard length > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(length))
        let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return unsafe function(&cursor)
        }
        return written == length ? bytes : nil
    }
}
