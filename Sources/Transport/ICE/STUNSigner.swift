import COpenSSL
import Wire

/// One password, ready to verify and sign STUN messages with HMAC-SHA1 (RFC 8489 section 9.1).
@safe final class STUNSigner {
    /// An `EVP_MAC_CTX` that holds the key.
    private let context: OpaquePointer

    init(password: String) throws(TransportError) {
        guard let context = unsafe STUNSigner.makeContext(password: password) else {
            OpenSSL.drainErrors()
            throw .cryptographyFailed
        }
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_MAC_CTX_free(context)
    }

    /// Whether `bytes` carries at `integrity` what only the password's owners can compute. Takes the same time whichever
    /// byte is wrong.
    func verifies(_ bytes: Span<UInt8>, _ integrity: STUNIntegrity) -> Bool {
        guard bytes.holds(STUNIntegrity.size, at: integrity.offset),
            let digest = digest(of: bytes, integrity)
        else { return false }
        var difference: UInt8 = 0
        for index in 0..<STUNIntegrity.digestSize {
            difference |= digest[index] ^ bytes[integrity.digest.lowerBound + index]
        }
        return difference == 0
    }

    /// Stores the digest in its place; false if OpenSSL failed.
    func sign(_ bytes: inout MutableSpan<UInt8>, _ integrity: STUNIntegrity) -> Bool {
        guard bytes.holds(STUNIntegrity.size, at: integrity.offset),
            let digest = digest(of: bytes.span, integrity)
        else { return false }
        bytes.store(digest.span, at: integrity.digest.lowerBound)
        return true
    }

    private func digest(of bytes: Span<UInt8>, _ integrity: STUNIntegrity) -> InlineArray<20, UInt8>? {
        var length = InlineArray<2, UInt8>(repeating: 0)
        length[0] = UInt8(truncatingIfNeeded: integrity.lengthField >> 8)
        length[1] = UInt8(truncatingIfNeeded: integrity.lengthField)
        guard unsafe EVP_MAC_init(context, nil, 0, nil) == 1,
            update(bytes.extracting(0..<2)), update(length.span),
            update(bytes.extracting(4..<integrity.offset))
        else {
            OpenSSL.drainErrors()
            return nil
        }
        var digest = InlineArray<20, UInt8>(repeating: 0)
        var written = 0
        var target = digest.mutableSpan
        let status = unsafe target.withUnsafeMutableBufferPointer { buffer in
            unsafe EVP_MAC_final(context, buffer.baseAddress, &written, buffer.count)
        }
        guard status == 1, written == STUNIntegrity.digestSize else {
            OpenSSL.drainErrors()
            return nil
        }
        return digest
    }

    private func update(_ bytes: Span<UInt8>) -> Bool {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe EVP_MAC_update(context, buffer.baseAddress, buffer.count) == 1
        }
    }

    private static func makeContext(password: String) -> OpaquePointer? {
        guard let algorithm = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { return nil }
        // The context keeps a reference of its own.
        defer { unsafe EVP_MAC_free(algorithm) }
        guard let context = unsafe EVP_MAC_CTX_new(algorithm) else { return nil }
        guard unsafe setKey(Array(password.utf8), of: context) else {
            unsafe EVP_MAC_CTX_free(context)
            return nil
        }
        return unsafe context
    }

    /// Both strings that the parameters point to live until the call is over.
    private static func setKey(_ key: [UInt8], of context: OpaquePointer) -> Bool {
        var digest = Array("SHA1".utf8CString)
        return unsafe digest.withUnsafeMutableBufferPointer { digest in
            unsafe OSSL_MAC_PARAM_DIGEST.withCString { name in
                let parameters = unsafe [
                    OSSL_PARAM_construct_utf8_string(name, digest.baseAddress, 0),
                    OSSL_PARAM_construct_end(),
                ]
                return unsafe EVP_MAC_init(context, key, key.count, parameters) == 1
            }
        }
    }
}
