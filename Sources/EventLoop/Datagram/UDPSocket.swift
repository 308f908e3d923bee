import CLinux
public import Wire

/// A bound, non-blocking UDP socket, closed when its owner lets go of it.
///
/// Bound to `::` it is dual-stack and sees IPv4 peers by their IPv4-mapped addresses. Datagrams are never
/// fragmented (IP_MTU_DISCOVER=DO): one that is too long for its path is refused when sent.
public struct UDPSocket: ~Copyable {
    public struct Options: Hashable, Sendable {
        public var sharing: PortSharing
        /// Asked of the kernel, bytes; forced beyond the system's limit where the process may.
        public var receiveBuffer: Int32
        public var sendBuffer: Int32
        /// Lets the kernel hand over runs of equal datagrams as one (UDP_GRO).
        public var coalescesReceived: Bool
        /// False: `::` is opened as 0.0.0.0, as on a machine without IPv6.
        public var allowsIPv6: Bool

        public init(
            sharing: PortSharing = .exclusive, receiveBuffer: Int32 = 8 << 20, sendBuffer: Int32 = 4 << 20,
            coalescesReceived: Bool = false, allowsIPv6: Bool = true
        ) {
            self.sharing = sharing
            self.receiveBuffer = receiveBuffer
            self.sendBuffer = sendBuffer
            self.coalescesReceived = coalescesReceived
            self.allowsIPv6 = allowsIPv6
        }
    }

    public let descriptor: Int32
    /// With the port the kernel chose if 0 was asked for.
    public let localAddress: SocketAddress
    /// An IPv6 socket (which may carry IPv4 too); else IPv4 only.
    public let isIPv6: Bool
    /// The kernel takes a run of packets as one message (UDP_SEGMENT).
    public let supportsSegmentation: Bool
    /// `::` was asked for, and the machine has no IPv6.
    public let fellBackToIPv4: Bool
    /// The kernel coalesces received datagrams: the receiver needs buffers for that.
    public let coalescesReceived: Bool

    /// Opens and binds a socket. `::` means all addresses of both families; 0.0.0.0 all IPv4 ones.
    public static func open(
        _ address: SocketAddress, options: Options = Options()
    ) throws(SocketError) -> UDPSocket {
        let wantsBoth = address.isUnspecified && !address.isIPv4
        let ipv4 = SocketAddress(ipv4: 0, port: address.port)
        if wantsBoth && !options.allowsIPv6 {
            return try UDPSocket(binding: ipv4, options: options, fellBack: true)
        }
        do {
            return try UDPSocket(binding: address, options: options, fellBack: false)
        } catch {
            guard wantsBoth, error.reason == .unsupported || error.reason == .addressUnavailable else {
                throw error
            }
            return try UDPSocket(binding: ipv4, options: options, fellBack: true)
        }
    }

    /// Takes over a bound, non-blocking socket, such as one that a service manager opened, with the options it has.
    public init(adopting descriptor: Int32) throws(SocketError) {
        var local = cl_address()
        let result = unsafe cl_local_address(descriptor, &local)
        guard result >= 0 else { throw SocketError("adopting a socket", result: result) }
        self.descriptor = descriptor
        localAddress = SocketAddress(local)
        isIPv6 = cl_get_option(descriptor, CL_V6_ONLY) >= 0
        fellBackToIPv4 = false
        supportsSegmentation = cl_get_option(descriptor, CL_UDP_SEGMENT) >= 0
        coalescesReceived = cl_get_option(descriptor, CL_UDP_GRO) > 0
    }

    deinit {
        _ = cl_close(descriptor)
    }

    /// What the kernel grants, bytes: it counts its own overhead too and so doubles what was asked for.
    public var receiveBufferSize: Int { Int(max(0, cl_get_option(descriptor, CL_RECEIVE_BUFFER))) }
    /// What the kernel grants, bytes, counted as `receiveBufferSize` is.
    public var sendBufferSize: Int { Int(max(0, cl_get_option(descriptor, CL_SEND_BUFFER))) }

    private init(
        binding address: SocketAddress, options: Options, fellBack: Bool
    ) throws(SocketError) {
        let ipv6 = !address.isIPv4
        let opened = cl_socket(ipv6, false)
        guard opened >= 0 else { throw SocketError(opening: "UDP", at: address, result: opened) }
        var bound = address
        let result = Self.bind(opened, to: &bound, options: options)
        guard result >= 0 else {
            _ = cl_close(opened)
            throw SocketError(opening: "UDP", at: address, result: result)
        }
        descriptor = opened
        localAddress = bound
        isIPv6 = ipv6
        fellBackToIPv4 = fellBack
        supportsSegmentation = cl_get_option(opened, CL_UDP_SEGMENT) >= 0
        coalescesReceived = options.coalescesReceived && cl_set_option(opened, CL_UDP_GRO, 1) == 0
        Self.size(opened, CL_RECEIVE_BUFFER, forced: CL_RECEIVE_BUFFER_FORCE, options.receiveBuffer)
        Self.size(opened, CL_SEND_BUFFER, forced: CL_SEND_BUFFER_FORCE, options.sendBuffer)
    }

    private static func bind(
        _ descriptor: Int32, to address: inout SocketAddress, options: Options
    ) -> Int32 {
        let ipv6 = !address.isIPv4
        if ipv6 {
            // Off for `::` (both families); on elsewhere, where it changes nothing but what a clash is.
            let only: Int32 = address.isUnspecified ? 0 : 1
            let result = cl_set_option(descriptor, CL_V6_ONLY, only)
            guard result >= 0 else { return result }
            _ = cl_set_option(descriptor, CL_MTU_DISCOVER_DO_V6, 1)
        }
        _ = cl_set_option(descriptor, CL_MTU_DISCOVER_DO_V4, 1)
        _ = cl_set_option(descriptor, CL_DROP_COUNT, 1)
        _ = cl_set_option(descriptor, CL_TIMESTAMP, 1)
        let result = bindShared(descriptor, ipv6: ipv6, address, sharing: options.sharing)
        guard result >= 0 else { return result }
        var local = cl_address()
        let named = unsafe cl_local_address(descriptor, &local)
        address = SocketAddress(local)
        return named
    }

    private static func size(
        _ descriptor: Int32, _ option: cl_option, forced: cl_option, _ bytes: Int32
    ) {
        if cl_set_option(descriptor, forced, bytes) < 0 {
            _ = cl_set_option(descriptor, option, bytes)
        }
    }
}

/// Binds with the sharing asked for; 0 or the negative errno.
func bindShared(
    _ descriptor: Int32, ipv6: Bool, _ address: SocketAddress, sharing: PortSharing
) -> Int32 {
    if sharing == .joining {
        let result = cl_set_option(descriptor, CL_REUSE_PORT, 1)
        guard result >= 0 else { return result }
    }
    var native = address.native
    let result = unsafe cl_bind(descriptor, ipv6, &native)
    guard result >= 0, sharing == .first else { return result }
    return cl_set_option(descriptor, CL_REUSE_PORT, 1)
}
