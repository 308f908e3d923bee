/// The counters and gauges of a Prometheus page, by name; those with labels are summed.
public struct MetricsPage: Sendable {
    /// What the server says of one of its media threads.
    public struct Worker: Sendable, Equatable {
        /// Share of its time that it was busy lately, 0 to 1.
        public var load = 0.0
        public var participants = 0.0
        public var packetsPerSecond = 0.0
        /// The longest that datagrams have lately waited for it.
        public var receiveDelaySeconds = 0.0
    }

    public private(set) var values: [String: Double] = [:]
    /// In the order of their numbers.
    public private(set) var workers: [Worker] = []

    public init(_ text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...])
            else { continue }
            let name = String(line[..<space].prefix { $0 != "{" })
            values[name, default: 0] += value
            note(name, line, value)
        }
    }

    private mutating func note(_ name: String, _ line: Substring, _ value: Double) {
        let field: WritableKeyPath<Worker, Double>
        switch name {
        case "rostrum_worker_load": field = \.load
        case "rostrum_worker_participants": field = \.participants
        case "rostrum_worker_packets_per_second": field = \.packetsPerSecond
        case "rostrum_worker_receive_delay_seconds": field = \.receiveDelaySeconds
        default: return
        }
        guard let quote = line.firstIndex(of: "\"") else { return }
        let digits = line[line.index(after: quote)...].prefix { $0 != "\"" }
        guard let number = Int(digits), (0..<1_024).contains(number) else { return }
        while workers.count <= number { workers.append(Worker()) }
        workers[number][keyPath: field] = value
    }
}
