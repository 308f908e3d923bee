import CLinux
public import Wire

/// A listening TCP socket for ICE over TCP, passive side (RFC 6544); non-blocking, closed when its owner lets go.
///
/// `::` listens for both families where the machine has IPv6, else for IPv4.
public struct TCPListener: ~Copyable {
    public let descriptor: Int32
    /// With the port the kernel chose if 0 was asked for.
    public let localAddress: SocketAddress
    /// `::` was asked for, and the machine has no IPv6.
    public let fellBackToIPv4: Bool
    /// Connections closed at once because the process had no descriptor left.
    public private(set) var refused: UInt64 = 0
    /// Given up for a moment to accept, and so get rid of, a connection there is no descriptor for. Else it would
    /// wait in the queue and wake the loop for ever.
    private var spare: Int32

    public static func open(
        _ address: SocketAddress, sharing: PortSharing = .exclusive
    ) throws(SocketError) -> TCPListener {
        do {
            return try TCPListener(binding: address, sharing: sharing, fellBack: false)
        } catch {
            guard address.isUnspecified, !address.isIPv4,
                error.reason == .unsupported || error.reason == .addressUnavailable
            else { throw error }
            let ipv4 = SocketAddress(ipv4: 0, port: address.port)
            return try TCPListener(binding: ipv4, sharing: sharing, fellBack: true)
        }
    }

    deinit {
        _ = cl_close(descriptor)
        if spare >= 0 { _ = cl_close(spare) }
    }

    /// The next connection, or nil when none waits. The caller owns the descriptor.
    mutating func accept() -> (descriptor: Int32, peer: SocketAddress)? {
        // Bounded: one that was reset while it waited, or that there is no room for, mustn't hold up the turn.
        for _ in 0..<64 {
            var peer = cl_address()
            let result = unsafe cl_accept(descriptor, &peer)
            if result >= 0, result < FileDescriptorLimit.forConnections {
                return (result, SocketAddress(peer))
            }
            if result >= 0 {
                _ = cl_close(result)
                refused &+= 1
                continue
            }
            switch cl_errno_name(0 &- result) {
            case CL_EAGAIN: return nil
            case CL_EMFILE, CL_ENFILE: shedOne()
            default: continue
            }
        }
        return nil
    }

    private mutating func shedOne() {
        if spare >= 0 { _ = cl_close(spare) }
        var peer = cl_address()
        let connection = unsafe cl_accept(descriptor, &peer)
        if connection >= 0 {
            _ = cl_close(connection)
            refused &+= 1
        }
        spare = cl_spare_descriptor()
    }

    private init(
        binding address: SocketAddress, sharing: PortSharing, fellBack: Bool
    ) throws(SocketError) {
        let opened = cl_socket(!address.isIPv4, true)
        guard opened >= 0 else { throw SocketError(opening: "TCP", at: address, result: opened) }
        var local = cl_address()
        let result = Self.listen(opened, at: address, sharing: sharing, local: &local)
        guard result >= 0 else {
            _ = cl_close(opened)
            throw SocketError(opening: "TCP", at: address, result: result)
        }
        descriptor = opened
        localAddress = SocketAddress(local)
        fellBackToIPv4 = fellBack
        spare = cl_spare_descriptor()
    }

    private static func listen(
        _ descriptor: Int32, at address: SocketAddress, sharing: PortSharing, local: inout cl_address
    ) -> Int32 {
        let ipv6 = !address.isIPv4
        // A restarted server must not wait for its old connections' TIME_WAIT.
        _ = cl_set_option(descriptor, CL_REUSE_ADDRESS, 1)
        if ipv6 { _ = cl_set_option(descriptor, CL_V6_ONLY, address.isUnspecified ? 0 : 1) }
        var result = bindShared(descriptor, ipv6: ipv6, address, sharing: sharing)
        if result >= 0 { result = cl_listen(descriptor, 1024) }
        if result >= 0 { result = unsafe cl_local_address(descriptor, &local) }
        return result
    }
}
