/// The keys for outgoing RTP in the form that one implementation wants.
enum RTPCipher: ~Copyable {
    case openSSL(OpenSSLCipher)
    #if ROSTRUM_IPSEC_MB
        case multiBuffer(MultiBufferCipher)
    #endif

    init(keys: consuming SessionKeys, engine: borrowing SealingEngine) throws(SRTPError) {
        #if ROSTRUM_IPSEC_MB
            if let manager = unsafe engine.manager {
                self = unsafe .multiBuffer(MultiBufferCipher(keys: keys, manager: manager))
                return
            }
        #endif
        self = .openSSL(try OpenSSLCipher(keys: keys))
    }
}

#if ROSTRUM_IPSEC_MB
    /// One receiver's RTP keys for intel-ipsec-mb.
    struct MultiBufferCipher: ~Copyable {
        let salt: PacketIV
        let keys: MultiBufferKeys

        init(keys: borrowing SessionKeys, manager: UnsafeMutableRawPointer) {
            salt = keys.salt
            self.keys = unsafe MultiBufferKeys(keys: keys, manager: manager)
        }

        deinit {
            keys.abandon()
        }
    }
#endif
