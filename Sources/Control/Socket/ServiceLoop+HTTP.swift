import CWebSockets
import JSON
import Meeting

/// What libwebsockets calls for plain HTTP.
func httpCallback(
    _ handle: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ bytes: UnsafeMutableRawPointer?, _ length: Int
) -> Int32 {
    guard let raw = unsafe handle, let loop = unsafe ServiceLoop.of(raw) else { return 0 }
    let handle = unsafe Handle(raw: raw)
    switch reason {
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        loop.takeRequests()
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
        return Int(bitPattern: bytes) < FileLimit.forConnections ? 0 : -1
    case LWS_CALLBACK_HTTP:
        return loop.beginExchange(handle) ? 0 : -1
    case LWS_CALLBACK_HTTP_BODY:
        unsafe loop.receivedBody(handle, UnsafeRawBufferPointer(start: bytes, count: length))
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return loop.completeBody(handle) ? 0 : -1
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return loop.writeResponse(handle) ? 0 : -1
    case LWS_CALLBACK_CLOSED_HTTP:
        loop.endExchange(handle)
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        let kind = unsafe bytes?.assumingMemoryBound(to: CChar.self)
        return unsafe loop.considerUpgrade(handle, to: kind) ? 0 : -1
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        // A WebSocket of another protocol than ours.
        return -1
    case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
        guard let context = unsafe user else { return -1 }
        return unsafe loop.setUpTLS(OpaquePointer(context)) ? 0 : -1
    case LWS_CALLBACK_RAW_RX:
        loop.refuseTunnel(handle)
        return -1
    case LWS_CALLBACK_WSI_DESTROY:
        loop.endExchange(handle)
        loop.refusals[handle] = nil
        loop.closed(handle)
    default: break
    }
    return 0
}

extension ServiceLoop {
    /// In the order of libwebsockets' LWSHUMETH_ constants.
    private static let methods: [HTTPRequest.Method?] = [
        .get, .post, .options, .put, .patch, .delete, nil, .head,
    ]

    /// The headers are there. Without a body the request is handed over at once.
    func beginExchange(_ handle: Handle) -> Bool {
        var text: UnsafeMutablePointer<CChar>?
        var length: Int32 = 0
        let index = Int(unsafe lws_http_get_uri_and_method(handle.raw, &text, &length))
        guard Self.methods.indices.contains(index), let method = Self.methods[index], let start = unsafe text
        else { return false }
        let path = unsafe UnsafeRawBufferPointer(start: start, count: Int(length))
        var request = HTTPRequest(
            method: method, path: unsafe String(decoding: path, as: UTF8.self),
            authorization: header(WSI_TOKEN_HTTP_AUTHORIZATION, of: handle),
            origin: header(WSI_TOKEN_ORIGIN, of: handle),
            ifNoneMatch: header(WSI_TOKEN_HTTP_IF_NONE_MATCH, of: handle), body: [])
        request.query = arguments(of: handle)
        var expected = 0
        do throws(APIError) {
            if let refusal = refusals.removeValue(forKey: handle) { throw refusal }
            try checkLine(handle)
            expected = try bodyLength(handle, method)
        } catch {
            request.refusal = error
        }
        var exchange = HTTPExchange(id: nextID, handle: handle, request: request, now: Clock.monotonic())
        nextID += 1
        exchangeHandles[exchange.id] = handle
        // What follows such a request can't be told from the next one: the answer ends the connection.
        exchange.mustClose = request.refusal != nil || isOpenEnded(handle, method)
        exchanges[handle] = exchange
        if expected == 0 { dispatch(handle) }
        return true
    }

    /// Refuses a target with a coded end of line, which libwebsockets takes for the end of the whole line: what stood
    /// behind it is lost, the protocol's version too.
    private func checkLine(_ handle: Handle) throws(APIError) {
        guard unsafe lws_hdr_total_length(handle.raw, WSI_TOKEN_HTTP) > 0 else {
            throw APIError(.badRequest, "the request line ends before its version")
        }
    }

    /// How many bytes follow the headers.
    private func bodyLength(_ handle: Handle, _ method: HTTPRequest.Method) throws(APIError) -> Int {
        guard header(WSI_TOKEN_HTTP_TRANSFER_ENCODING, of: handle) == nil else {
            throw APIError(.badRequest, "a body needs a content length, and no transfer encoding")
        }
        guard let text = header(WSI_TOKEN_HTTP_CONTENT_LENGTH, of: handle) else { return 0 }
        guard let length = Int(text), text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else {
            throw APIError(.badRequest, "the content length isn't a number")
        }
        guard length == 0 || (method != .get && method != .head) else {
            throw APIError(.badRequest, "a \(method.rawValue) has no body")
        }
        guard length <= limits.messageBytes else {
            throw APIError(
                .messageTooLarge, "a body may have \(limits.messageBytes) bytes",
                details: [("limitBytes", .integer(Int64(limits.messageBytes)))])
        }
        return length
    }

    /// Whether libwebsockets waits for a body whose length nobody has said.
    private func isOpenEnded(_ handle: Handle, _ method: HTTPRequest.Method) -> Bool {
        method != .get && method != .head && header(WSI_TOKEN_HTTP_CONTENT_LENGTH, of: handle) == nil
    }

    func receivedBody(_ handle: Handle, _ bytes: UnsafeRawBufferPointer) {
        guard let exchange = exchanges[handle], !exchange.isDispatched,
            exchange.request.body.count + bytes.count <= limits.messageBytes
        else { return }
        unsafe exchanges[handle]?.request.body.append(contentsOf: bytes)
    }

    /// The body is there; false ends the connection.
    ///
    /// libwebsockets says so again while it has bytes of the next request, and if it had kept both for later it does so
    /// without end, and comes back to nobody else: it waits for an answer at once, and ours comes from other threads.
    /// No browser or library sends a request before the answer to one that has a body.
    func completeBody(_ handle: Handle) -> Bool {
        dispatch(handle)
        guard var exchange = exchanges.removeValue(forKey: handle) else { return false }
        defer { exchanges[handle] = exchange }
        if exchange.completedIn != round { exchange.completions = 0 }
        exchange.completedIn = round
        exchange.completions += 1
        return exchange.completions <= 8
    }

    /// Hands the request over.
    func dispatch(_ handle: Handle) {
        guard let exchange = exchanges[handle], !exchange.isDispatched else { return }
        exchanges[handle]?.isDispatched = true
        unsafe lws_set_timeout(handle.raw, NO_PENDING_TIMEOUT, 0)
        let id = exchange.id
        handler.handle(exchange.request) { [mailbox] response in mailbox.post(.respond(id, response)) }
    }

    func endExchange(_ handle: Handle) {
        guard let exchange = exchanges.removeValue(forKey: handle) else { return }
        exchangeHandles[exchange.id] = nil
    }

    /// Writes headers, then the body in pieces; false ends the connection.
    func writeResponse(_ handle: Handle) -> Bool {
        guard var exchange = exchanges[handle], let response = exchange.response else { return true }
        let total = exchange.request.method == .head ? 0 : response.body.count
        guard let written = exchange.written else {
            guard writeHeaders(handle, response, close: exchange.mustClose) else { return false }
            exchange.written = 0
            exchanges[handle] = exchange
            if total == 0 { return complete(handle, exchange) }
            unsafe lws_callback_on_writable(handle.raw)
            return true
        }
        let end = min(written + 32_768, total)
        let kind = end == total ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP
        guard write(response.body[written..<end], to: handle, as: kind) else { return false }
        exchange.written = end
        exchanges[handle] = exchange
        if end == total { return complete(handle, exchange) }
        unsafe lws_callback_on_writable(handle.raw)
        return true
    }

    private func complete(_ handle: Handle, _ exchange: HTTPExchange) -> Bool {
        endExchange(handle)
        guard !exchange.mustClose else { return false }
        return unsafe lws_http_transaction_completed(handle.raw) == 0
    }

    private func writeHeaders(_ handle: Handle, _ response: HTTPResponse, close: Bool) -> Bool {
        var lines: [(name: String, value: String)] = [(name: "x-content-type-options:", value: "nosniff")]
        // RFC 9110, section 8.6: no length where there is never a body.
        if response.status != 204, response.status != 304 {
            lines.append((name: "content-type:", value: response.contentType))
            lines.append((name: "content-length:", value: String(response.body.count)))
        }
        lines += response.headers
        if close { lines.append((name: "connection:", value: "close")) }
        var buffer = [UInt8](repeating: 0, count: Self.headroom + 4_096)
        return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return false }
            let start = unsafe base + Self.headroom
            let end = unsafe base + buffer.count
            var place: UnsafeMutablePointer<UInt8>? = unsafe start
            guard unsafe lws_add_http_header_status(handle.raw, UInt32(response.status), &place, end) == 0
            else {
                return false
            }
            for line in lines {
                let value = Array(line.value.utf8)
                guard
                    unsafe lws_add_http_header_by_name(
                        handle.raw, line.name, value, Int32(value.count), &place, end) == 0
                else { return false }
            }
            return unsafe lws_finalize_write_http_header(handle.raw, start, &place, end) == 0
        }
    }
}
