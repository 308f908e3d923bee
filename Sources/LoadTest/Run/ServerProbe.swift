import Glibc

/// Watches the server's process, when it runs on this machine.
public struct ServerProbe: Sendable {
    private let process: Int

    public init(process: Int) {
        self.process = process
    }

    /// What the process has used so far; nil if there is no such process.
    public func read() -> ServerUse? {
        // Fields are counted behind the name, which is in parentheses and may hold anything.
        guard let text = Self.file("/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else {
            return nil
        }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 21, let user = Double(fields[11]), let system = Double(fields[12]),
            let pages = Double(fields[21])
        else { return nil }
        return ServerUse(
            cpuSeconds: (user + system) / Double(sysconf(Int32(_SC_CLK_TCK))),
            residentBytes: pages * Double(sysconf(Int32(_SC_PAGESIZE))))
    }

    /// How many datagrams the kernel has dropped on this machine because some socket's buffer was full.
    public static func droppedDatagrams() -> Int? {
        guard let text = file("/proc/net/snmp") else { return nil }
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("Udp: ") }.map {
            $0.split(separator: " ")
        }
        guard lines.count == 2, let column = lines[0].firstIndex(of: "RcvbufErrors"), column < lines[1].count
        else { return nil }
        return Int(lines[1][column])
    }

    /// The text of a small file; nil if it can't be read.
    static func file(_ path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < 4 << 20 {
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// What the server says of itself, and what its process used, between two moments.
public struct ServerFigures: Sendable {
    /// Nil if the process isn't watched.
    public var use: ServerUse?
    /// By the names of `/metrics`; empty if it can't be read.
    public var metrics: [String: Double]
    /// Of each media thread, as it says.
    public var workers: [MetricsPage.Worker]
    /// Datagrams that this machine's kernel dropped for want of room in a socket's buffer; nil if it doesn't say.
    public var kernelDrops: Int?

    public init(
        use: ServerUse? = nil, metrics: [String: Double] = [:], workers: [MetricsPage.Worker] = [],
        kernelDrops: Int? = nil
    ) {
        self.use = use
        self.metrics = metrics
        self.workers = workers
        self.kernelDrops = kernelDrops
    }

    static func read(_ flags: LoadFlags, _ probe: ServerProbe?) -> ServerFigures {
        let page = ServerAddress(flags.server).flatMap { HTTPFetch.get("/metrics", from: $0) }
        let text = page.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let metrics = MetricsPage(text)
        return ServerFigures(
            use: probe?.read(), metrics: metrics.values, workers: metrics.workers,
            kernelDrops: ServerProbe.droppedDatagrams())
    }

    /// What was added since an earlier moment; memory, and what isn't a total, as it is now.
    func since(_ earlier: ServerFigures) -> ServerFigures {
        var result = self
        if let use, let before = earlier.use {
            result.use = ServerUse(
                cpuSeconds: use.cpuSeconds - before.cpuSeconds, residentBytes: use.residentBytes)
        }
        if let before = earlier.kernelDrops { result.kernelDrops = kernelDrops.map { $0 - before } }
        for (name, value) in earlier.metrics where result.metrics[name] != nil && name.hasSuffix("_total") {
            result.metrics[name, default: 0] -= value
        }
        return result
    }
}
