public import Wire

/// Which way datagrams go between the server and one address of a peer.
public enum TransportPath: Hashable, Sendable, BitwiseCopyable {
    /// The peer's address on the UDP port.
    case udp(SocketAddress)
    /// An ICE-TCP connection (RFC 6544), by the number the owner of connections gave it, and the peer's address on it.
    case tcp(connection: UInt32, SocketAddress)

    /// The peer's address as the server sees it.
    public var address: SocketAddress {
        switch self {
        case .udp(let address), .tcp(_, let address): address
        }
    }
}
