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

    private let windows = Mutex<[String: Window]>([:])

    /// Nil if a line at `now` (milliseconds) must not be written, else how many were suppressed before it.
    func admit(_ key: String, limit: LogLimit, now: Int64) -> Int? {
        windows.withLock { windows in
            let key = Self.room(for: key, in: &windows, now: now)
            let length = Int64(limit.window / .milliseconds(1))
            var window = windows[key] ?? Window(endsAt: now + length)
            // A clock that was set back must not silence a call site until it has caught up.
            let isOver = now >= window.endsAt || window.endsAt - now > length
            if isOver { window = Window(endsAt: now + length, suppressed: window.suppressed) }
            defer { windows[key] = window }
            guard window.lines < limit.lines else {
                window.suppressed += 1
                return nil
            }
            window.lines += 1
            defer { window.suppressed = 0 }
            return window.suppressed
        }
    }

    private static func room(for key: String, in windows: inout [String: Window], now: Int64) -> String {
        guard windows[key] == nil, windows.count >= capacity else { return key }
        windows = windows.filter { $0.value.endsAt > now }
        return windows.count < capacity ? key : ""
    }
}
