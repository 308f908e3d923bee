import EventLoop
import Glibc
import Wire

/// A client's end of the network: a UDP socket, or a TCP connection with frames (RFC 4571). Never blocks.
final class ClientSocket {
    struct Failed: Error {
        let code = errno
    }

    let isStream: Bool
    private(set) var bytesSent = 0
    private(set) var bytesReceived = 0
    let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    /// What has come of a frame.
    private var partial: [UInt8] = []

    init(to server: SocketAddress, overTCP isStream: Bool = false) throws {
        self.isStream = isStream
        let kind = isStream ? SOCK_STREAM : SOCK_DGRAM
        descriptor = socket(AF_INET, Int32(kind.rawValue), 0)
        guard descriptor >= 0 else { throw Failed() }
        var size: Int32 = 8 << 20
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &size, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = server.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe connect(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), length)
        }
        guard status == 0 else { throw Failed() }
    }

    deinit {
        close(descriptor)
    }

    func send(_ bytes: [UInt8]) {
        let framed = isStream ? [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes : bytes
        bytesSent += bytes.count
        _ = unsafe Glibc.send(descriptor, framed, framed.count, Int32(MSG_NOSIGNAL))
    }

    /// Everything that waits.
    func receive() -> [[UInt8]] {
        var datagrams: [[UInt8]] = []
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { break }
            if isStream { partial += buffer[..<count] } else { datagrams.append(Array(buffer[..<count])) }
        }
        if isStream { datagrams = takeFrames() }
        for datagram in datagrams { bytesReceived += datagram.count }
        return datagrams
    }

    private func takeFrames() -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var offset = 0
        while offset + 2 <= partial.count {
            let length = Int(partial[offset]) << 8 | Int(partial[offset + 1])
            guard offset + 2 + length <= partial.count else { break }
            frames.append(Array(partial[(offset + 2)..<(offset + 2 + length)]))
            offset += 2 + length
        }
        partial.removeFirst(offset)
        return frames
    }
}
