import FixedCollections
import Wire

/// What became of a probe cluster's packets.
struct ProbeMeasurement: BitwiseCopyable {
    /// A share of the cluster that must have arrived.
    private static var leastReceived: Double { 0.6 }
    private static var leastPackets: Int { 4 }
    private static var longest: Double { 1 }

    let id: UInt16
    /// Bits a second at which it was meant to be sent.
    let rate: Double
    let expectedBytes: Int
    let isCheck: Bool

    private var packets = 0
    private var bytes = 0
    private var firstSent = Int64.max
    private var lastSent = Int64.min
    private var firstArrival = Int64.max
    private var lastArrival = Int64.min
    // What doesn't count between the first and the last of them.
    private var lastSentBytes = 0
    private var firstArrivedBytes = 0
    /// Whether its result was taken.
    var isFinished = false

    init(_ cluster: ProbeCluster) {
        id = cluster.id
        rate = Double(cluster.bitrate.bitsPerSecond)
        expectedBytes = cluster.bytes
        isCheck = cluster.isCheck
    }

    mutating func add(bytes size: Int, sent: Instant, arrival: Instant) {
        packets += 1
        bytes += size
        firstSent = min(firstSent, sent.nanoseconds)
        if sent.nanoseconds >= lastSent {
            lastSent = sent.nanoseconds
            lastSentBytes = size
        }
        lastArrival = max(lastArrival, arrival.nanoseconds)
        if arrival.nanoseconds < firstArrival {
            firstArrival = arrival.nanoseconds
            firstArrivedBytes = size
        }
    }

    /// What the link carried, in bits a second; `nil` while too little has arrived, or nothing can be told from it.
    var result: Double? {
        guard packets >= Self.leastPackets, Double(bytes) >= Self.leastReceived * Double(expectedBytes) else {
            return nil
        }
        let sending = Double(lastSent - firstSent) / 1e9
        let arriving = Double(lastArrival - firstArrival) / 1e9
        guard sending > 0, arriving > 0, sending < Self.longest, arriving < Self.longest else { return nil }
        let sent = Double(bytes - lastSentBytes) * 8 / sending
        let received = Double(bytes - firstArrivedBytes) * 8 / arriving
        // It can't come faster than it was sent: what held it up let it go at once.
        guard received < 2 * sent else { return nil }
        // Stretched on the way: that is what the link carries; a little less lets the burst's queue drain.
        return received < 0.9 * sent ? 0.95 * received : min(sent, received)
    }
}
