import CLinux
import Glibc
import Synchronization

/// Reads all sockets of the tests on one thread. Whoever opened a connection closes it, and nobody else: its number is
/// another connection's as soon as it is closed.
final class TestNetwork: Sendable {
    static let shared = TestNetwork()

    typealias Receiver = @Sendable ([UInt8]?) -> Void

    private struct Entry {
        var isPaused = false
        var hasEnded = false
        let receive: Receiver
    }

    private let entries = Mutex<[Int32: Entry]>([:])
    private let epoll = cl_epoll_create()

    private init() {
        var thread = pthread_t()
        _ = unsafe pthread_create(&thread, nil, readAll, nil)
        pthread_detach(thread)
    }

    /// A connection to a port on loopback; `receive` gets what comes, and nil at the end.
    func connect(
        port: UInt16, receiveBuffer: Int32? = nil, receive: @escaping Receiver
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
        watch(descriptor, true)
        return descriptor
    }

    func pause(_ descriptor: Int32, _ isPaused: Bool) {
        entries.withLock { entries in
            guard let entry = entries[descriptor], !entry.hasEnded, entry.isPaused != isPaused else { return }
            entries[descriptor]?.isPaused = isPaused
            watch(descriptor, !isPaused)
        }
    }

    private func watch(_ descriptor: Int32, _ isWatched: Bool) {
        if isWatched {
            cl_epoll_add(epoll, descriptor, UInt64(descriptor), CL_READABLE.rawValue)
        } else {
            cl_epoll_remove(epoll, descriptor)
        }
    }

    func close(_ descriptor: Int32) {
        guard let entry = entries.withLock({ $0.removeValue(forKey: descriptor) }) else { return }
        Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
        Glibc.close(descriptor)
        if !entry.hasEnded { entry.receive(nil) }
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
        var ready = [cl_event](repeating: cl_event(), count: 64)
        let count = unsafe cl_epoll_wait(epoll, &ready, UInt32(ready.count), -1)
        for event in ready.prefix(max(0, Int(count))) { read(Int32(event.token)) }
    }

    private func read(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        // Under the lock, so that what comes is for whoever has this number now, and nothing more is read once `pause`
        // has returned.
        let received = entries.withLock { entries -> (bytes: [UInt8]?, receive: Receiver)? in
            guard let entry = entries[descriptor], !entry.isPaused, !entry.hasEnded else { return nil }
            let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { return (Array(buffer[..<count]), entry.receive) }
            guard count == 0 || errno != EAGAIN else { return nil }
            entries[descriptor]?.hasEnded = true
            watch(descriptor, false)
            shutdown(descriptor, Int32(SHUT_RDWR))
            return (nil, entry.receive)
        }
        guard let received else { return }
        received.receive(received.bytes)
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
