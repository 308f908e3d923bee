import EventLoop
import Wire

/// A worker's event loop and sockets, opened before anything else: what can fail at the start.
struct WorkerSockets: ~Copyable {
    static var datagramsABatch: Int { 64 }
    static var udpToken: UInt64 { 1 << 32 }
    static var listenerToken: UInt64 { 2 << 32 }
    static var streamTag: UInt64 { 3 << 32 }

    let loop: EventLoop
    let socket: UDPSocket
    let receiver: DatagramReceiver?
    let sender: DatagramSender
    let listener: TCPListener?
    let streams: TCPConnectionTable

    /// Opens them; with port 0, tries others until one is free for UDP and for TCP.
    static func open(
        lane: Int, waker: Waker, host: SocketAddress, settings: MediaSettings
    ) throws(SocketError) -> WorkerSockets {
        for _ in 0..<16 where host.port == 0 && settings.usesTCP {
            do throws(SocketError) {
                return try WorkerSockets(lane: lane, waker: waker, host: host, settings: settings)
            } catch {
                guard error.reason == .addressTaken else { throw error }
            }
        }
        return try WorkerSockets(lane: lane, waker: waker, host: host, settings: settings)
    }

    private init(lane: Int, waker: Waker, host: SocketAddress, settings: MediaSettings) throws(SocketError) {
        let loop = try EventLoop(waker: waker)
        let sharing: PortSharing = settings.workers == 1 ? .exclusive : lane == 0 ? .first : .joining
        let buffer = Int32(clamping: settings.socketBufferBytes)
        let options = UDPSocket.Options(
            sharing: sharing, receiveBuffer: buffer, sendBuffer: buffer, allowsIPv6: settings.usesIPv6)
        let socket = try UDPSocket.open(host, options: options)
        let receiver = try DatagramReceiver(buffers: Self.datagramsABatch)
        let offloads = settings.usesSegmentationOffload && socket.supportsSegmentation
        let sender = try DatagramSender(offload: offloads ? .active : .off)
        let listener = settings.usesTCP ? try TCPListener.open(socket.localAddress, sharing: sharing) : nil
        let streams = TCPConnectionTable(registry: loop.registry, tokenTag: Self.streamTag)
        try loop.registry.add(socket.descriptor, token: Self.udpToken, for: .readable)
        if let descriptor = Self.descriptor(of: listener) {
            try loop.registry.add(descriptor, token: Self.listenerToken, for: .readable)
        }
        self.loop = loop
        self.socket = socket
        self.receiver = consume receiver
        self.sender = sender
        self.listener = listener
        self.streams = streams
    }

    private static func descriptor(of listener: borrowing TCPListener?) -> Int32? {
        switch listener {
        case .some(let listener): listener.descriptor
        case .none: nil
        }
    }
}
