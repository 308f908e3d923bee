import COpenSSL

/// A packet in memory whose header is written, ready to be encrypted.
@unsafe struct PacketLayout {
    /// The first byte of the header; ciphertext and tag go behind it.
    let start: UnsafeMutablePointer<UInt8>
    let headerLength: Int
    /// Where the plaintext is: behind the header, or elsewhere without overlapping.
    let body: UnsafePointer<UInt8>
    let bodyLength: Int

    @inline(__always)
    var end: UnsafeMutablePointer<UInt8> {
        unsafe start + headerLength + bodyLength
    }
}

/// One direction's session keys of RTP or RTCP in OpenSSL contexts that are kept from packet to packet.
@safe struct OpenSSLCipher: ~Copyable {
    let suite: SRTPSuite
    let salt: PacketIV
    private let cipher: OpaquePointer
    /// Nil for the AEAD suites.
    private let authenticator: OpenSSLAuthenticator?

    init(keys: borrowing SessionKeys) throws(SRTPError) {
        let authenticator = try Self.makeAuthenticator(keys)
        let cipher = try unsafe Self.makeContext(keys)
        suite = keys.suite
        salt = keys.salt
        unsafe self.cipher = unsafe cipher
        self.authenticator = authenticator
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(cipher)
    }

    /// Seals one RTP packet: ciphertext behind the header, then the tag. `counter` is its rollover counter.
    @inline(__always)
    func sealRTP(_ packet: PacketLayout, iv: PacketIV, counter: UInt32) throws(SRTPError) {
        if suite.isAEAD {
            let header = unsafe UnsafeBufferPointer(start: packet.start, count: packet.headerLength)
            try unsafe sealGCM(packet, associated: header, iv: iv)
        } else {
            try unsafe encryptCM(packet, iv: iv)
            unsafe storeUnaligned(counter.bigEndian, to: packet.end)
            let count = unsafe packet.headerLength + packet.bodyLength
            try unsafe authenticate(packet.start, count: count + 4, tag: packet.end)
        }
    }

    /// Encrypts the body to behind the header and appends the 16-byte tag. `associated` is what is
    /// authenticated with it, header included.
    func sealGCM(
        _ packet: PacketLayout, associated: UnsafeBufferPointer<UInt8>, iv: PacketIV
    ) throws(SRTPError) {
        var count: Int32 = 0
        let target = unsafe packet.start + packet.headerLength
        let sealed = unsafe iv.withBytes { iv in
            unsafe EVP_EncryptInit_ex(cipher, nil, nil, nil, iv) == 1
                && EVP_EncryptUpdate(cipher, nil, &count, associated.baseAddress, Int32(associated.count))
                    == 1
                && EVP_EncryptUpdate(cipher, target, &count, packet.body, Int32(packet.bodyLength)) == 1
                && EVP_EncryptFinal_ex(cipher, packet.end, &count) == 1
                && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, 16, packet.end) == 1
        }
        guard sealed else {
            throw Self.failure()
        }
    }

    /// Encrypts the body to behind the header. The caller authenticates.
    func encryptCM(_ packet: PacketLayout, iv: PacketIV) throws(SRTPError) {
        var count: Int32 = 0
        let target = unsafe packet.start + packet.headerLength
        let encrypted = unsafe iv.withBytes { iv in
            unsafe EVP_EncryptInit_ex(cipher, nil, nil, nil, iv) == 1
                && EVP_EncryptUpdate(cipher, target, &count, packet.body, Int32(packet.bodyLength)) == 1
        }
        guard encrypted else {
            throw Self.failure()
        }
    }

    /// Writes the first 10 bytes of the HMAC of `count` bytes to `tag`, which may be among the bytes' last
    /// ones.
    func authenticate(
        _ bytes: UnsafePointer<UInt8>, count: Int, tag: UnsafeMutablePointer<UInt8>
    ) throws(SRTPError) {
        guard unsafe authenticator?.authenticate(bytes, count: count, tag: tag) == true else {
            throw Self.failure()
        }
    }

    private static func makeAuthenticator(
        _ keys: borrowing SessionKeys
    ) throws(SRTPError) -> OpenSSLAuthenticator? {
        guard !keys.suite.isAEAD else {
            return nil
        }
        guard let authenticator = unsafe OpenSSLAuthenticator(key: keys.authenticationKey) else {
            throw failure()
        }
        return authenticator
    }

    private static func makeContext(_ keys: borrowing SessionKeys) throws(SRTPError) -> OpaquePointer {
        guard let context = unsafe EVP_CIPHER_CTX_new() else {
            throw failure()
        }
        let algorithm =
            switch keys.suite {
            case .aes128GCM: unsafe EVP_aes_128_gcm()
            case .aes256GCM: unsafe EVP_aes_256_gcm()
            case .aes128CMSHA1: unsafe EVP_aes_128_ctr()
            }
        guard unsafe EVP_EncryptInit_ex(context, algorithm, nil, keys.encryptionKey, nil) == 1 else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw failure()
        }
        return unsafe context
    }

    /// Drains OpenSSL's queue of errors, so that later calls don't find ours.
    private static func failure() -> SRTPError {
        ERR_clear_error()
        return .libraryFailed(status: 0)
    }
}
