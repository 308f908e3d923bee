import Forwarding
public import Wire

/// How media is carried; the same for all workers.
public struct MediaSettings: Sendable {
    public enum Sealer: Sendable {
        case auto, multiBuffer, openSSL
    }

    /// Where the UDP and the TCP port are opened; `::` for all addresses of both families.
    public var host: SocketAddress
    /// Addresses put into candidates, without ports; empty: those of the machine's interfaces.
    public var advertise: [SocketAddress]
    /// Whether loopback addresses are among the candidates when `advertise` is empty.
    public var advertisesLoopback: Bool
    public var workers: Int
    /// Share of time that a session's home worker is busy from which on newcomers go to other workers. 0: always, in turn;
    /// 1: never.
    public var spreadAbove: Double
    /// The longest that a busy worker gathers packets before it sends them.
    public var maxCoalesce: Duration
    public var socketBufferBytes: Int
    public var usesSegmentationOffload: Bool
    public var usesIPv6: Bool
    public var usesTCP: Bool
    /// Whether viewers' links are estimated and obeyed; else only limits hold, and what viewers want.
    public var estimatesBandwidth: Bool
    public var sealer: Sealer
    /// Transports a worker.
    public var maxTransports: Int
    /// Seats of all viewers of a worker, and packets that it keeps.
    public var maxSeats: Int
    public var maxPackets: Int
    public var cacheVideo: Duration
    public var cacheAudio: Duration
    /// Seats of one viewer.
    public var maxVideoSeats: Int
    public var maxAudioSeats: Int
    /// What is to be done wrong, in tests; nil: nothing.
    public var faults: MediaFaults?

    public init(host: SocketAddress) {
        self.host = host
        advertise = []
        advertisesLoopback = false
        workers = 1
        spreadAbove = 0.7
        maxCoalesce = .milliseconds(5)
        socketBufferBytes = 8 << 20
        usesSegmentationOffload = true
        usesIPv6 = true
        usesTCP = true
        estimatesBandwidth = false
        sealer = .auto
        maxTransports = 2_048
        maxSeats = 65_536
        maxPackets = 65_536
        cacheVideo = .seconds(2)
        cacheAudio = .seconds(1)
        maxVideoSeats = 25
        maxAudioSeats = 50
    }

    /// Workers, the first ones, that may host a session together.
    var hosts: Int { spreadAbove < 1 ? min(workers, RelayTargets.limit) : 1 }
}

/// Why the media workers could not start: one line to show.
public struct MediaStartError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
