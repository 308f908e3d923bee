import COpenSSL

/// The hash of a certificate, by which an SDP says who will be at the other end of DTLS (RFC 8122 section 5).
public struct CertificateFingerprint: Hashable, Sendable {
    /// Hash functions that are accepted; MD5 and SHA-1 aren't.
    public enum Algorithm: String, Sendable, CaseIterable {
        case sha256 = "sha-256"
        case sha384 = "sha-384"
        case sha512 = "sha-512"

        /// Bytes of the hash.
        public var digestSize: Int {
            switch self {
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        }
    }

    public let algorithm: Algorithm
    /// `algorithm.digestSize` bytes.
    public let digest: [UInt8]

    /// Nil unless `digest` has the algorithm's length.
    public init?(algorithm: Algorithm, digest: [UInt8]) {
        guard digest.count == algorithm.digestSize else { return nil }
        self.algorithm = algorithm
        self.digest = digest
    }

    /// Reads the value of `a=fingerprint`, such as `sha-256 1A:2B:…`, in either case.
    ///
    /// Nil if the algorithm isn't accepted or the digest isn't whole pairs of hexadecimal digits with colons between.
    public init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let algorithm = Algorithm(rawValue: parts[0].lowercased()) else { return nil }
        var digest: [UInt8] = []
        for pair in parts[1].split(separator: ":", omittingEmptySubsequences: false) {
            guard pair.utf8.count == 2, pair.utf8.allSatisfy(\.isHexDigit), let byte = UInt8(pair, radix: 16)
            else { return nil }
            digest.append(byte)
        }
        self.init(algorithm: algorithm, digest: digest)
    }

    /// As it stands in `a=fingerprint`.
    public var text: String {
        var text = algorithm.rawValue
        for (index, byte) in digest.enumerated() {
            let digits = String(byte, radix: 16, uppercase: true)
            text += (index == 0 ? " " : ":") + (byte < 16 ? "0" : "") + digits
        }
        return text
    }

    /// The hash of a certificate; nil if OpenSSL fails. `certificate` is an `X509`.
    static func of(_ certificate: OpaquePointer, _ algorithm: Algorithm) -> CertificateFingerprint? {
        let function = unsafe algorithm.function
        var digest = [UInt8](repeating: 0, count: algorithm.digestSize)
        var length = UInt32(digest.count)
        guard unsafe X509_digest(certificate, function, &digest, &length) == 1 else {
            OpenSSL.drainErrors()
            return nil
        }
        return CertificateFingerprint(algorithm: algorithm, digest: digest)
    }

    /// Whether both are the same, in a time that doesn't depend on where they differ.
    func matches(_ other: CertificateFingerprint) -> Bool {
        guard algorithm == other.algorithm, digest.count == other.digest.count else { return false }
        var difference: UInt8 = 0
        for index in digest.indices { difference |= digest[index] ^ other.digest[index] }
        return difference == 0
    }
}

extension CertificateFingerprint.Algorithm {
    fileprivate var function: OpaquePointer? {
        switch self {
        case .sha256: unsafe EVP_sha256()
        case .sha384: unsafe EVP_sha384()
        case .sha512: unsafe EVP_sha512()
        }
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
