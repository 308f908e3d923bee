public import FixedCollections
public import Wire

/// Spreads packets over time: a budget of bytes that fills at the pacing rate.
///
/// Audio is never held back, but charged. The others wait, in the order of `PacketKind`, until the budget is above 0; a packet
/// may overdraw it. Padding goes out for a probe only. The caller keeps the queue, and tells how long it is:
///
///     pacer.update(rate: estimator.pacingRate, queued: bytes, at: now)
///     while let packet = first of the queue, pacer.allows(packet.kind) { … send; pacer.sent(…) }
///     … come back at pacer.nextSend
public struct Pacer: Sendable, BitwiseCopyable {
    /// Seconds of the rate that may leave at once: a turn.
    private static var burst: Double { 0.005 }
    /// Seconds after which a queue is empty at the latest, whatever the rate.
    private static var longestQueue: Double { 1 }

    private var rate: Double
    private var bits = 0.0
    private var updatedAt: Instant
    private var probe: ProbeCluster?
    private var probeBytesLeft = 0
    private var probePacketsLeft = 0

    public init(rate: Bitrate, at now: Instant) {
        self.rate = Double(rate.bitsPerSecond)
        updatedAt = now
    }

    /// Sends a probe from now on: the budget fills at its rate until it is through.
    public mutating func begin(_ cluster: ProbeCluster) {
        probe = cluster
        probeBytesLeft = cluster.bytes
        probePacketsLeft = cluster.packets
        bits = min(bits, 0)
    }

    /// A probe is being sent.
    public var isProbing: Bool { probe != nil }

    /// Bytes of padding to send now, if nothing else waits; 0 for none.
    public var paddingWanted: Int {
        probe == nil || bits <= 0 ? 0 : max(probeBytesLeft, 1)
    }

    /// Fills the budget up to now.
    public mutating func update(rate target: Bitrate, queued: Int, at now: Instant) {
        let elapsed = max(Double(now.nanoseconds - updatedAt.nanoseconds) / 1e9, 0)
        updatedAt = now
        let drain = Double(queued) * 8 / Self.longestQueue
        rate = max(Double(target.bitsPerSecond), drain, 1_000)
        if let probe { rate = Double(probe.bitrate.bitsPerSecond) }
        bits = min(bits + rate * elapsed, rate * Self.burst)
    }

    public func allows(_ kind: PacketKind) -> Bool {
        switch kind {
        case .audio: true
        case .retransmission, .video: bits > 0
        case .padding: paddingWanted > 0
        }
    }

    public mutating func sent(bytes: Int) {
        bits -= Double(bytes) * 8
        guard probe != nil else { return }
        probeBytesLeft -= bytes
        probePacketsLeft -= 1
        if probeBytesLeft <= 0, probePacketsLeft <= 0 { probe = nil }
    }

    /// When the budget is above 0 again.
    public var nextSend: Instant {
        bits > 0 ? updatedAt : updatedAt + .nanoseconds(Int64(-bits / rate * 1e9) + 1)
    }
}
