import CLinux
public import Wire

/// One address of one of the machine's interfaces.
public struct NetworkInterface: Hashable, Sendable {
    public let name: String
    /// Port 0.
    public let address: SocketAddress
    public let isUp: Bool
    public let isLoopback: Bool

    /// All IPv4 and IPv6 addresses of the machine, at most 256 of them, in the kernel's order.
    public static func all() throws(SocketError) -> [NetworkInterface] {
        let capacity = 256
        var native = [cl_interface](repeating: cl_interface(), count: capacity)
        let count = unsafe cl_interfaces(&native, UInt32(capacity))
        guard count >= 0 else { throw SocketError("listing network interfaces", result: count) }
        return native.prefix(Int(count)).map { NetworkInterface($0) }
    }

    /// Addresses worth advertising to peers: of interfaces that are up, without link-local ones, and without
    /// loopback ones unless asked for. IPv4 first.
    public static func advertisable(loopback: Bool = false) throws(SocketError) -> [SocketAddress] {
        let usable = try all().filter { entry in
            entry.isUp && !entry.address.isLinkLocal && !entry.address.isUnspecified
                && (loopback || !entry.address.isLoopback)
        }
        let addresses = usable.map(\.address)
        return addresses.filter(\.isIPv4) + addresses.filter { !$0.isIPv4 }
    }

    private init(_ native: cl_interface) {
        var text = native.name
        name = unsafe withUnsafeBytes(of: &text) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        address = SocketAddress(native.address)
        isUp = native.up
        isLoopback = native.loopback
    }
}
