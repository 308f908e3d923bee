/// Writes structured log lines. A value: pass it on, with more fields where they are known.
///
/// Each call site is limited to `LogLimit.site`, so that no input can flood the log; the next line written after a
/// pause says how many were `suppressed`. Not for the path of a packet: what a peer sends wrong is counted instead.
public struct Log: Sendable {
    /// Lines that matter less aren't written.
    public let level: LogLevel
    private let sink: any LogSink
    private let limiter: LogLimiter
    private let fields: [(key: String, value: LogValue)]
    private let now: @Sendable () -> Int64

    /// `now` gives milliseconds since 1970 UTC.
    public init(
        level: LogLevel, sink: any LogSink,
        now: @escaping @Sendable () -> Int64 = { Timestamp.now.milliseconds }
    ) {
        self.init(level: level, sink: sink, limiter: LogLimiter(), fields: [], now: now)
    }

    private init(
        level: LogLevel, sink: any LogSink, limiter: LogLimiter, fields: [(key: String, value: LogValue)],
        now: @escaping @Sendable () -> Int64
    ) {
        self.level = level
        self.sink = sink
        self.limiter = limiter
        self.fields = fields
        self.now = now
    }

    /// A log whose lines also carry these fields, before their own.
    public func with(_ fields: KeyValuePairs<String, LogValue>) -> Log {
        let all = self.fields + fields.map { (key: $0.key, value: $0.value) }
        return Log(level: level, sink: sink, limiter: limiter, fields: all, now: now)
    }

    /// Something failed that an operator should look at.
    public func error(
        _ message: @autoclosure () -> String,
        _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:],
        limit: LogLimit = .site, key: String = "", file: StaticString = #fileID, line: UInt = #line
    ) {
        write(.error, message, fields, limit, "\(file):\(line) \(key)")
    }

    /// Something is odd, and the server copes.
    public func warning(
        _ message: @autoclosure () -> String,
        _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:],
        limit: LogLimit = .site, key: String = "", file: StaticString = #fileID, line: UInt = #line
    ) {
        write(.warning, message, fields, limit, "\(file):\(line) \(key)")
    }

    /// What happens in normal operation. `key` gives each of its values a limit of its own at this call site.
    public func info(
        _ message: @autoclosure () -> String,
        _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:],
        limit: LogLimit = .site, key: String = "", file: StaticString = #fileID, line: UInt = #line
    ) {
        write(.info, message, fields, limit, "\(file):\(line) \(key)")
    }

    /// What helps to find a fault.
    public func debug(
        _ message: @autoclosure () -> String,
        _ fields: @autoclosure () -> KeyValuePairs<String, LogValue> = [:],
        limit: LogLimit = .site, key: String = "", file: StaticString = #fileID, line: UInt = #line
    ) {
        write(.debug, message, fields, limit, "\(file):\(line) \(key)")
    }

    private func write(
        _ level: LogLevel, _ message: () -> String, _ fields: () -> KeyValuePairs<String, LogValue>,
        _ limit: LogLimit, _ site: @autoclosure () -> String
    ) {
        guard level <= self.level else { return }
        let at = now()
        guard let suppressed = limiter.admit(site(), limit: limit, now: at) else { return }
        var all = self.fields + fields().map { (key: $0.key, value: $0.value) }
        if suppressed > 0 { all.append((key: "suppressed", value: LogValue(suppressed))) }
        sink.write(LogRecord(at: at, level: level, message: message(), fields: all))
    }
}
