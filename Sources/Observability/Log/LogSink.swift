import Glibc
import Synchronization

/// Where log records go. Called from any thread, with no lock of the log held.
public protocol LogSink: Sendable {
    func write(_ record: LogRecord)
}

/// Writes lines to a file descriptor, standard error by default, one after the other and never interleaved.
public final class DescriptorSink: LogSink {
    private let format: LogFormat
    private let descriptor: Mutex<CInt>

    /// The descriptor stays the caller's, and open while the sink is used.
    public init(format: LogFormat, descriptor: CInt = 2) {
        self.format = format
        self.descriptor = Mutex(descriptor)
    }

    /// A line that can't be written is lost: there is nowhere to report it.
    public func write(_ record: LogRecord) {
        let line = format.line(record)
        descriptor.withLock { descriptor in
            var written = 0
            while written < line.count {
                let count = unsafe line[written...].withUnsafeBytes { bytes in
                    unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
                }
                if count > 0 {
                    written += count
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}

/// Keeps records, for tests to look at.
public final class MemorySink: LogSink {
    private let kept = Mutex<[LogRecord]>([])

    public init() {}

    /// What was written so far, in order.
    public var records: [LogRecord] {
        kept.withLock { $0 }
    }

    public func write(_ record: LogRecord) {
        kept.withLock { $0.append(record) }
    }
}
