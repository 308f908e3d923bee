import Synchronization

/// How many lines of one kind may be written in a while.
public struct LogLimit: Hashable, Sendable {
    /// At least 1.
    public var lines: Int
    public var window: Duration

    public init(lines: Int, window: Duration) {
        self.lines = max(1, lines)
        self.window = window
    }

    /// What a call site gets unless it asks otherwise.
    public static let site = LogLimit(lines: 100, window: .seconds(10))
    /// For what a peer can cause at will.
    public static let hostile = LogLimit(lines: 1, window: .seconds(10))
}

/// Counts lines by key in fixed windows. Bounded: when too many keys are alive, new ones share a window.
final class LogLimiter: Sendable {
    private struct Window {
        var endsAt: Int64
        var lines = 0
        var suppressed = 0
    }

    /// Keys alive at once.
    static let capacity = 1_024

    private struct State {
        var windows: [String: Window] = [:]
        /// When the first of the windows ends: looking for finished ones before that is in vain.
        var sweepAt = Int64.max
    }

    private let state = Mutex(State())

    /// Nil if a line at `now` (milliseconds) must not be written, else how many were suppressed before it.
    func admit(_ key: String, limit: LogLimit, now: Int64) -> Int? {
        state.withLock { state in
            let key = Self.room(for: key, in: &state, now: now)
            let length = Int64(limit.window / .milliseconds(1))
            var window = state.windows[key] ?? Window(endsAt: now + length)
            // A clock that was set back must not silence a call site until it has caught up.
            let isOver = now >= window.endsAt || window.endsAt - now > length
            if isOver { window = Window(endsAt: now + length, suppressed: window.suppressed) }
            defer {
                state.windows[key] = window
                state.sweepAt = min(state.sweepAt, window.endsAt)
            }
            guard window.lines < limit.lines else {
                window.suppressed += 1
                return nil
            }
            window.lines += 1
            defer { window.suppressed = 0 }
            return window.suppressed
        }
    }

    private static func room(for key: String, in state: inout State, now: Int64) -> String {
        guard state.windows[key] == nil, state.windows.count >= capacity else { return key }
        guard now >= state.sweepAt else { return "" }
        state.windows = state.windows.filter { $0.value.endsAt > now }
        state.sweepAt = state.windows.values.map(\.endsAt).min() ?? .max
        return state.windows.count < capacity ? key : ""
    }
}
