import FixedCollections

/// A packet on a simulated link.
struct LinkPacket {
    /// Whose it is.
    var flow: Int
    /// The flow's name for it.
    var number: Int
    var bytes: Int
}

/// A link of one rate with a queue before it that drops what doesn't fit.
struct Bottleneck {
    struct Departure {
        var packet: LinkPacket
        var at: Int64
        /// Nanoseconds that it waited before its own transmission began.
        var waited: Int64
    }

    private struct Queued {
        var packet: LinkPacket
        var arrived: Int64
    }

    /// (from when, bits a second), in order; the first from 0.
    private let rates: [(from: Int64, rate: Double)]
    private let queueLimit: Int
    private var queue: [Queued] = []
    private var head = 0
    private var queuedBytes = 0
    private var freeAt: Int64 = 0
    private(set) var dropped: [Int: Int] = [:]

    /// - Parameter queueLimit: bytes that may wait.
    init(rates: [(from: Int64, rate: Double)], queueLimit: Int) {
        self.rates = rates
        self.queueLimit = queueLimit
    }

    func rate(at time: Int64) -> Double {
        var rate = rates[0].rate
        for step in rates where step.from <= time { rate = step.rate }
        return rate
    }

    mutating func enqueue(_ packet: LinkPacket, at time: Int64) {
        guard queuedBytes + packet.bytes <= queueLimit else {
            dropped[packet.flow, default: 0] += 1
            return
        }
        queue.append(Queued(packet: packet, arrived: time))
        queuedBytes += packet.bytes
    }

    /// The next packet whose transmission ends by `time`.
    mutating func serve(until time: Int64) -> Departure? {
        guard head < queue.count else { return nil }
        let queued = queue[head]
        let start = max(freeAt, queued.arrived)
        let end = start + Int64(Double(queued.packet.bytes) * 8e9 / rate(at: start))
        guard end <= time else { return nil }
        freeAt = end
        head += 1
        queuedBytes -= queued.packet.bytes
        if head > 1_000 {
            queue.removeFirst(head)
            head = 0
        }
        return Departure(packet: queued.packet, at: end, waited: start - queued.arrived)
    }
}

/// Loss behind the bottleneck: at random, or in bursts (Gilbert's two states).
struct LossPattern {
    /// Chance that a packet is lost, or that a burst begins with it.
    var chance = 0.0
    /// Mean length of a burst; 1 for independent losses.
    var burst = 1.0
    private var isInBurst = false

    init(chance: Double = 0, burst: Double = 1) {
        self.chance = chance
        self.burst = burst
    }

    mutating func loses(_ generator: inout some CoinTosser) -> Bool {
        if isInBurst {
            isInBurst = generator.happens(1 - 1 / burst)
            if isInBurst { return true }
        }
        guard chance > 0, generator.happens(chance) else { return false }
        isInBurst = burst > 1
        return true
    }
}

/// What a loss pattern needs of a generator.
protocol CoinTosser {
    mutating func happens(_ chance: Double) -> Bool
}
