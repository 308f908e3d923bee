#if ROSTRUM_IPSEC_MB
    import CIPsecMB
    import COpenSSL

    /// One receiver's expanded RTP keys, in the layout of intel-ipsec-mb.
    ///
    /// Packets that wait in an engine's queue point here. The memory lives until the sealer is gone and no
    /// packet waits. Not safe across threads: sealer and engine live on one.
    @safe struct MultiBufferKeys {
        private struct Header {
            var waiting = 0
            var abandoned = false
        }

        private let memory: UnsafeMutableRawPointer
        private let size: Int
        private static let keyOffset = 64

        init(keys: borrowing SessionKeys, manager: UnsafeMutableRawPointer) {
            let suite = keys.suite
            let keySize = suite.isAEAD ? rostrum_imb_gcm_key_size() : MemoryLayout<rostrum_cm_keys>.size
            size = Self.keyOffset + keySize
            unsafe memory = .allocate(byteCount: size, alignment: 64)
            unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            unsafe memory.initializeMemory(as: Header.self, to: Header())
            if suite.isAEAD {
                unsafe rostrum_imb_gcm_expand(manager, keys.encryptionKey, suite.keyLength, expanded)
            } else {
                let layout = unsafe expanded.bindMemory(to: rostrum_cm_keys.self, capacity: 1)
                unsafe rostrum_imb_cm_expand(manager, keys.encryptionKey, keys.authenticationKey, layout)
            }
        }

        /// The keys of a packet that waits.
        init(expanded: UnsafeMutableRawPointer) {
            unsafe memory = expanded - Self.keyOffset
            size = Self.keyOffset + MemoryLayout<rostrum_cm_keys>.size
        }

        var expanded: UnsafeMutableRawPointer {
            unsafe memory + Self.keyOffset
        }

        /// A packet with these keys was queued.
        func retain() {
            unsafe header.pointee.waiting += 1
        }

        /// A packet with these keys left the queue.
        func release() {
            unsafe header.pointee.waiting -= 1
            freeIfUnused()
        }

        /// The sealer is gone.
        func abandon() {
            unsafe header.pointee.abandoned = true
            freeIfUnused()
        }

        private var header: UnsafeMutablePointer<Header> {
            unsafe memory.assumingMemoryBound(to: Header.self)
        }

        private func freeIfUnused() {
            if unsafe header.pointee.abandoned && header.pointee.waiting == 0 {
                unsafe OPENSSL_cleanse(memory, size)
                unsafe memory.deallocate()
            }
        }
    }
#endif
