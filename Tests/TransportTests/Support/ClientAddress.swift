import Wire

@testable import Transport

/// A client's address: 192.0.2.1, with a port.
func udpPath(_ port: UInt16 = 5_000) -> TransportPath {
    .udp(SocketAddress(ipv4: 0xc000_0201, port: port))
}
