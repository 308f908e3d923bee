import Synchronization

/// Lets one task at a time do something about one key; the others wait in order of their coming.
final class Turnstile: Sendable {
    /// Who waits, by key; a key that nobody holds has no entry.
    private let waiting = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

    /// Runs `body` when all who came before for this key are done.
    func pass<Value>(
        _ key: String, _ body: () async throws(APIError) -> Value
    ) async throws(APIError) -> Value {
        await enter(key)
        defer { leave(key) }
        return try await body()
    }

    private func enter(_ key: String) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isFree = waiting.withLock { waiting in
                guard waiting[key] != nil else {
                    waiting[key] = []
                    return true
                }
                waiting[key]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave(_ key: String) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard waiting[key]?.isEmpty == false else {
                waiting[key] = nil
                return nil
            }
            return waiting[key]?.removeFirst()
        }
        next?.resume()
    }
}
