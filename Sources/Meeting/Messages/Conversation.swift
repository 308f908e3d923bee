/// Where messages belong together: their history is read as one.
public enum Conversation: Sendable, Hashable {
    /// Of a session that isn't a group, by sessionId.
    case session(String)
    /// Of a group, by guid.
    case group(String)
    /// Between two users, by uid. Their order doesn't matter: use `direct(between:and:)`.
    case direct(lower: String, higher: String)

    /// The conversation of two users, the same from either side.
    public static func direct(between one: String, and other: String) -> Conversation {
        one < other ? .direct(lower: one, higher: other) : .direct(lower: other, higher: one)
    }
}
