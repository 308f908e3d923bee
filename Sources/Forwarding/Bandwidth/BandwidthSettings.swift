public import Wire

/// Bounds of an estimate.
public struct BandwidthSettings: Sendable, Hashable, BitwiseCopyable {
    /// The estimate before anything is known.
    public var start = Bitrate(bitsPerSecond: 300_000)
    public var lowest = Bitrate(bitsPerSecond: 30_000)
    public var highest = Bitrate(bitsPerSecond: 100_000_000)
    /// Packets leave this many times as fast as the estimate, so that a key frame isn't late.
    public var pacingFactor = 2.5
    /// The same for some seconds after the link was full: a key frame that is sent faster than the link carries only
    /// waits in its queue, and looks like congestion.
    public var tightPacingFactor = 1.5
    /// Packets whose feedback may be outstanding; 16 bytes each.
    public var historyPackets = 2_048

    public init() {}
}

/// What an estimate is made of, for `getStats` and metrics.
public struct BandwidthStatistics: Sendable, Hashable, BitwiseCopyable {
    public var target: Bitrate
    public var delayBased: Bitrate
    /// `nil` while loss sets no bound.
    public var lossBased: Bitrate?
    /// What comes through; `nil` in the first moments.
    public var acknowledged: Bitrate?
    /// Share of packets lost lately, and the part of it that doesn't depend on the rate.
    public var loss: Double
    public var inherentLoss: Double
    /// How long packets wait on the way.
    public var queueing: Duration
    /// Sent, and not yet reported on.
    public var bytesInFlight: Int
    public var isOverused: Bool
    /// Much less is sent than the target.
    public var isAppLimited: Bool
}
