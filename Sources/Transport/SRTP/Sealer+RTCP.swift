extension Sealer {
    /// Seals the compound RTCP packet in the first `length` bytes of `packet` in place, always encrypted (RFC
    /// 3711 section 3.4, RFC 7714 section 9).
    ///
    /// One index counts up for all sender SSRCs of this sealer.
    /// - Returns: the length of the sealed packet, `length + suite.rtcpOverhead`.
    /// - Throws: `tooShort` below 8 bytes, `outOfBounds` if `packet` doesn't hold the result, `keyExpired`
    ///   after 2^31 packets, `libraryFailed`.
    public mutating func sealRTCP(
        _ packet: inout MutableSpan<UInt8>, length: Int
    ) throws(SRTPError) -> Int {
        guard length >= 8 else {
            throw .tooShort
        }
        guard length <= Self.maximumPacketLength - suite.rtcpOverhead,
            length + suite.rtcpOverhead <= packet.count
        else {
            throw .outOfBounds
        }
        guard rtcpIndex < 0x8000_0000 else {
            throw .keyExpired
        }
        let index = rtcpIndex
        rtcpIndex += 1
        try unsafe packet.withUnsafeMutableBufferPointer { bytes throws(SRTPError) in
            guard let start = bytes.baseAddress else {
                throw .outOfBounds
            }
            try unsafe sealRTCP(at: start, length: length, index: index)
        }
        return length + suite.rtcpOverhead
    }

    private func sealRTCP(
        at start: UnsafeMutablePointer<UInt8>, length: Int, index: UInt32
    ) throws(SRTPError) {
        let ssrc = unsafe UInt32(bigEndian: loadUnaligned(start + 4))
        let iv = rtcp.salt.vector(ssrc: ssrc, index: UInt64(index), suite: suite)
        let layout = unsafe PacketLayout(
            start: start, headerLength: 8, body: start + 8, bodyLength: length - 8)
        let trailer = (index | 0x8000_0000).bigEndian
        if suite.isAEAD {
            var associated = InlineArray<12, UInt8>(repeating: 0)
            for position in 0..<8 {
                associated[position] = unsafe start[position]
            }
            try unsafe withUnsafeMutableBytes(of: &associated) { bytes throws(SRTPError) in
                unsafe bytes.storeBytes(of: trailer, toByteOffset: 8, as: UInt32.self)
                let bound = unsafe bytes.assumingMemoryBound(to: UInt8.self)
                try unsafe rtcp.sealGCM(layout, associated: UnsafeBufferPointer(bound), iv: iv)
            }
            unsafe storeUnaligned(trailer, to: layout.end + suite.tagLength)
        } else {
            try unsafe rtcp.encryptCM(layout, iv: iv)
            unsafe storeUnaligned(trailer, to: layout.end)
            try unsafe rtcp.authenticate(start, count: length + 4, tag: layout.end + 4)
        }
    }
}
