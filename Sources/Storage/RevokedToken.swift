/// A token that isn't valid any more although it hasn't expired.
public struct RevokedToken: Sendable, Equatable {
    /// The token's `jti`.
    public var id: String
    /// When the token expires by itself, milliseconds since 1970; from then on the entry is needless.
    public var expiresAt: Int64

    public init(id: String, expiresAt: Int64) {
        self.id = id
        self.expiresAt = expiresAt
    }
}
