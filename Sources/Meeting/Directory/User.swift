/// Somebody's profile, as a back end registered it.
public struct User: Sendable, Equatable {
    public var uid: String
    public var name: String
    /// An http(s) address.
    public var avatar: String?
    /// JSON text.
    public var metadata: String?

    public init(uid: String, name: String, avatar: String? = nil, metadata: String? = nil) {
        self.uid = uid
        self.name = name
        self.avatar = avatar
        self.metadata = metadata
    }
}
