import COpenSSL

/// A master key with its salt for one direction. Wiped when it goes.
@safe public struct SRTPMasterKey: ~Copyable {
    public let suite: SRTPSuite

    /// Key, then salt: the order libsrtp2 takes too.
    let bytes: UnsafeMutablePointer<UInt8>

    /// Copies `key` and `salt`.
    ///
    /// - Throws: `badKeyLength` unless both have the suite's length.
    public init(suite: SRTPSuite, key: Span<UInt8>, salt: Span<UInt8>) throws(SRTPError) {
        guard key.count == suite.keyLength, salt.count == suite.saltLength else {
            throw .badKeyLength
        }
        self.suite = suite
        unsafe bytes = .allocate(capacity: suite.keyLength + suite.saltLength)
        for index in 0..<key.count {
            unsafe bytes[index] = key[index]
        }
        for index in 0..<salt.count {
            unsafe bytes[key.count + index] = salt[index]
        }
    }

    deinit {
        unsafe OPENSSL_cleanse(bytes, count)
        unsafe bytes.deallocate()
    }

    var count: Int {
        suite.keyLength + suite.saltLength
    }
}

/// The master keys of both directions, cut from what DTLS exported (RFC 5764 section 4.2).
public struct SRTPMasterKeys: ~Copyable {
    /// Protects what the DTLS client sends.
    public let client: SRTPMasterKey
    /// Protects what the DTLS server sends.
    public let server: SRTPMasterKey

    /// Splits client key, server key, client salt and server salt, which follow each other in `material`.
    ///
    /// - Throws: `badKeyLength` unless `material` has `suite.keyingMaterialLength` bytes.
    public init(suite: SRTPSuite, exported material: Span<UInt8>) throws(SRTPError) {
        guard material.count == suite.keyingMaterialLength else {
            throw .badKeyLength
        }
        let (key, salt) = (suite.keyLength, suite.saltLength)
        let client = try SRTPMasterKey(
            suite: suite, key: material.extracting(0..<key),
            salt: material.extracting(2 * key..<2 * key + salt))
        let server = try SRTPMasterKey(
            suite: suite, key: material.extracting(key..<2 * key),
            salt: material.extracting(2 * key + salt..<2 * (key + salt)))
        self.client = client
        self.server = server
    }
}
