#if ROSTRUM_IPSEC_MB
    import CIPsecMB

    /// A manager of intel-ipsec-mb and the AES-CM packets that wait for it.
    ///
    /// HMAC-SHA1 of one packet is a chain of dependent steps; of eight packets at once it costs little more.
    /// Packets are held back as offsets into one output buffer, and given to the library all together. GCM
    /// gains nothing from that and is sealed at once.
    @safe struct MultiBufferQueue: ~Copyable {
        static let capacity = 128

        /// As many packets at once as the registers are wide.
        let manager: UnsafeMutableRawPointer
        /// For one or two AES-CM packets, over which the wide one takes as long as over sixteen. The same one
        /// where the processor has no SHA instructions.
        private let narrow: UnsafeMutableRawPointer
        private static let narrowLimit = 2
        private let context: UnsafeMutableRawPointer
        private let waiting: UnsafeMutablePointer<rostrum_cm_packet>
        private(set) var count = 0
        /// The buffer that the waiting packets are in.
        private var buffer: UInt = 0

        /// Nil with the reason if this processor or the library doesn't do.
        init?(reason: inout String) {
            guard rostrum_imb_has_aes() != 0 else {
                reason = "the processor lacks AES-NI or PCLMULQDQ"
                return nil
            }
            guard let manager = unsafe rostrum_imb_create(0) else {
                reason = "intel-ipsec-mb couldn't be initialized"
                return nil
            }
            reason = unsafe "intel-ipsec-mb \(String(cString: imb_get_version_str()))"
            let hasNarrow = rostrum_imb_has_sha() != 0
            unsafe self.manager = unsafe manager
            unsafe narrow = unsafe (hasNarrow ? rostrum_imb_create(1) : nil) ?? manager
            unsafe context = .allocate(byteCount: rostrum_imb_gcm_context_size(), alignment: 64)
            unsafe waiting = .allocate(capacity: Self.capacity)
            unsafe waiting.initialize(repeating: rostrum_cm_packet(), count: Self.capacity)
        }

        deinit {
            for index in 0..<count {
                unsafe MultiBufferKeys(expanded: waiting[index].keys).release()
            }
            unsafe waiting.deallocate()
            unsafe context.deallocate()
            if unsafe narrow != manager {
                unsafe rostrum_imb_destroy(narrow)
            }
            unsafe rostrum_imb_destroy(manager)
        }

        /// Seals one packet: ciphertext behind the header, then the tag.
        @inline(__always)
        func sealGCM(_ packet: PacketLayout, keys: MultiBufferKeys, suite: SRTPSuite, iv: PacketIV) {
            unsafe iv.withBytes { iv in
                var parts = unsafe rostrum_gcm_packet(
                    header: packet.start, header_length: packet.headerLength, source: packet.body,
                    destination: packet.start + packet.headerLength, length: packet.bodyLength, iv: iv)
                if suite == .aes256GCM {
                    unsafe rostrum_imb_gcm256(manager, keys.expanded, context, &parts)
                } else {
                    unsafe rostrum_imb_gcm128(manager, keys.expanded, context, &parts)
                }
            }
        }

        /// Seals one packet at once, without those that wait. It is laid out as `append` wants it.
        func sealCM(_ packet: PacketLayout, keys: MultiBufferKeys, iv: PacketIV) {
            var entry = unsafe rostrum_cm_packet()
            unsafe fill(&entry, with: packet, offset: 0, keys: keys, iv: iv)
            unsafe rostrum_imb_cm_submit(narrow, packet.start, &entry)
            unsafe rostrum_imb_finish(narrow)
            unsafe writeTag(of: entry, to: packet.start)
        }

        /// Holds back a packet `offset` bytes into `output`: its body is plain, the rollover counter is
        /// written behind it and room for the tag is left. Seals everything first if the queue is full.
        mutating func append(
            _ packet: PacketLayout, offset: Int, keys: MultiBufferKeys, iv: PacketIV,
            output: UnsafeMutableBufferPointer<UInt8>
        ) {
            let base = UInt(bitPattern: output.baseAddress)
            if count == Self.capacity {
                unsafe flush(output)
            }
            precondition(count == 0 || buffer == base, "packets of one batch are in one buffer")
            buffer = base
            unsafe fill(&waiting[count], with: packet, offset: offset, keys: keys, iv: iv)
            keys.retain()
            count += 1
        }

        /// Seals what waits in `output`.
        mutating func flush(_ output: UnsafeMutableBufferPointer<UInt8>) {
            guard count > 0, let base = output.baseAddress else {
                return
            }
            precondition(
                buffer == UInt(bitPattern: base), "a batch is flushed in the buffer it was queued in")
            let worker = unsafe count <= Self.narrowLimit ? narrow : manager
            for index in 0..<count {
                let entry = unsafe waiting + index
                let fits = unsafe end(of: entry.pointee) + 10 <= output.count
                precondition(fits, "a batch is flushed in the whole buffer it was queued in")
                unsafe rostrum_imb_cm_submit(worker, base, entry)
            }
            unsafe rostrum_imb_finish(worker)
            for index in 0..<count {
                let entry = unsafe waiting[index]
                unsafe writeTag(of: entry, to: base)
                unsafe MultiBufferKeys(expanded: entry.keys).release()
            }
            count = 0
        }

        @inline(__always)
        private func fill(
            _ entry: inout rostrum_cm_packet, with packet: PacketLayout, offset: Int, keys: MultiBufferKeys,
            iv: PacketIV
        ) {
            unsafe withUnsafeMutableBytes(of: &entry.iv) { bytes in
                unsafe bytes.storeBytes(of: iv.high.bigEndian, toByteOffset: 0, as: UInt64.self)
                unsafe bytes.storeBytes(of: iv.low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            unsafe entry.keys = unsafe keys.expanded
            unsafe entry.offset = UInt32(truncatingIfNeeded: offset)
            unsafe entry.header_length = UInt32(truncatingIfNeeded: packet.headerLength)
            unsafe entry.body_length = UInt32(truncatingIfNeeded: packet.bodyLength)
        }

        /// Where the body ends and the tag begins.
        @inline(__always)
        private func end(of entry: rostrum_cm_packet) -> Int {
            unsafe Int(entry.offset) + Int(entry.header_length) + Int(entry.body_length)
        }

        /// Cuts the tag to 80 bits: the library writes 96, and the next packet may begin behind the tenth
        /// byte.
        @inline(__always)
        private func writeTag(of entry: rostrum_cm_packet, to base: UnsafeMutablePointer<UInt8>) {
            unsafe withUnsafeBytes(of: entry.tag) { tag in
                let target = unsafe UnsafeMutableRawBufferPointer(start: base + end(of: entry), count: 10)
                unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: tag[0..<10]))
            }
        }
    }
#endif
