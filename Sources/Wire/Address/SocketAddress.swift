/// An IPv4 or IPv6 transport address as a value of 24 bytes without references.
///
/// An IPv4 address is kept in its IPv4-mapped form (`::ffff:a.b.c.d`, RFC 4291 section 2.5.5.2), so that the same
/// peer seen on a dual-stack and on an IPv4 socket compares equal.
public struct SocketAddress: Hashable, Sendable, BitwiseCopyable {
    /// Bytes 0–7 of the IPv6 address, first byte highest.
    public var high: UInt64
    /// Bytes 8–15 of the IPv6 address.
    public var low: UInt64
    /// Scope of a link-local address; 0 elsewhere.
    public var scope: UInt32
    public var port: UInt16

    @inlinable
    public init(high: UInt64, low: UInt64, scope: UInt32 = 0, port: UInt16) {
        self.high = high
        self.low = low
        self.scope = scope
        self.port = port
    }

    /// An IPv4 address from its 32 bits, first byte highest: 127.0.0.1 is `0x7f00_0001`.
    @inlinable
    public init(ipv4: UInt32, port: UInt16) {
        self.init(high: 0, low: 0x0000_ffff_0000_0000 | UInt64(ipv4), port: port)
    }

    @inlinable public var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }

    /// The 32 bits of an IPv4 address, first byte highest; meaningless unless `isIPv4`.
    @inlinable public var ipv4: UInt32 { UInt32(truncatingIfNeeded: low) }

    /// What one host has to itself: an IPv4 address, or the /64 of an IPv6 one; without a port.
    @inlinable public var network: SocketAddress {
        SocketAddress(high: high, low: isIPv4 ? low : 0, port: 0)
    }

    @inlinable public var isLoopback: Bool {
        isIPv4 ? ipv4 >> 24 == 127 : (high == 0 && low == 1)
    }

    @inlinable public var isUnspecified: Bool {
        isIPv4 ? ipv4 == 0 : (high == 0 && low == 0)
    }
}
