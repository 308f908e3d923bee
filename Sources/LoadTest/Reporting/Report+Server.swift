/// What the server used between two moments.
public struct ServerUse: Sendable {
    public var cpuSeconds: Double
    public var residentBytes: Double

    public init(cpuSeconds: Double, residentBytes: Double) {
        self.cpuSeconds = cpuSeconds
        self.residentBytes = residentBytes
    }
}

extension Report {
    /// What the process used, as the system says, and what the server says of itself.
    mutating func addServer(_ server: ServerFigures, _ totals: Totals, _ seconds: Double) {
        if let use = server.use {
            add("serverCpu", "server's CPU, of a core", use.cpuSeconds / seconds * 100, .percent)
            if totals.received > 0 {
                add(
                    "serverCpuPerPacket", "server's CPU a forwarded packet",
                    use.cpuSeconds * 1e6 / Double(totals.received), .microseconds)
            }
            add("serverMemory", "server's memory", use.residentBytes / 1e6, .megabytes)
        }
        for (index, worker) in server.workers.enumerated() {
            let (name, label) = ("serverWorker\(index)", "server's thread \(index)")
            add("\(name)Load", "\(label): busy", worker.load * 100, .percent)
            add("\(name)Participants", "\(label): participants", worker.participants, .count)
            add("\(name)PacketRate", "\(label): packets", worker.packetsPerSecond, .perSecond)
            add(
                "\(name)ReceiveDelay", "\(label): datagrams waited", worker.receiveDelaySeconds * 1_000,
                .milliseconds)
        }
        func metric(_ name: String) -> Double? { server.metrics["rostrum_\(name)_total"] }
        if let forwarded = metric("packets_forwarded") {
            add("serverForwarded", "server: packets forwarded", forwarded, .count)
        }
        if let packets = metric("send_segments"), let messages = metric("send_messages"), messages > 0 {
            add("serverBatch", "server: packets a message", packets / messages, .ratio)
        }
        if let dropped = metric("datagrams_dropped_by_kernel") {
            add("serverKernelDrops", "server: dropped by its kernel", dropped, .count)
        }
        if let dropped = metric("datagrams_send_dropped") {
            add("serverSendDrops", "server: dropped when sending", dropped, .count)
        }
        if let late = metric("packets_late") {
            add("serverLate", "server: too late, dropped unopened", late, .count)
        }
        if let dropped = server.kernelDrops {
            add("kernelDrops", "dropped by this machine's kernel", Double(dropped), .count)
        }
    }

    /// The totals of the server's that are looked at, without prefix and suffix.
    static let serverMetrics = [
        "packets_forwarded", "send_segments", "send_messages", "datagrams_dropped_by_kernel",
        "datagrams_send_dropped", "packets_late",
    ]
}
