import COpenSSL

/// The two things that tokens need of OpenSSL.
enum Digest {
    /// HMAC-SHA256 (RFC 2104, RFC 6234), 32 bytes; nil if OpenSSL fails.
    static func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> [UInt8]? {
        var length: UInt32 = 0
        var digest = [UInt8](repeating: 0, count: 32)
        let isDone = unsafe digest.withUnsafeMutableBufferPointer { out in
            unsafe HMAC(
                EVP_sha256(), key, Int32(key.count), message, message.count, out.baseAddress, &length) != nil
        }
        guard isDone, length == 32 else {
            ERR_clear_error()
            return nil
        }
        return digest
    }

    /// SHA-256 (RFC 6234), 32 bytes; nil if OpenSSL fails.
    static func sha256(_ message: [UInt8]) -> [UInt8]? {
        var length: UInt32 = 0
        var digest = [UInt8](repeating: 0, count: 32)
        let status = unsafe digest.withUnsafeMutableBufferPointer { out in
            unsafe EVP_Digest(message, message.count, out.baseAddress, &length, EVP_sha256(), nil)
        }
        guard status == 1, length == 32 else {
            ERR_clear_error()
            return nil
        }
        return digest
    }

    /// Whether two byte strings are equal, in a time that depends on their lengths only.
    static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe CRYPTO_memcmp(left, right, left.count) == 0
    }
}
