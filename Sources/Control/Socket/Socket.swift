import Synchronization

/// Why the server closes a socket: the codes of the API.
enum CloseCode: UInt32, Sendable, CaseIterable {
    case unauthorized = 4001
    case removed = 4003
    case sessionEnded = 4004
    case tooSlow = 4008
    case replaced = 4009
    case draining = 4010
    case rateLimited = 4029
}

/// A text message in parts, which it may share with the messages of others.
struct OutboundText: Sendable {
    let parts: [[UInt8]]
    let count: Int

    init(_ parts: [[UInt8]]) {
        self.parts = parts
        count = parts.reduce(0) { $0 + $1.count }
    }
}

/// A client's socket, as everyone but the service thread sees it: a bounded queue of what it is sent.
///
/// May be used from any thread. Nothing here waits for the client.
final class Socket: Sendable {
    /// Unique for the life of the process.
    let id: UInt64
    private let limits: SocketLimits
    private let mailbox: ServiceMailbox
    private let state = Mutex(State())

    private struct State {
        var queue: [OutboundText] = []
        /// Messages before this index have been sent.
        var start = 0
        var bytes = 0
        var closing: (code: CloseCode, reason: String)?
        var isGone = false
        /// Since when nobody has said who is there, in monotonic milliseconds; nil: somebody has.
        var anonymousSince: Int64? = Clock.monotonic()
        /// The service thread has been told, and hasn't looked yet.
        var isAnnounced = false

        var count: Int { queue.count - start }

        mutating func clear() {
            queue = []
            start = 0
            bytes = 0
        }
    }

    init(id: UInt64, limits: SocketLimits, mailbox: ServiceMailbox) {
        self.id = id
        self.limits = limits
        self.mailbox = mailbox
    }

    /// Since when the client hasn't said who it is, in monotonic milliseconds; nil if it has.
    var anonymousSince: Int64? { state.withLock { $0.anonymousSince } }

    /// The client has said who it is, or has logged out.
    func setAuthenticated(_ isAuthenticated: Bool) {
        state.withLock { state in
            if isAuthenticated {
                state.anonymousSince = nil
            } else if state.anonymousSince == nil {
                state.anonymousSince = Clock.monotonic()
            }
        }
    }

    /// Queues a text message. If the client is too far behind, what is queued is dropped and the socket closed (4008).
    func send(_ text: [UInt8]) {
        send(OutboundText([text]))
    }

    /// As above.
    func send(_ text: OutboundText) {
        let mustAnnounce = state.withLock { state in
            guard !state.isGone, state.closing == nil else { return false }
            if state.count >= limits.queuedMessages || state.bytes + text.count > limits.queuedBytes {
                state.clear()
                state.closing = (.tooSlow, "too slow")
            } else {
                state.queue.append(text)
                state.bytes += text.count
            }
            defer { state.isAnnounced = true }
            return !state.isAnnounced
        }
        if mustAnnounce { mailbox.post(.attend(id)) }
    }

    /// Closes the socket once what is queued has been sent. The first call counts.
    func close(_ code: CloseCode, reason: String) {
        let mustAnnounce = state.withLock { state in
            guard !state.isGone, state.closing == nil else { return false }
            state.closing = (code, reason)
            defer { state.isAnnounced = true }
            return !state.isAnnounced
        }
        if mustAnnounce { mailbox.post(.attend(id)) }
    }

    // MARK: - The service thread's side

    enum Next {
        case message(OutboundText)
        case close(CloseCode, reason: String)
        case nothing
    }

    /// What is to be written now.
    func next() -> Next {
        state.withLock { state in
            state.isAnnounced = false
            if state.start < state.queue.count {
                let message = state.queue[state.start]
                state.queue[state.start] = OutboundText([])
                state.start += 1
                state.bytes -= message.count
                if state.start == state.queue.count {
                    state.clear()
                } else if state.start >= limits.queuedMessages {
                    state.queue.removeFirst(state.start)
                    state.start = 0
                }
                return .message(message)
            }
            guard let closing = state.closing else { return .nothing }
            return .close(closing.code, reason: closing.reason)
        }
    }

    /// The code it is about to be closed with.
    var closing: CloseCode? {
        state.withLock { $0.closing?.code }
    }

    /// The connection is gone: nothing is queued any more.
    func markGone() {
        state.withLock { state in
            state.isGone = true
            state.clear()
        }
    }
}

/// Bounds of one client's socket.
public struct SocketLimits: Sendable {
    /// Largest message or request body, in bytes.
    public var messageBytes = 256 * 1_024
    /// Messages that may wait for a client.
    public var queuedMessages = 1_000
    /// Bytes that may wait for a client.
    public var queuedBytes = 4 << 20
    /// Requests that may wait for the server, and their bytes.
    public var pendingRequests = 256
    public var pendingBytes = 1 << 20
    /// Requests a second, and how many may come at once.
    public var requestsPerSecond = 50
    public var requestBurst = 100
    /// How long a socket may stay without login.
    public var loginWithinMs: Int64 = 10_000
    public var pingEveryMs: Int64 = 10_000
    /// Silence after which the client counts as gone.
    public var silenceMs: Int64 = 30_000
    /// How long the headers of a request may take, in seconds.
    public var headerSeconds: UInt32 = 10
    /// How long an HTTP request may take, from its headers to the last byte of the answer.
    public var exchangeWithinMs: Int64 = 60_000
    /// How long a socket that is being closed may take over it.
    public var closeWithinMs: Int64 = 5_000

    public init() {}
}
