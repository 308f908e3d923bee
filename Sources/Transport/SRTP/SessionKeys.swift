import COpenSSL

/// The session keys of RTP or RTCP, derived from a master key at derivation rate 0 (RFC 3711 section 4.3, RFC
/// 7714 section 11). Wiped when they go.
@safe struct SessionKeys: ~Copyable {
    /// What the keys protect: the first of the three labels that belong to it.
    enum Purpose: UInt8 {
        case rtp = 0
        case rtcp = 3
    }

    static let authenticationKeyLength = 20

    let suite: SRTPSuite
    private let memory: UnsafeMutablePointer<UInt8>
    private static let capacity = 32 + authenticationKeyLength + 16

    /// All zero.
    init(suite: SRTPSuite) {
        self.suite = suite
        unsafe memory = .allocate(capacity: Self.capacity)
        unsafe memory.initialize(repeating: 0, count: Self.capacity)
    }

    init(from master: borrowing SRTPMasterKey, for purpose: Purpose) throws(SRTPError) {
        self.init(suite: master.suite)
        let label = purpose.rawValue
        let derived =
            unsafe derive(label: label, from: master, into: encryptionKey, length: suite.keyLength)
            && derive(
                label: label + 1, from: master, into: authenticationKey, length: Self.authenticationKeyLength)
            && derive(label: label + 2, from: master, into: saltBytes, length: suite.saltLength)
        guard derived else {
            throw .libraryFailed(status: 0)
        }
    }

    deinit {
        unsafe OPENSSL_cleanse(memory, Self.capacity)
        unsafe memory.deallocate()
    }

    /// `suite.keyLength` bytes.
    var encryptionKey: UnsafeMutablePointer<UInt8> {
        unsafe memory
    }

    /// 20 bytes; the AEAD suites don't use it.
    var authenticationKey: UnsafeMutablePointer<UInt8> {
        unsafe memory + 32
    }

    /// `suite.saltLength` bytes.
    var saltBytes: UnsafeMutablePointer<UInt8> {
        unsafe memory + 32 + Self.authenticationKeyLength
    }

    var salt: PacketIV {
        unsafe PacketIV(salt: saltBytes, length: suite.saltLength)
    }
}

/// Writes `length` bytes of AES-CM keystream, keyed with the master key, for `label`. `output` is zero
/// before.
private func derive(
    label: UInt8, from master: borrowing SRTPMasterKey, into output: UnsafeMutablePointer<UInt8>, length: Int
) -> Bool {
    let suite = master.suite
    // The 112-bit salt (96 bits are padded on the right), the label at byte 7, then a 16-bit block counter.
    var counter = unsafe PacketIV(salt: master.bytes + suite.keyLength, length: suite.saltLength)
    counter.high ^= UInt64(label)
    guard let context = unsafe EVP_CIPHER_CTX_new() else {
        return false
    }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    let cipher = unsafe suite.keyLength == 32 ? EVP_aes_256_ctr() : EVP_aes_128_ctr()
    var written: Int32 = 0
    return unsafe counter.withBytes { iv in
        unsafe EVP_EncryptInit_ex(context, cipher, nil, master.bytes, iv) == 1
            && EVP_EncryptUpdate(context, output, &written, output, Int32(length)) == 1
    }
}
