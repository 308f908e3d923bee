/// A lasting circle of users; its `guid` is also the id of the session in which they meet.
public struct Group: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        /// Anybody may become a member.
        case `public`
        /// Members are added by those who may.
        case `private`
        /// Anybody who knows the password may become a member.
        case password
    }

    public var guid: String
    public var name: String
    public var kind: Kind
    /// What the password of a `password` group is compared with. Never leaves the server.
    public var passwordHash: String?
    /// The uid of the one member whose scope is `owner`; nil if a back end made the group for nobody.
    public var owner: String?
    /// Places in the group's session, if they differ from the server's default.
    public var maxParticipants: Int?
    /// JSON text.
    public var metadata: String?

    public init(
        guid: String, name: String, kind: Kind = .public, passwordHash: String? = nil, owner: String? = nil,
        maxParticipants: Int? = nil, metadata: String? = nil
    ) {
        self.guid = guid
        self.name = name
        self.kind = kind
        self.passwordHash = passwordHash
        self.owner = owner
        self.maxParticipants = maxParticipants
        self.metadata = metadata
    }
}
