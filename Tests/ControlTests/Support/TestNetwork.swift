import Glibc
import Synchronization

/// Reads all sockets of the tests on one thread.
final class TestNetwork: Sendable {
    static let shared = TestNetwork()

    private struct Entry {
        var isPaused = false
        var receive: @Sendable ([UInt8]?) -> Void
    }

    private let entries = Mutex<[Int32: Entry]>([:])

    private init() {
        var thread = pthread_t()
        _ = unsafe pthread_create(&thread, nil, readAll, nil)
        pthread_detach(thread)
    }

    /// A connection to a port on loopback; `receive` gets what comes, and nil at the end.
    func connect(
        port: UInt16, receiveBuffer: Int32? = nil, receive: @escaping @Sendable ([UInt8]?) -> Void
    ) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var one: Int32 = 1
        unsafe setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe Glibc.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            Glibc.close(descriptor)
            return -1
        }
        entries.withLock { $0[descriptor] = Entry(receive: receive) }
        return descriptor
    }

    func pause(_ descriptor: Int32, _ isPaused: Bool) {
        entries.withLock { $0[descriptor]?.isPaused = isPaused }
    }

    func close(_ descriptor: Int32) {
        guard let entry = entries.withLock({ $0.removeValue(forKey: descriptor) }) else { return }
        // A reset, so that no port stays behind.
        Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
        Glibc.close(descriptor)
        entry.receive(nil)
    }

    func send(_ bytes: [UInt8], on descriptor: Int32) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes { buffer in
                unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    fileprivate func readOnce() {
        let open = entries.withLock { $0.filter { !$0.value.isPaused } }
        var polls = open.keys.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard unsafe poll(&polls, nfds_t(polls.count), 5) > 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        for entry in polls where entry.revents != 0 {
            // Under the lock, so that nothing more is read once `pause` has returned.
            let received: (count: Int, error: Int32)? = entries.withLock { entries in
                guard entries[entry.fd]?.isPaused == false else { return nil }
                let count = unsafe recv(entry.fd, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                return (count, errno)
            }
            guard let (count, error) = received else { continue }
            if count > 0 {
                // Whoever has this descriptor now: it may have been closed and opened again meanwhile.
                entries.withLock { $0[entry.fd] }?.receive(Array(buffer[..<count]))
            } else if count == 0 || error != EAGAIN {
                close(entry.fd)
            }
        }
    }
}

private func readAll(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    while true { TestNetwork.shared.readOnce() }
}

/// What a test waited for didn't come.
struct TimedOut: Error {
    let what: String
}

/// Waits until a condition holds, and fails after ten seconds.
@discardableResult
func eventually<Value>(
    _ what: String, within seconds: Double = 30, _ check: () async -> Value?
) async throws -> Value {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(seconds)
    while clock.now < deadline {
        if let value = await check() { return value }
        try await Task.sleep(for: .milliseconds(2))
    }
    throw TimedOut(what: what)
}
