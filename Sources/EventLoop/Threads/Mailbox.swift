import Synchronization

/// A bounded queue of messages from any thread to one event loop.
///
/// For commands, which are rare: posting takes a lock. Messages of one thread arrive in the order it posted them.
public final class Mailbox<Message: Sendable>: Sendable {
    private struct State {
        var messages: [Message] = []
        var isClosed = false
        var refused: UInt64 = 0
    }

    public let capacity: Int
    private let waker: Waker
    private let state: Mutex<State>

    /// Wakes the loop that has `waker`.
    public init(capacity: Int, waker: Waker) {
        precondition(capacity > 0, "a mailbox holds at least one message")
        self.capacity = capacity
        self.waker = waker
        var empty = State()
        empty.messages.reserveCapacity(capacity)
        state = Mutex(empty)
    }

    /// Messages refused so far.
    public var refused: UInt64 { state.withLock { $0.refused } }

    /// Puts a message in and wakes the loop. False: the mailbox is full or closed, and the message was not taken.
    public func post(_ message: Message) -> Bool {
        let taken = state.withLock { state in
            guard !state.isClosed, state.messages.count < capacity else {
                state.refused &+= 1
                return false
            }
            state.messages.append(message)
            return true
        }
        if taken { waker.wake() }
        return taken
    }

    /// Moves all messages into `messages`, which must be empty, in order. Its storage is reused: two arrays change
    /// places at each turn, so nothing is allocated once both have grown.
    public func drain(into messages: inout [Message]) {
        precondition(messages.isEmpty, "drained messages must have been handled")
        state.withLock { state in
            guard !state.messages.isEmpty else { return }
            swap(&state.messages, &messages)
        }
    }

    /// Refuses messages from now on; those inside can still be drained.
    public func close() {
        state.withLock { $0.isClosed = true }
    }
}
