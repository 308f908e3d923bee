public import Wire

/// What bandwidth allocation lets a seat have, and why not more.
public struct SeatAllotment: Hashable, Sendable, BitwiseCopyable {
    /// The best layer that may be sent: encoding by its place among the publication's, spatial and temporal.
    public var encoding: UInt8 = .max
    public var spatial: UInt8 = .max
    public var temporal: UInt8 = .max
    /// Nothing may be sent.
    public var isPaused = false
    /// `nil`: it is the best that there is.
    public var reason: LayerReason?
    /// What the next better layer would take in place of this one, if bitrate is what is missing.
    public var needed: Bitrate?

    public init() {}
}
