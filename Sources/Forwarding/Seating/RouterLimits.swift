/// What a session's settings say about who is seen and heard.
public struct RouterLimits: Sendable, Hashable, BitwiseCopyable {
    /// Video seats of a viewer that are filled at the most.
    public var maxVideoSeats: Int
    /// Voices that are forwarded at once.
    public var maxAudible: Int

    public init(maxVideoSeats: Int = 25, maxAudible: Int = 5) {
        self.maxVideoSeats = maxVideoSeats
        self.maxAudible = maxAudible
    }
}
