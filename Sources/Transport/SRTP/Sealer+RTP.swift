extension Sealer {
    /// The largest sealed packet: what fits in a UDP datagram over IPv4.
    public static let maximumPacketLength = 65_507

    /// Seals one packet into `output`: ciphertext of prefix, `payload` and padding behind the header, then
    /// the tag.
    ///
    /// `payload` is read only; it is the plaintext that many receivers share. The packet is ready on return.
    /// Packets that wait in the engine are left alone.
    /// - Returns: the length of the sealed packet.
    /// - Throws: `outOfBounds`, `unknownStream`, `alreadySealed`, `beforeFirst`, `keyExpired`, `otherEngine`,
    ///   `libraryFailed`. The header is untouched unless it is the last.
    public mutating func sealRTP(
        _ packet: PacketToSeal, payload: Span<UInt8>, into output: inout MutableSpan<UInt8>,
        engine: inout SealingEngine
    ) throws(SRTPError) -> Int {
        try seal(packet, payload: payload, into: &output, engine: &engine, waits: false)
    }

    /// As `sealRTP`, but the packet may wait in the engine: its bytes are ready after
    /// `engine.flush(&output)`, and until then `output` must stay as it is and where it is. The length holds
    /// at once.
    ///
    /// Packets of any number of sealers may wait together, as long as all are in one buffer. AES-CM gains by
    /// this; the other suites and OpenSSL seal at once.
    public mutating func queueRTP(
        _ packet: PacketToSeal, payload: Span<UInt8>, into output: inout MutableSpan<UInt8>,
        engine: inout SealingEngine
    ) throws(SRTPError) -> Int {
        try seal(packet, payload: payload, into: &output, engine: &engine, waits: true)
    }

    @inline(__always)
    private mutating func seal(
        _ packet: PacketToSeal, payload: Span<UInt8>, into output: inout MutableSpan<UInt8>,
        engine: inout SealingEngine, waits: Bool
    ) throws(SRTPError) -> Int {
        let length = try sealedLength(packet, payload: payload.count, available: output.count)
        #if ROSTRUM_IPSEC_MB
            guard implementation == .openSSL || engine.implementation == .multiBuffer else {
                throw .otherEngine
            }
        #endif
        try unsafe output.withUnsafeMutableBufferPointer { output throws(SRTPError) in
            guard let base = output.baseAddress else {
                throw .outOfBounds
            }
            let start = unsafe base + packet.offset
            let ssrc = unsafe UInt32(bigEndian: loadUnaligned(start + 8))
            let sequence = unsafe UInt16(bigEndian: loadUnaligned(start + 2))
            let counter = try streams.take(sequence, ssrc: ssrc, stream: Int(packet.stream.index))
            let index = UInt64(counter) << 16 | UInt64(sequence)
            if packet.paddingLength > 0 {
                unsafe start[0] |= 0x20
            }
            try unsafe payload.withUnsafeBufferPointer { payload throws(SRTPError) in
                switch rtp {
                case .openSSL(let cipher):
                    let iv = cipher.salt.vector(ssrc: ssrc, index: index, suite: suite)
                    let layout = unsafe arrange(packet, payload: payload, at: start, inPlace: false)
                    try unsafe cipher.sealRTP(layout, iv: iv, counter: counter)
                #if ROSTRUM_IPSEC_MB
                    case .multiBuffer(let cipher):
                        let iv = cipher.salt.vector(ssrc: ssrc, index: index, suite: suite)
                        let layout = unsafe arrange(
                            packet, payload: payload, at: start, inPlace: !suite.isAEAD)
                        if suite.isAEAD {
                            unsafe engine.queue?.sealGCM(layout, keys: cipher.keys, suite: suite, iv: iv)
                        } else {
                            unsafe storeUnaligned(counter.bigEndian, to: layout.end)
                            if waits {
                                unsafe engine.queue?.append(
                                    layout, offset: packet.offset, keys: cipher.keys, iv: iv, output: output)
                            } else {
                                unsafe engine.queue?.sealCM(layout, keys: cipher.keys, iv: iv)
                            }
                        }
                #endif
                }
            }
        }
        return length
    }

    /// The length after sealing, if all lengths are in bounds.
    @inline(__always)
    private func sealedLength(
        _ packet: PacketToSeal, payload: Int, available: Int
    ) throws(SRTPError) -> Int {
        let limit = Self.maximumPacketLength
        guard packet.offset >= 0, packet.offset <= available, packet.headerLength >= 12,
            packet.headerLength <= limit, (0...limit).contains(packet.prefixLength), payload <= limit
        else {
            throw .outOfBounds
        }
        let body = packet.prefixLength + payload + Int(packet.paddingLength)
        let length = packet.headerLength + body + suite.tagLength
        guard length <= min(limit, available - packet.offset) else {
            throw .outOfBounds
        }
        return length
    }
}

/// Lays the packet out. When nothing but the payload is encrypted it can be read where it is; else it is
/// copied behind the prefix, and the padding behind it: one run of bytes is cheaper to encrypt than three.
@inline(__always)
private func arrange(
    _ packet: PacketToSeal, payload: UnsafeBufferPointer<UInt8>, at start: UnsafeMutablePointer<UInt8>,
    inPlace: Bool
) -> PacketLayout {
    let body = unsafe start + packet.headerLength
    let padding = Int(packet.paddingLength)
    if !inPlace, packet.prefixLength == 0, padding == 0, let source = payload.baseAddress {
        return unsafe PacketLayout(
            start: start, headerLength: packet.headerLength, body: source, bodyLength: payload.count)
    }
    var end = unsafe body + packet.prefixLength
    if let source = payload.baseAddress {
        unsafe end.update(from: source, count: payload.count)
        unsafe end += payload.count
    }
    if padding > 0 {
        unsafe end.update(repeating: 0, count: padding)
        unsafe end += padding
        unsafe end[-1] = packet.paddingLength
    }
    return unsafe PacketLayout(
        start: start, headerLength: packet.headerLength, body: body, bodyLength: end - body)
}

@inline(__always)
func loadUnaligned<Value: FixedWidthInteger & BitwiseCopyable>(_ pointer: UnsafePointer<UInt8>) -> Value {
    unsafe UnsafeRawPointer(pointer).loadUnaligned(as: Value.self)
}

@inline(__always)
func storeUnaligned<Value: FixedWidthInteger & BitwiseCopyable>(
    _ value: Value, to pointer: UnsafeMutablePointer<UInt8>
) {
    unsafe UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: Value.self)
}
