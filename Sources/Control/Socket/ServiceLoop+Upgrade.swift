import CWebSockets
import JSON
import Meeting

/// What becomes a WebSocket, and what is said to those who don't.
extension ServiceLoop {
    /// The longest list of subprotocols or connection options that libwebsockets takes apart.
    private static let longestList = 120
    /// The longest list of extensions that it reads, though it has none: a longer one makes it hang up.
    private static let longestExtensions = 240

    /// Decides about an `Upgrade` header; false hangs up.
    ///
    /// Whatever doesn't become a WebSocket goes on as plain HTTP, as RFC 9110, section 7.8 allows for every upgrade.
    /// So HTTP/2 isn't spoken, and a WebSocket that can't be gets an answer of the API, not a page of libwebsockets.
    ///
    /// - Parameter kind: the header's value in libwebsockets' own memory. It is read again when this returns: an
    ///   empty one is no upgrade.
    func considerUpgrade(_ handle: Handle, to kind: UnsafeMutablePointer<CChar>?) -> Bool {
        // For kinds that it doesn't know, libwebsockets asks after it has answered and dropped the headers.
        guard let wanted = header(WSI_TOKEN_UPGRADE, of: handle), let kind = unsafe kind else { return false }
        if wanted.lowercased() == "websocket", header(WSI_TOKEN_GET_URI, of: handle) != nil {
            do throws(APIError) {
                try checkHandshake(handle)
                return true
            } catch {
                refusals[handle] = error
            }
        }
        unsafe kind.pointee = 0
        return true
    }

    /// RFC 6455, section 4.2.1, and what the API adds. Each of these libwebsockets would refuse by hanging up.
    private func checkHandshake(_ handle: Handle) throws(APIError) {
        guard header(WSI_TOKEN_GET_URI, of: handle) == Route.socketPath else {
            throw APIError(.apiNotFound, "WebSockets are at \(Route.socketPath)")
        }
        guard !isDraining else { throw .draining }
        guard unsafe Int(lws_get_socket_fd(handle.raw)) < FileLimit.forSockets else {
            throw .serverFull(retryAfterSeconds: 5)
        }
        guard header(WSI_TOKEN_HTTP, of: handle) != "HTTP/1.0" else {
            throw APIError(.badRequest, "a WebSocket needs HTTP/1.1")
        }
        guard (header(WSI_TOKEN_HTTP_CONTENT_LENGTH, of: handle) ?? "0") == "0" else {
            throw APIError(.badRequest, "a GET has no body")
        }
        guard header(WSI_TOKEN_HOST, of: handle) != nil else {
            throw APIError(.badRequest, "the Host header is missing")
        }
        guard list(WSI_TOKEN_CONNECTION, of: handle).contains(where: { $0.lowercased() == "upgrade" }) else {
            throw APIError(.badRequest, "the Connection header must have the option Upgrade")
        }
        guard header(WSI_TOKEN_VERSION, of: handle) == "13" else {
            throw APIError(.badRequest, "Sec-WebSocket-Version must be 13")
        }
        guard let key = header(WSI_TOKEN_KEY, of: handle), Self.isKey(key) else {
            throw APIError(.badRequest, "Sec-WebSocket-Key must be 16 bytes in Base64")
        }
        guard list(WSI_TOKEN_PROTOCOL, of: handle).contains(Self.subprotocol.description) else {
            throw APIError(
                .badRequest, "Sec-WebSocket-Protocol must name \(Self.subprotocol)",
                details: [("subprotocol", .string(Self.subprotocol.description))])
        }
        guard unsafe lws_hdr_total_length(handle.raw, WSI_TOKEN_EXTENSIONS) <= Self.longestExtensions else {
            throw APIError(
                .badRequest, "Sec-WebSocket-Extensions may have \(Self.longestExtensions) characters")
        }
    }

    /// Whether it is 16 bytes in Base64.
    private static func isKey(_ text: String) -> Bool {
        text.utf8.count == 24 && text.hasSuffix("==")
            && text.utf8.dropLast(2).allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                    true
                default: false
                }
            }
    }

    /// A header's comma-separated values; none if libwebsockets couldn't take them apart.
    private func list(_ name: lws_token_indexes, of handle: Handle) -> [String] {
        guard let text = header(name, of: handle), text.utf8.count <= Self.longestList else { return [] }
        let values = text.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }
        return values.allSatisfy(Self.isToken) ? values : []
    }

    /// What RFC 9110 calls a token, as far as libwebsockets takes it as one.
    private static func isToken(_ text: String) -> Bool {
        (1..<64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Answers CONNECT, after which libwebsockets takes a connection for a tunnel and leaves it to us.
    func refuseTunnel(_ handle: Handle) {
        let answer = HTTPResponse(APIError(.methodNotAllowed, "there are no tunnels here"))
        let head = [
            "HTTP/1.1 \(answer.status) Method Not Allowed", "content-type: \(answer.contentType)",
            "content-length: \(answer.body.count)", "allow: GET, HEAD, POST, OPTIONS", "connection: close",
        ]
        let bytes = Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + answer.body
        _ = write(bytes[...], to: handle, as: LWS_WRITE_HTTP)
    }
}
