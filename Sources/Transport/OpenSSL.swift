import COpenSSL

/// The parts of OpenSSL that several files need.
enum OpenSSL {
    /// Empties the calling thread's error queue, so that the next error found there is the next call's own.
    static func drainErrors() {
        ERR_clear_error()
    }

    /// Fills an array with `count` random bytes.
    static func randomBytes(_ count: Int) throws(TransportError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let status = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe RAND_bytes(buffer.baseAddress, Int32(count))
        }
        guard status == 1 else {
            drainErrors()
            throw .cryptographyFailed
        }
        return bytes
    }

    /// A random number; nil if OpenSSL has no randomness. Allocates nothing.
    static func randomNumber() -> UInt64? {
        var number: UInt64 = 0
        let status = unsafe withUnsafeMutableBytes(of: &number) { bytes in
            unsafe RAND_bytes(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(bytes.count))
        }
        guard status == 1 else {
            drainErrors()
            return nil
        }
        return number
    }
}
