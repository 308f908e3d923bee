import Synchronization

/// What a client sent and the server hasn't dealt with yet. Bounded.
final class Inbox: Sendable {
    let messages: AsyncStream<Inbound>
    private let continuation: AsyncStream<Inbound>.Continuation
    private let limits: SocketLimits
    private let pending = Mutex((count: 0, bytes: 0))

    init(limits: SocketLimits) {
        self.limits = limits
        (messages, continuation) = AsyncStream.makeStream(of: Inbound.self, bufferingPolicy: .unbounded)
    }

    /// Queues a message; false if too much is waiting already.
    func offer(_ message: Inbound) -> Bool {
        let fits = pending.withLock { pending in
            guard pending.count < limits.pendingRequests,
                pending.count == 0 || pending.bytes + message.size <= limits.pendingBytes
            else { return false }
            pending.count += 1
            pending.bytes += message.size
            return true
        }
        if fits { continuation.yield(message) }
        return fits
    }

    /// A message was dealt with.
    func took(_ message: Inbound) {
        pending.withLock { pending in
            pending.count -= 1
            pending.bytes -= message.size
        }
    }

    /// Nothing more comes.
    func finish() {
        continuation.finish()
    }
}

extension Inbound {
    fileprivate var size: Int {
        switch self {
        case .text(let text), .limited(let text, _): text.count
        case .tooLarge, .binary: 0
        }
    }
}
