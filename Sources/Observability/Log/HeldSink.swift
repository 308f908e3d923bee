import Synchronization

/// Keeps records back until it is known that they are of use: then they go where they belong, and so do all later ones.
public final class HeldSink: LogSink {
    private struct State {
        /// Nil once they are released.
        var held: [LogRecord]? = []
    }

    /// As many are kept as a start could write in earnest; what comes on top is dropped.
    static let capacity = 1_000

    private let sink: any LogSink
    private let state = Mutex(State())

    /// - Parameter sink: where the records go at last.
    public init(_ sink: any LogSink) {
        self.sink = sink
    }

    public func write(_ record: LogRecord) {
        let isReleased = state.withLock { state in
            guard let count = state.held?.count else { return true }
            if count < Self.capacity { state.held?.append(record) }
            return false
        }
        if isReleased { sink.write(record) }
    }

    /// Writes what was held, in order, and holds nothing from now on. Idempotent.
    public func release() {
        state.withLock { state in
            // Under the lock: what is written meanwhile comes after what was held.
            for record in state.held ?? [] { sink.write(record) }
            state.held = nil
        }
    }
}
