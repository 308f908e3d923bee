/// A connection of libwebsockets; valid until the callback that says it's gone.
@safe struct Handle: Hashable {
    let raw: OpaquePointer

    init(raw: OpaquePointer) {
        unsafe self.raw = raw
    }

    static func == (left: Handle, right: Handle) -> Bool {
        unsafe left.raw == right.raw
    }

    func hash(into hasher: inout Hasher) {
        unsafe hasher.combine(raw)
    }
}

/// One WebSocket, as the service thread alone sees it.
struct SocketConnection {
    let socket: Socket
    let handle: Handle
    var rate: RateLimiter
    /// The message that is arriving.
    var partial: [UInt8] = []
    var isTooLarge = false
    var heardAt: Int64
    var pingedAt: Int64
    var isPingDue = false
    /// When it was first seen to be closing.
    var closingAt: Int64?
    /// The handler was told that it's gone.
    var isReported = false

    init(socket: Socket, handle: Handle, limits: SocketLimits, now: Int64) {
        self.socket = socket
        self.handle = handle
        rate = RateLimiter(perSecond: limits.requestsPerSecond, burst: limits.requestBurst, now: now)
        heardAt = now
        pingedAt = now
    }
}

/// One HTTP request and its answer, as the service thread alone sees it.
struct HTTPExchange {
    let id: UInt64
    let handle: Handle
    var request: HTTPRequest
    /// When its headers were there.
    let startedAt: Int64
    var isDispatched = false
    /// In which turn of the service thread its body was last said to be there, and how often in that one.
    var completedIn: UInt64 = 0
    var completions = 0
    var response: HTTPResponse?
    /// Bytes of the answer's body that were written; nil before the headers were.
    var written: Int?
    /// The connection can't be used again: where the next request begins isn't known.
    var mustClose = false

    init(id: UInt64, handle: Handle, request: HTTPRequest, now: Int64) {
        self.id = id
        self.handle = handle
        self.request = request
        startedAt = now
    }
}
