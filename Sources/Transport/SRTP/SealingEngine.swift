/// The library that seals outgoing RTP.
public enum SealingImplementation: Hashable, Sendable {
    /// intel-ipsec-mb: packets of several receivers at once. x86-64 only.
    case multiBuffer
    /// OpenSSL's EVP interface: everywhere.
    case openSSL
}

/// Which implementation the configuration asks for.
public enum SealingPreference: Hashable, Sendable {
    /// The fastest that works here.
    case auto
    /// intel-ipsec-mb if it works here, else OpenSSL.
    case multiBuffer
    /// OpenSSL.
    case openSSL
}

/// What all sealers of a thread share: the multi-buffer manager and the packets that wait for it.
///
/// One a thread; it never leaves it. Making one never fails: without intel-ipsec-mb it is OpenSSL.
public struct SealingEngine: ~Copyable {
    /// What was picked.
    public let implementation: SealingImplementation
    /// Why, as a phrase for the log: the library's version, or what was missing.
    public let reason: String

    #if ROSTRUM_IPSEC_MB
        var queue: MultiBufferQueue?

        /// The library's manager; nil when OpenSSL seals.
        var manager: UnsafeMutableRawPointer? {
            switch queue {
            case .some(let queue): unsafe queue.manager
            case .none: nil
            }
        }
    #endif

    public init(preference: SealingPreference = .auto) {
        #if ROSTRUM_IPSEC_MB
            if preference == .openSSL {
                queue = nil
                implementation = .openSSL
                reason = "asked for by the configuration"
                return
            }
            var reason = ""
            queue = MultiBufferQueue(reason: &reason)
            implementation = queue == nil ? .openSSL : .multiBuffer
            self.reason = reason
        #else
            implementation = .openSSL
            if preference == .openSSL {
                reason = "asked for by the configuration"
            } else {
                #if arch(x86_64)
                    reason = "built without intel-ipsec-mb"
                #else
                    reason = "intel-ipsec-mb exists for x86-64 only"
                #endif
            }
        #endif
    }

    /// Seals all packets that wait. From then on the bytes in `output` are ready to send.
    ///
    /// `output` is the buffer, whole, that they were queued into; anything else is a broken invariant and
    /// stops the program. Does nothing when nothing waits. Never allocates.
    public mutating func flush(_ output: inout MutableSpan<UInt8>) {
        #if ROSTRUM_IPSEC_MB
            guard queue != nil else {
                return
            }
            unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe queue?.flush(output)
            }
        #endif
    }
}
