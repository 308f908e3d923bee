import COpenSSL

/// HMAC-SHA1 (RFC 2104) with one key, cut to 80 bits. Never allocates after `init`.
@safe struct OpenSSLAuthenticator: ~Copyable {
    private let state: UnsafeMutablePointer<rostrum_hmac_sha1>

    /// Takes 20 bytes of key. Nil if OpenSSL has no SHA-1.
    init?(key: UnsafePointer<UInt8>) {
        let state = UnsafeMutablePointer<rostrum_hmac_sha1>.allocate(capacity: 1)
        unsafe state.initialize(to: rostrum_hmac_sha1())
        guard unsafe rostrum_hmac_sha1_init(state, key, SessionKeys.authenticationKeyLength) == 1 else {
            unsafe state.deallocate()
            return nil
        }
        unsafe self.state = unsafe state
    }

    deinit {
        unsafe OPENSSL_cleanse(state, MemoryLayout<rostrum_hmac_sha1>.size)
        unsafe state.deallocate()
    }

    /// Writes the first 10 bytes of the HMAC of `count` bytes to `tag`, which may be among the bytes' last
    /// ones. False if OpenSSL failed.
    func authenticate(
        _ bytes: UnsafePointer<UInt8>, count: Int, tag: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        var digest = InlineArray<20, UInt8>(repeating: 0)
        let done = unsafe withUnsafeMutableBytes(of: &digest) { digest in
            let output = unsafe digest.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe rostrum_hmac_sha1(state, bytes, count, output) == 1
        }
        guard done else {
            return false
        }
        for index in 0..<10 {
            unsafe tag[index] = digest[index]
        }
        return true
    }
}
