import CWebSockets

/// What libwebsockets calls for the protocol `rostrum.v1`.
func socketCallback(
    _ handle: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ bytes: UnsafeMutableRawPointer?, _ length: Int
) -> Int32 {
    guard let raw = unsafe handle, let loop = unsafe ServiceLoop.of(raw) else { return 0 }
    let handle = unsafe Handle(raw: raw)
    switch reason {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        loop.keepToken(handle)
    case LWS_CALLBACK_ESTABLISHED:
        loop.opened(handle)
    case LWS_CALLBACK_RECEIVE:
        unsafe loop.received(handle, UnsafeRawBufferPointer(start: bytes, count: length))
    case LWS_CALLBACK_RECEIVE_PONG:
        loop.sockets[handle]?.heardAt = Clock.monotonic()
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return loop.writeSocket(handle) ? 0 : -1
    case LWS_CALLBACK_CLOSED:
        loop.closed(handle)
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        loop.takeRequests()
    default: break
    }
    return 0
}

extension ServiceLoop {
    /// The loop that a connection belongs to.
    static func of(_ handle: OpaquePointer) -> ServiceLoop? {
        guard let context = unsafe lws_get_context(handle), let user = unsafe lws_context_user(context) else {
            return nil
        }
        return unsafe Unmanaged<ServiceLoop>.fromOpaque(user).takeUnretainedValue()
    }

    /// Notes what the handshake says about who is there. That it may upgrade is settled.
    func keepToken(_ handle: Handle) {
        if let authorization = header(WSI_TOKEN_HTTP_AUTHORIZATION, of: handle) {
            tokens[handle] = BearerToken.parse(authorization) ?? ""
        } else if let token = argument("access_token", of: handle) {
            tokens[handle] = token
        }
    }

    func opened(_ handle: Handle) {
        let socket = Socket(id: nextID, limits: limits, mailbox: mailbox)
        nextID += 1
        let now = Clock.monotonic()
        sockets[handle] = SocketConnection(socket: socket, handle: handle, limits: limits, now: now)
        socketHandles[socket.id] = handle
        count(1)
        handler.opened(socket, token: tokens.removeValue(forKey: handle))
        if isDraining { socket.close(.draining, reason: "server draining") }
    }

    func received(_ handle: Handle, _ bytes: UnsafeRawBufferPointer) {
        guard var connection = sockets[handle] else { return }
        // What came before has one owner: it would be copied for each fragment, and fragments may have a byte each.
        sockets[handle]?.partial = []
        defer { sockets[handle] = connection }
        let now = Clock.monotonic()
        connection.heardAt = now
        if connection.partial.count + bytes.count > limits.messageBytes {
            connection.isTooLarge = true
            connection.partial = []
        }
        if !connection.isTooLarge { unsafe connection.partial.append(contentsOf: bytes) }
        guard unsafe lws_is_final_fragment(handle.raw) != 0,
            unsafe lws_remaining_packet_payload(handle.raw) == 0
        else {
            return
        }
        let text = connection.partial
        connection.partial = []
        let message: Inbound
        // Whatever it is, it counts.
        if let retryAfterMs = connection.rate.take(now: now) {
            message = .limited(text, retryAfterMs: retryAfterMs)
        } else if connection.isTooLarge {
            message = .tooLarge
        } else if unsafe lws_frame_is_binary(handle.raw) != 0 {
            message = .binary
        } else {
            message = .text(text)
        }
        connection.isTooLarge = false
        handler.received(message, on: connection.socket)
    }

    /// Writes as much as the connection takes; false closes it.
    func writeSocket(_ handle: Handle) -> Bool {
        guard let connection = sockets[handle] else { return true }
        if connection.isPingDue {
            sockets[handle]?.isPingDue = false
            // libwebsockets doesn't report pongs without content, and content comes back.
            guard write([0x2E], to: handle, as: LWS_WRITE_PING) else { return false }
        }
        while unsafe lws_send_pipe_choked(handle.raw) == 0 {
            switch connection.socket.next() {
            case .nothing: return true
            case .message(let text):
                guard write(text, to: handle) else { return false }
            case .close(let code, let reason):
                var bytes = Array(reason.utf8.prefix(120))
                unsafe lws_close_reason(handle.raw, lws_close_status(code.rawValue), &bytes, bytes.count)
                return false
            }
        }
        unsafe lws_callback_on_writable(handle.raw)
        return true
    }

    func closed(_ handle: Handle) {
        tokens[handle] = nil
        guard let connection = sockets[handle] else { return }
        connection.socket.markGone()
        report(connection)
        socketHandles[connection.socket.id] = nil
        sockets[handle] = nil
        count(-1)
    }

    /// Pings, and closes those who don't log in, are silent or don't take their close frame; cuts HTTP connections
    /// whose body or answer makes no way.
    func checkTimeouts(now: Int64) {
        for exchange in exchanges.values where now - exchange.startedAt >= limits.exchangeWithinMs {
            cut(exchange.handle)
        }
        for (handle, connection) in sockets {
            if connection.socket.closing != nil {
                let since = connection.closingAt ?? now
                sockets[handle]?.closingAt = since
                if now - since >= limits.closeWithinMs { cut(handle) }
            } else if now - connection.heardAt >= limits.silenceMs {
                report(connection)
                cut(handle)
            } else if let since = connection.socket.anonymousSince, now - since >= limits.loginWithinMs {
                connection.socket.close(.unauthorized, reason: "no login")
            } else if now - connection.pingedAt >= limits.pingEveryMs {
                sockets[handle]?.pingedAt = now
                sockets[handle]?.isPingDue = true
                unsafe lws_callback_on_writable(handle.raw)
            }
        }
    }

    private func cut(_ handle: Handle) {
        unsafe lws_set_timeout(handle.raw, PENDING_TIMEOUT_KILLED_BY_PARENT, LWS_TO_KILL_ASYNC)
    }

    // MARK: - Headers

    /// A header, joined if it came in parts; nil if it is absent or over 8 KiB.
    func header(_ name: lws_token_indexes, of handle: Handle) -> String? {
        let length = Int(unsafe lws_hdr_total_length(handle.raw, name))
        guard length > 0, length <= 8_192 else { return nil }
        var buffer = [CChar](repeating: 0, count: length + 1)
        let copied = Int(unsafe lws_hdr_copy(handle.raw, &buffer, Int32(buffer.count), name))
        guard copied > 0 else { return nil }
        return String(decoding: buffer[..<copied].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// An argument of the query, decoded.
    func argument(_ name: String, of handle: Handle) -> String? {
        arguments(of: handle).first { $0.name == name }?.value
    }

    /// The arguments of the query, decoded; of more than 64 the first ones.
    func arguments(of handle: Handle) -> [(name: String, value: String)] {
        var arguments: [(name: String, value: String)] = []
        guard unsafe lws_hdr_total_length(handle.raw, WSI_TOKEN_HTTP_URI_ARGS) > 0 else { return [] }
        var buffer = [CChar](repeating: 0, count: 8_192)
        for index in 0..<Int32(64) {
            let copied = Int(
                unsafe lws_hdr_copy_fragment(
                    handle.raw, &buffer, Int32(buffer.count), WSI_TOKEN_HTTP_URI_ARGS, index))
            // 0 is an empty argument, less is the end.
            guard copied >= 0 else { break }
            let text = String(decoding: buffer[..<copied].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, !text.isEmpty else { continue }
            arguments.append((name: String(name), value: parts.count > 1 ? String(parts[1]) : ""))
        }
        return arguments
    }
}

/// `Authorization: Bearer …` (RFC 6750).
enum BearerToken {
    /// The credential; nil for another scheme.
    static func parse(_ header: String) -> String? {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard let scheme = parts.first, scheme.lowercased() == "bearer" else { return nil }
        return parts.count == 2 ? String(parts[1]) : ""
    }
}
