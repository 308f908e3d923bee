/// Who deals with what arrives. Called on the service thread: hands over, never waits.
protocol SocketHandler: Sendable {
    /// A socket was opened; `token` is what came in its header or address.
    func opened(_ socket: Socket, token: String?)
    /// A message came. `retryAfterMs`: it is over the rate limit and must be refused.
    func received(_ message: Inbound, on socket: Socket)
    /// The connection is gone, or as good as. Once a socket.
    func closed(_ socket: Socket)
    /// Answers a request, later or at once; `respond` counts the first time.
    func handle(_ request: HTTPRequest, respond: @escaping @Sendable (HTTPResponse) -> Void)
}

/// What a client sends on its socket.
enum Inbound: Sendable {
    case text([UInt8])
    /// Over the rate limit, of whatever kind; without bytes if it was too long.
    case limited([UInt8], retryAfterMs: Int)
    /// Longer than allowed; it wasn't kept.
    case tooLarge
    case binary
}
