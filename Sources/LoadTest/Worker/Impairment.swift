import FixedCollections

/// What a participant's own network does to its packets, each way.
public struct NetworkPlan: Codable, Sendable, Equatable {
    public var lossPercent: Double?
    public var delayMs: Double?
    /// Up to so much more than `delayMs`, evenly spread; packets don't overtake each other.
    public var jitterMs: Double?
    public var rateBps: Int?

    public init() {}

    var isPerfect: Bool {
        (lossPercent ?? 0) == 0 && (delayMs ?? 0) == 0 && (jitterMs ?? 0) == 0 && rateBps == nil
    }
}

/// One direction of a bad network: says when a packet arrives, if it does. Does no waiting itself.
struct Impairment {
    /// What waits for longer than this is dropped, as a router's queue would.
    static let longestQueue = Duration.milliseconds(500)

    private let loss: Double
    private let delay: Duration
    private let jitter: Double
    private let rate: Int?
    private var random: SeededRandom
    /// When the link is free again.
    private var free = Instant.zero
    private var last = Instant.zero
    private(set) var dropped: UInt64 = 0

    init(_ plan: NetworkPlan, seed: UInt64) {
        loss = (plan.lossPercent ?? 0) / 100
        delay = .microseconds(Int64((plan.delayMs ?? 0) * 1_000))
        jitter = (plan.jitterMs ?? 0) * 1_000
        rate = plan.rateBps
        random = SeededRandom(seed: seed)
    }

    /// When a packet of so many bytes, sent now, arrives; nil if it is lost.
    mutating func arrival(ofBytes count: Int, now: Instant) -> Instant? {
        // One number is drawn for each packet, whatever becomes of it, so that a seed means the same packets.
        let (luck, wobble) = (random.unit(), random.unit())
        guard luck >= loss else {
            dropped += 1
            return nil
        }
        var leaves = now
        if let rate {
            leaves = max(now, free)
            guard leaves - now <= Self.longestQueue else {
                dropped += 1
                return nil
            }
            leaves += .nanoseconds(Int64(count) * 8 * 1_000_000_000 / Int64(max(1, rate)))
            free = leaves
        }
        last = max(last, leaves + delay + .nanoseconds(Int64(jitter * wobble * 1_000)))
        return last
    }
}

/// Packets on their way through a bad network, in order of arrival.
struct PacketQueue {
    private var packets: [(at: Instant, bytes: [UInt8])] = []
    private var head = 0

    var nextArrival: Instant { head < packets.count ? packets[head].at : .distantFuture }

    mutating func append(_ bytes: [UInt8], at arrival: Instant) {
        packets.append((arrival, bytes))
    }

    /// The next packet that has arrived.
    mutating func pop(now: Instant) -> [UInt8]? {
        guard head < packets.count, packets[head].at <= now else { return nil }
        defer {
            head += 1
            if head == packets.count || head > 1_024 {
                packets.removeFirst(head)
                head = 0
            }
        }
        return packets[head].bytes
    }
}
