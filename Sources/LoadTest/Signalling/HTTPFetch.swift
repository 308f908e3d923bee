import CWebSockets

/// Fetches one small resource over HTTP, by libwebsockets. Blocks the calling thread for five seconds at most.
@safe final class HTTPFetch {
    private var body: [UInt8] = []
    private var isDone = false
    private var isComplete = false
    private var status: UInt32 = 0
    private let protocols: UnsafeMutablePointer<lws_protocols>

    private static let name: StaticString = "http"
    private static let mostBytes = 8 << 20

    private init() {
        unsafe protocols = .allocate(capacity: 2)
        unsafe protocols.initialize(repeating: lws_protocols(), count: 2)
        unsafe protocols[0].name = UnsafeRawPointer(Self.name.utf8Start).assumingMemoryBound(to: CChar.self)
        unsafe protocols[0].callback = fetchCallback
        unsafe protocols[0].rx_buffer_size = 16_384
    }

    deinit {
        unsafe protocols.deallocate()
    }

    /// The body of a 200 answer; nil for anything else.
    static func get(_ path: String, from server: ServerAddress) -> [UInt8]? {
        HTTPFetch().run(path, server)
    }

    private func run(_ path: String, _ server: ServerAddress) -> [UInt8]? {
        lws_set_log_level(1, nil)
        var info = unsafe lws_context_creation_info()
        unsafe info.port = -1
        unsafe info.protocols = UnsafePointer(protocols)
        unsafe info.gid = -1
        unsafe info.uid = -1
        unsafe info.options = 1 << 12
        unsafe info.timeout_secs = 5
        unsafe info.user = Unmanaged.passUnretained(self).toOpaque()
        guard let context = unsafe lws_create_context(&info) else { return nil }
        defer { unsafe lws_context_destroy(context) }
        guard unsafe connect(context, path, server) else { return nil }
        // The timeouts of libwebsockets end the connection, and with it this loop.
        while !isDone, unsafe lws_service(context, 0) >= 0 {}
        return isComplete && status == 200 ? body : nil
    }

    private func connect(_ context: OpaquePointer, _ path: String, _ server: ServerAddress) -> Bool {
        var info = unsafe lws_client_connect_info()
        return unsafe server.host.withCString { host in
            unsafe path.withCString { path in
                unsafe "GET".withCString { method in
                    unsafe info.context = context
                    unsafe info.address = host
                    unsafe info.host = host
                    unsafe info.origin = host
                    unsafe info.port = Int32(server.port)
                    unsafe info.path = path
                    unsafe info.method = method
                    unsafe info.ssl_connection = server.isSecure ? 1 : 0
                    unsafe info.local_protocol_name =
                        UnsafeRawPointer(Self.name.utf8Start).assumingMemoryBound(to: CChar.self)
                    return unsafe lws_client_connect_via_info(&info) != nil
                }
            }
        }
    }

    fileprivate func handle(
        _ reason: lws_callback_reasons, _ handle: OpaquePointer, _ bytes: UnsafeMutableRawPointer?,
        _ length: Int
    ) -> Int32 {
        switch reason {
        case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP: status = unsafe lws_http_client_http_response(handle)
        case LWS_CALLBACK_RECEIVE_CLIENT_HTTP:
            var chunk = [CChar](repeating: 0, count: 16_384 + 32)
            return unsafe chunk.withUnsafeMutableBufferPointer { buffer in
                // The library wants room for headers of its own before the data.
                var start = unsafe buffer.baseAddress.map { unsafe $0 + 32 }
                var count = Int32(16_384)
                return unsafe lws_http_client_read(handle, &start, &count) < 0 ? -1 : 0
            }
        case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ:
            guard body.count + length <= Self.mostBytes else { return -1 }
            unsafe body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: length))
        case LWS_CALLBACK_COMPLETED_CLIENT_HTTP:
            (isComplete, isDone) = (true, true)
        case LWS_CALLBACK_CLIENT_CONNECTION_ERROR, LWS_CALLBACK_CLOSED_CLIENT_HTTP: isDone = true
        default: break
        }
        return 0
    }
}

private func fetchCallback(
    _ handle: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ bytes: UnsafeMutableRawPointer?, _ length: Int
) -> Int32 {
    guard let handle = unsafe handle, let context = unsafe lws_get_context(handle),
        let owner = unsafe lws_context_user(context)
    else { return 0 }
    let fetch = unsafe Unmanaged<HTTPFetch>.fromOpaque(owner).takeUnretainedValue()
    return unsafe fetch.handle(reason, handle, bytes, length)
}
