import CWebSockets
import Synchronization

/// What a WebSocket of the pool tells its owner, on the pool's thread.
protocol SocketPoolDelegate: AnyObject {
    func opened(_ socket: Int)
    func received(_ text: [UInt8], on socket: Int)
    /// Happens once for each socket that was asked for. The code is 0 if there never was a connection; the reason is the
    /// server's, or what the library says of a connection that couldn't be made.
    func closed(_ socket: Int, code: Int, reason: String)
}

/// Many client WebSockets on one thread, by libwebsockets.
///
/// The public methods may be called from any thread.
final class SocketPool: Sendable {
    enum Request: Sendable {
        case connect(Int, path: String)
        case send(Int, [UInt8])
        case close(Int)
        case stop
    }

    private struct State {
        var requests: [Request] = []
        /// The address of the context, 0 before it exists and after it is gone. The lock is held while it is used.
        var context: UInt = 0
    }

    let host: String
    let port: Int
    let isSecure: Bool
    /// The name of the WebSocket subprotocol that is asked for.
    let subprotocol: StaticString
    /// How long a connection may take to come about, seconds.
    let patience: UInt32
    private let state = Mutex(State())

    init(host: String, port: Int, isSecure: Bool, subprotocol: StaticString, patience: UInt32) {
        self.patience = patience
        self.host = host
        self.port = port
        self.isSecure = isSecure
        self.subprotocol = subprotocol
    }

    convenience init(_ address: ServerAddress, subprotocol: StaticString, patience: UInt32 = 30) {
        self.init(
            host: address.host, port: address.port, isSecure: address.isSecure, subprotocol: subprotocol,
            patience: patience)
    }

    func post(_ request: Request) {
        state.withLock { state in
            let wasEmpty = state.requests.isEmpty
            state.requests.append(request)
            guard wasEmpty, let context = unsafe OpaquePointer(bitPattern: state.context) else { return }
            unsafe lws_cancel_service(context)
        }
    }

    fileprivate func take() -> [Request] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    fileprivate func attach(_ context: OpaquePointer?) {
        state.withLock { state in
            state.context = UInt(bitPattern: context)
            if let context = unsafe context, !state.requests.isEmpty { unsafe lws_cancel_service(context) }
        }
    }

    /// Serves sockets on the calling thread until `stop`; false if libwebsockets can't start.
    func run(delegate: any SocketPoolDelegate) -> Bool {
        let service = SocketService(pool: self, delegate: delegate)
        guard service.open() else { return false }
        service.run()
        return true
    }
}

/// The thread's side of a pool. Everything in it runs on that thread.
@safe private final class SocketService {
    @safe private struct Connection {
        var handle: OpaquePointer?
        var outbox: [[UInt8]] = []
        var partial: [UInt8] = []
        var closes = false
        var code = 0
        var reason = ""
    }

    private let pool: SocketPool
    private let delegate: any SocketPoolDelegate
    private var connections: [Int: Connection] = [:]
    private var context: OpaquePointer?
    private let protocols: UnsafeMutablePointer<lws_protocols>
    private var isStopping = false
    private var scratch: [UInt8] = []

    /// At least LWS_PRE.
    private static let headroom = 32

    init(pool: SocketPool, delegate: any SocketPoolDelegate) {
        self.pool = pool
        self.delegate = delegate
        unsafe protocols = .allocate(capacity: 2)
        unsafe protocols.initialize(repeating: lws_protocols(), count: 2)
    }

    deinit {
        unsafe protocols.deallocate()
    }

    func open() -> Bool {
        unsafe protocols[0].name = UnsafeRawPointer(pool.subprotocol.utf8Start).assumingMemoryBound(
            to: CChar.self)
        unsafe protocols[0].callback = poolCallback
        unsafe protocols[0].rx_buffer_size = 65_536
        lws_set_log_level(1, nil)
        var info = unsafe lws_context_creation_info()
        // No listening port.
        unsafe info.port = -1
        unsafe info.protocols = UnsafePointer(protocols)
        unsafe info.gid = -1
        unsafe info.uid = -1
        // OpenSSL's global initialization, for wss.
        unsafe info.options = 1 << 12
        unsafe info.timeout_secs = pool.patience
        unsafe info.connect_timeout_secs = pool.patience
        unsafe info.user = Unmanaged.passUnretained(self).toOpaque()
        unsafe context = lws_create_context(&info)
        return unsafe context != nil
    }

    func run() {
        unsafe pool.attach(context)
        while !isStopping, unsafe lws_service(context, 0) >= 0 {}
        unsafe pool.attach(nil)
        unsafe lws_context_destroy(context)
        for socket in connections.keys { gone(socket) }
    }

    func takeRequests() {
        for request in pool.take() {
            switch request {
            case .connect(let socket, let path): connect(socket, path: path)
            case .send(let socket, let bytes):
                guard let handle = unsafe connections[socket]?.handle else { continue }
                connections[socket]?.outbox.append(bytes)
                unsafe lws_callback_on_writable(handle)
            case .close(let socket):
                guard let handle = unsafe connections[socket]?.handle else { continue }
                connections[socket]?.closes = true
                unsafe lws_callback_on_writable(handle)
            case .stop: isStopping = true
            }
        }
    }

    private func connect(_ socket: Int, path: String) {
        connections[socket] = unsafe Connection(handle: nil)
        var info = unsafe lws_client_connect_info()
        let made: OpaquePointer? = unsafe pool.host.withCString { host in
            unsafe path.withCString { path in
                unsafe info.context = context
                unsafe info.address = host
                unsafe info.host = host
                unsafe info.origin = host
                unsafe info.port = Int32(pool.port)
                unsafe info.path = path
                unsafe info.ssl_connection = pool.isSecure ? 1 : 0
                unsafe info.protocol =
                    UnsafeRawPointer(pool.subprotocol.utf8Start).assumingMemoryBound(to: CChar.self)
                unsafe info.local_protocol_name = info.protocol
                unsafe info.ietf_version_or_minus_one = -1
                unsafe info.opaque_user_data = UnsafeMutableRawPointer(bitPattern: socket + 1)
                return unsafe lws_client_connect_via_info(&info)
            }
        }
        if let made = unsafe made {
            unsafe connections[socket]?.handle = made
        } else {
            gone(socket)
        }
    }

    func received(_ socket: Int, _ bytes: UnsafeRawBufferPointer, _ handle: OpaquePointer) {
        unsafe connections[socket]?.partial.append(contentsOf: bytes)
        guard unsafe lws_is_final_fragment(handle) != 0, unsafe lws_remaining_packet_payload(handle) == 0,
            let text = connections[socket]?.partial
        else { return }
        connections[socket]?.partial = []
        delegate.received(text, on: socket)
    }

    func opened(_ socket: Int) {
        delegate.opened(socket)
    }

    func closing(_ socket: Int, code: Int, reason: String) {
        connections[socket]?.code = code
        connections[socket]?.reason = reason
    }

    /// Writes one message; false closes the socket.
    func write(_ socket: Int, _ handle: OpaquePointer) -> Bool {
        guard let connection = connections[socket] else { return false }
        guard let message = connection.outbox.first else { return !connection.closes }
        connections[socket]?.outbox.removeFirst()
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: repeatElement(0, count: Self.headroom))
        scratch.append(contentsOf: message)
        let written = unsafe scratch.withUnsafeMutableBufferPointer { buffer -> Int32 in
            guard let start = buffer.baseAddress else { return -1 }
            return unsafe lws_write(handle, start + Self.headroom, message.count, LWS_WRITE_TEXT)
        }
        guard written >= 0 else { return false }
        if connection.outbox.count > 1 || connection.closes { unsafe lws_callback_on_writable(handle) }
        return true
    }

    func gone(_ socket: Int) {
        guard let connection = connections.removeValue(forKey: socket) else { return }
        delegate.closed(socket, code: connection.code, reason: connection.reason)
    }

    static func of(_ handle: OpaquePointer) -> SocketService? {
        guard let context = unsafe lws_get_context(handle), let user = unsafe lws_context_user(context) else {
            return nil
        }
        return unsafe Unmanaged<SocketService>.fromOpaque(user).takeUnretainedValue()
    }
}

/// What libwebsockets calls.
private func poolCallback(
    _ handle: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ bytes: UnsafeMutableRawPointer?, _ length: Int
) -> Int32 {
    guard let handle = unsafe handle, let service = unsafe SocketService.of(handle) else { return 0 }
    if reason == LWS_CALLBACK_EVENT_WAIT_CANCELLED {
        service.takeRequests()
        return 0
    }
    let number = unsafe Int(bitPattern: lws_get_opaque_user_data(handle))
    guard number > 0 else { return 0 }
    let socket = number - 1
    switch reason {
    case LWS_CALLBACK_CLIENT_ESTABLISHED: service.opened(socket)
    case LWS_CALLBACK_CLIENT_RECEIVE:
        unsafe service.received(socket, UnsafeRawBufferPointer(start: bytes, count: length), handle)
    case LWS_CALLBACK_CLIENT_WRITEABLE: return unsafe service.write(socket, handle) ? 0 : -1
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        // Two bytes of code come first.
        let raw = unsafe UnsafeRawBufferPointer(start: bytes, count: length)
        guard raw.count >= 2 else { break }
        let reason = unsafe String(decoding: raw[2...], as: UTF8.self)
        service.closing(socket, code: unsafe Int(raw[0]) << 8 | Int(raw[1]), reason: reason)
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        let text = unsafe UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : length)
        service.closing(
            socket, code: 0, reason: unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self))
        service.gone(socket)
    case LWS_CALLBACK_CLIENT_CLOSED: service.gone(socket)
    default: break
    }
    return 0
}
