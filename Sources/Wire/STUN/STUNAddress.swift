/// XOR-MAPPED-ADDRESS: an address masked with the magic cookie and the transaction identifier, so that no NAT on the way
/// rewrites it (RFC 8489 section 14.2).
enum STUNAddress {
    private static let familyIPv4: UInt8 = 1
    private static let familyIPv6: UInt8 = 2

    /// Bytes of the attribute's value.
    static func size(of address: SocketAddress) -> Int { address.isIPv4 ? 8 : 20 }

    /// Writes the value at `offset`, where there are `size(of:)` bytes.
    static func store(
        _ address: SocketAddress, _ id: STUNTransactionID, in bytes: inout MutableSpan<UInt8>, at offset: Int
    ) {
        let cookie = STUNHeader.magicCookie
        bytes[offset] = 0
        bytes[offset + 1] = address.isIPv4 ? familyIPv4 : familyIPv6
        bytes.store(address.port ^ UInt16(truncatingIfNeeded: cookie >> 16), at: offset + 2)
        if address.isIPv4 {
            bytes.store(address.ipv4 ^ cookie, at: offset + 4)
        } else {
            bytes.store(address.high ^ (UInt64(cookie) << 32 | UInt64(id.high)), at: offset + 4)
            bytes.store(address.low ^ id.low, at: offset + 12)
        }
    }

    /// Reads the value of an attribute; nil if family and length don't fit.
    static func load(
        _ attribute: STUNAttribute, _ id: STUNTransactionID, in bytes: Span<UInt8>
    ) -> SocketAddress? {
        let offset = attribute.value.lowerBound
        guard attribute.length >= 8 else { return nil }
        let cookie = STUNHeader.magicCookie
        let port = bytes.loadUInt16(at: offset + 2) ^ UInt16(truncatingIfNeeded: cookie >> 16)
        switch (bytes[offset + 1], attribute.length) {
        case (familyIPv4, 8):
            return SocketAddress(ipv4: bytes.loadUInt32(at: offset + 4) ^ cookie, port: port)
        case (familyIPv6, 20):
            let high = bytes.loadUInt64(at: offset + 4) ^ (UInt64(cookie) << 32 | UInt64(id.high))
            return SocketAddress(high: high, low: bytes.loadUInt64(at: offset + 12) ^ id.low, port: port)
        default: return nil
        }
    }
}
