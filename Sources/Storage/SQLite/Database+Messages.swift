import Meeting

extension Database {
    func addMessage(_ message: StoredMessage) throws(StoreError) {
        guard try !has("SELECT 1 FROM messages WHERE id = ?", .text(message.id)) else {
            throw .exists(.message(message.id))
        }
        let key = ConversationKey(message.conversation)
        try run(
            """
            INSERT INTO messages (id, place, first_id, second_id, sender_uid, sender_name, category, type, text,
                data, metadata, sent_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(message.id), .word(key.place), .text(key.first), .text(key.second),
            .text(message.sender.uid), .text(message.sender.name), .word(message.category),
            .text(message.type), .optional(message.text), .optional(message.data),
            .optional(message.metadata), .integer(message.sentAt))
    }

    func message(_ id: String) throws(StoreError) -> StoredMessage? {
        try first(Self.allMessages + " WHERE id = ?", .text(id), make: Self.makeMessage)
    }

    func history(_ request: HistoryRequest) throws(StoreError) -> [StoredMessage] {
        try request.check()
        let key = ConversationKey(request.conversation).values
        let limit = SQLValue.integer(request.limit)
        switch request.before {
        case .latest:
            return try rows(Self.latestHistory, key + [limit], Self.makeMessage)
        case .time(let time):
            return try rows(Self.historyBeforeTime, key + [.integer(time), limit], Self.makeMessage)
        case .message(let id):
            let end = try rows(
                "SELECT sent_at, number FROM messages WHERE place = ? AND first_id = ? AND second_id = ? AND id = ?",
                key + [.text(id)]
            ) { (row) throws(StoreError) in [SQLValue.integer(row.integer(0)), .integer(row.integer(1))] }
            guard let end = end.first else { throw .notFound(.message(id)) }
            return try rows(Self.historyBeforeMessage, key + end + [limit], Self.makeMessage)
        }
    }

    func deleteMessage(_ id: String) throws(StoreError) {
        guard try run("DELETE FROM messages WHERE id = ?", .text(id)) == 1 else {
            throw .notFound(.message(id))
        }
    }

    func deleteMessages(of conversation: Conversation) throws(StoreError) -> Int {
        let key = ConversationKey(conversation)
        return try run(
            """
            DELETE FROM messages WHERE number IN (
                SELECT number FROM messages WHERE place = ? AND first_id = ? AND second_id = ?
                ORDER BY sent_at, number LIMIT ?)
            """,
            .word(key.place), .text(key.first), .text(key.second), .integer(StoreLimit.deletionsAtOnce))
    }

    static let latestHistory = ofConversation + latestFirst
    static let historyBeforeTime = ofConversation + " AND sent_at < ?" + latestFirst
    static let historyBeforeMessage = ofConversation + " AND (sent_at, number) < (?, ?)" + latestFirst

    private static let ofConversation =
        allMessages + " WHERE place = ? AND first_id = ? AND second_id = ?"
    private static let latestFirst: SQL = " ORDER BY sent_at DESC, number DESC LIMIT ?"
    private static let allMessages: SQL = """
        SELECT id, place, first_id, second_id, sender_uid, sender_name, category, type, text, data, metadata, sent_at
        FROM messages
        """

    private static func makeMessage(_ row: Row) throws(StoreError) -> StoredMessage {
        let key = ConversationKey(
            place: try row.word(1), first: try row.text(2), second: try row.text(3))
        return StoredMessage(
            id: try row.text(0), conversation: key.conversation,
            sender: StoredMessage.Sender(uid: try row.text(4), name: try row.text(5)),
            category: try row.word(6), type: try row.text(7), text: row.optionalText(8),
            data: row.optionalText(9), metadata: row.optionalText(10), sentAt: row.integer(11))
    }
}

/// A conversation as the columns have it.
struct ConversationKey {
    enum Place: String {
        case session, group, direct
    }

    var place: Place
    var first: String
    /// Empty except between two users.
    var second: String

    var values: [SQLValue] { [.word(place), .text(first), .text(second)] }

    var conversation: Conversation {
        switch place {
        case .session: .session(first)
        case .group: .group(first)
        case .direct: .direct(between: first, and: second)
        }
    }
}

extension ConversationKey {
    init(_ conversation: Conversation) {
        switch conversation {
        case .session(let id): self.init(place: .session, first: id, second: "")
        case .group(let guid): self.init(place: .group, first: guid, second: "")
        case .direct(let one, let other):
            self.init(place: .direct, first: min(one, other), second: max(one, other))
        }
    }
}
