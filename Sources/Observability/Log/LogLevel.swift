/// How much a log line matters, the most important first.
public enum LogLevel: String, CaseIterable, Sendable, Comparable {
    /// Something failed that an operator should look at.
    case error
    /// Something is odd, and the server copes.
    case warning
    /// What happens in normal operation.
    case info
    /// What helps to find a fault.
    case debug

    /// Less means more important.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int {
        switch self {
        case .error: 0
        case .warning: 1
        case .info: 2
        case .debug: 3
        }
    }
}
