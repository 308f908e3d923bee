public import Meeting

/// Which part of a conversation's history is wanted.
public struct HistoryRequest: Sendable, Equatable {
    /// Where the part ends.
    public enum End: Sendable, Equatable {
        /// With the latest message.
        case latest
        /// Just before the message of this id, which must be of the conversation.
        case message(String)
        /// Just before this moment, milliseconds since 1970.
        case time(Int64)
    }

    /// The most messages at once.
    public static let mostMessages = 100

    public var conversation: Conversation
    public var before: End
    /// Messages, 1 to `mostMessages`.
    public var limit: Int

    public init(of conversation: Conversation, before: End = .latest, limit: Int = 30) {
        self.conversation = conversation
        self.before = before
        self.limit = limit
    }

    func check() throws(StoreError) {
        guard (1...Self.mostMessages).contains(limit) else {
            throw .invalid(parameter: "limit", reason: "must be 1 to \(Self.mostMessages)")
        }
    }
}
