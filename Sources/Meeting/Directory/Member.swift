/// A user's place in a group.
public struct Member: Sendable, Equatable {
    public var uid: String
    public var scope: Scope
    /// When the user became a member, milliseconds since 1970.
    public var joinedAt: Int64

    public init(uid: String, scope: Scope = .participant, joinedAt: Int64) {
        self.uid = uid
        self.scope = scope
        self.joinedAt = joinedAt
    }
}
