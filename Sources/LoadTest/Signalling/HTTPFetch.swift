import CWebSockets

/// One small request over HTTP, by libwebsockets. Blocks the calling thread for five seconds at most.
@safe final class HTTPFetch {
    private var body: [UInt8] = []
    private var isDone = false
    private var isComplete = false
    private var status: UInt32 = 0
    private let protocols: UnsafeMutablePointer<lws_protocols>

    private let bearer: String?
    private let request: [UInt8]?

    private static let name: StaticString = "http"
    private static let mostBytes = 8 << 20

    /// - Parameter request: the body of a PUT; nil makes it a GET.
    private init(bearer: String? = nil, request: [UInt8]? = nil) {
        self.bearer = bearer
        self.request = request
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

    /// Whether a PUT of this JSON text was answered by 200 or 201.
    static func put(_ path: String, _ text: [UInt8], to server: ServerAddress, bearer: String) -> Bool {
        HTTPFetch(bearer: bearer, request: text).run(path, server) != nil
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
        return isComplete && (status == 200 || status == 201) ? body : nil
    }

    private func connect(_ context: OpaquePointer, _ path: String, _ server: ServerAddress) -> Bool {
        var info = unsafe lws_client_connect_info()
        return unsafe server.host.withCString { host in
            unsafe path.withCString { path in
                unsafe (request == nil ? "GET" : "PUT").withCString { method in
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
        case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
            guard unsafe appendHeaders(handle, bytes, length) else { return -1 }
        case LWS_CALLBACK_CLIENT_HTTP_WRITEABLE: return unsafe writeBody(handle) ? 0 : -1
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

extension HTTPFetch {
    /// `place` is where the library has a pointer to the end of the headers so far.
    fileprivate func appendHeaders(
        _ handle: OpaquePointer, _ place: UnsafeMutableRawPointer?, _ room: Int
    ) -> Bool {
        guard let request, let bearer, let place = unsafe place else { return true }
        let cursor = unsafe place.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self)
        let end = unsafe cursor.pointee.map { unsafe $0 + room }
        let headers = [
            (WSI_TOKEN_HTTP_AUTHORIZATION, "Bearer \(bearer)"),
            (WSI_TOKEN_HTTP_CONTENT_TYPE, "application/json"),
            (WSI_TOKEN_HTTP_CONTENT_LENGTH, "\(request.count)"),
        ]
        for (token, value) in headers {
            let text = Array(value.utf8)
            let result = unsafe lws_add_http_header_by_token(
                handle, token, text, Int32(text.count), cursor, end)
            guard result == 0 else { return false }
        }
        unsafe lws_client_http_body_pending(handle, 1)
        unsafe lws_callback_on_writable(handle)
        return true
    }

    fileprivate func writeBody(_ handle: OpaquePointer) -> Bool {
        guard let request else { return true }
        unsafe lws_client_http_body_pending(handle, 0)
        // The library wants room before the bytes.
        var bytes = [UInt8](repeating: 0, count: 32) + request
        let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer -> Int32 in
            guard let start = buffer.baseAddress else { return -1 }
            return unsafe lws_write(handle, start + 32, request.count, LWS_WRITE_HTTP_FINAL)
        }
        return written >= 0
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
