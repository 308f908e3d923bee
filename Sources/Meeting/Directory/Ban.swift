/// Keeps a user out of a group.
public struct Ban: Sendable, Equatable {
    public var uid: String
    /// Milliseconds since 1970.
    public var bannedAt: Int64
    /// From when on the ban holds no longer, milliseconds since 1970; nil: until somebody lifts it.
    public var until: Int64?

    public init(uid: String, bannedAt: Int64, until: Int64? = nil) {
        self.uid = uid
        self.bannedAt = bannedAt
        self.until = until
    }

    /// Whether the user is kept out at `now`, milliseconds since 1970.
    public func holds(at now: Int64) -> Bool {
        until.map { now < $0 } ?? true
    }
}
