import FixedCollections

/// How things stood in the course of a run, about once a second.
public struct TimeSeries: Sendable {
    /// What happened between the last row and this one.
    public struct Row: Sendable, Equatable {
        /// Since the first join.
        public var seconds: Double
        public var participants: Int
        public var sentRate: Double
        public var receivedRate: Double
        public var receivedMegabits: Double
        public var lossPercent: Double
        /// Milliseconds; nil if nothing came.
        public var delayP50: Double?
        public var delayP99: Double?
        public var freezes: UInt64
        public var clientLoadPercent: Double
        /// Nil if the server's process isn't watched.
        public var serverCPUPercent: Double?
    }

    public private(set) var rows: [Row] = []
    /// The part that figures are of, seconds since the first join; nil if none was.
    public private(set) var measured: ClosedRange<Double>?
    private let start: Instant
    private var last: (snapshot: Fleet.Snapshot, server: ServerUse?)?

    init(start: Instant) {
        self.start = start
    }

    /// Adds a row, from the second snapshot on.
    mutating func add(_ now: Fleet.Snapshot, server: ServerUse?) {
        defer { last = (now, server) }
        guard let last, now.at > last.snapshot.at else { return }
        let span = Double((now.at - last.snapshot.at).wholeNanoseconds) / 1e9
        var window = now.totals
        window.subtract(last.snapshot.totals)
        let delay = window.delay
        var cpu: Double?
        if let server, let before = last.server {
            cpu = (server.cpuSeconds - before.cpuSeconds) * 100 / span
        }
        let used = zip(now.used, last.snapshot.used).map { ($0 - $1) / (now.at - last.snapshot.at) }.max()
        rows.append(
            Row(
                seconds: Double((now.at - start).wholeNanoseconds) / 1e9, participants: now.connected,
                sentRate: Double(window.sent) / span, receivedRate: Double(window.received) / span,
                receivedMegabits: Double(window.receivedAudio.bytes + window.receivedVideo.bytes) * 8 / 1e6
                    / span,
                lossPercent: Double(window.lost) * 100 / Double(max(1, window.expected)),
                delayP50: delay.percentile(0.5).map { Double($0.wholeNanoseconds) / 1e6 },
                delayP99: delay.percentile(0.99).map { Double($0.wholeNanoseconds) / 1e6 },
                freezes: window.freezes, clientLoadPercent: (used ?? 0) * 100, serverCPUPercent: cpu))
    }

    /// Notes what figures are of.
    mutating func measure(from first: Instant, to last: Instant) {
        func seconds(_ time: Instant) -> Double { Double((time - start).wholeNanoseconds) / 1e9 }
        measured = seconds(first)...max(seconds(first), seconds(last))
    }

    /// As comma-separated values with a line of names; what isn't known is empty.
    public var csv: String {
        var lines = [
            "seconds,participants,sentPacketRate,receivedPacketRate,receivedMegabits,lossPercent,p50DelayMs,"
                + "p99DelayMs,freezes,clientLoadPercent,serverCpuPercent"
        ]
        for row in rows {
            let numbers: [Double?] = [
                row.seconds, Double(row.participants), row.sentRate, row.receivedRate, row.receivedMegabits,
                row.lossPercent, row.delayP50, row.delayP99, Double(row.freezes), row.clientLoadPercent,
                row.serverCPUPercent,
            ]
            lines.append(
                numbers.map { $0.map { "\(($0 * 1_000).rounded() / 1_000)" } ?? "" }.joined(separator: ","))
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
