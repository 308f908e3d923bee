import Synchronization

/// Where an answer is awaited. Answered exactly once.
struct Reply<Value: Sendable>: Sendable {
    private let take: @Sendable (Value) -> Void

    init(_ take: @escaping @Sendable (Value) -> Void) {
        self.take = take
    }

    init(_ continuation: CheckedContinuation<Value, Never>) {
        take = { continuation.resume(returning: $0) }
    }

    func callAsFunction(_ value: Value) {
        take(value)
    }
}

/// Answers of several workers to one question, in the order in which they were asked.
final class GatheredReplies<Value: Sendable>: Sendable {
    private let state: Mutex<(values: [Value?], missing: Int)>
    private let continuation: CheckedContinuation<[Value], Never>

    /// - Parameter count: answers that are awaited, at least one.
    init(_ count: Int, _ continuation: CheckedContinuation<[Value], Never>) {
        state = Mutex((Array(repeating: nil, count: count), count))
        self.continuation = continuation
    }

    func reply(_ place: Int) -> Reply<Value> {
        Reply { self.take($0, at: place) }
    }

    private func take(_ value: Value, at place: Int) {
        let all: [Value]? = state.withLock { state in
            state.values[place] = value
            state.missing -= 1
            return state.missing == 0 ? state.values.compactMap { $0 } : nil
        }
        if let all { continuation.resume(returning: all) }
    }
}
