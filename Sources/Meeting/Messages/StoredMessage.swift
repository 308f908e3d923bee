/// A message that is kept: it can be read again in its conversation's history.
public struct StoredMessage: Sendable, Equatable {
    public enum Category: String, Sendable, CaseIterable {
        /// Data whose meaning the apps know; `meeting` cards are of this category.
        case custom
        case text
    }

    /// Who sent it, under the name of that moment: it stays when the user is renamed or deleted.
    public struct Sender: Sendable, Equatable {
        public var uid: String
        public var name: String

        public init(uid: String, name: String) {
            self.uid = uid
            self.name = name
        }
    }

    /// Unique among all messages; made up by the caller.
    public var id: String
    public var conversation: Conversation
    public var sender: Sender
    public var category: Category
    /// A word of the sender's choice: `chat`, `meeting`, …
    public var type: String
    public var text: String?
    /// JSON text: `customData` of a custom message, `data` of a text message.
    public var data: String?
    /// JSON text.
    public var metadata: String?
    /// Milliseconds since 1970.
    public var sentAt: Int64

    public init(
        id: String, conversation: Conversation, sender: Sender, category: Category, type: String,
        text: String? = nil, data: String? = nil, metadata: String? = nil, sentAt: Int64
    ) {
        self.id = id
        self.conversation = conversation
        self.sender = sender
        self.category = category
        self.type = type
        self.text = text
        self.data = data
        self.metadata = metadata
        self.sentAt = sentAt
    }
}
