import JSON
import Meeting

/// A kept message as the API shows it.
struct StoredMessageObject: Encodable, Sendable {
    struct Sender: Encodable, Sendable {
        let uid: String
        let name: String
    }

    let id: String
    let sessionId: String?
    let guid: String?
    /// Of a message to one user.
    let receiverId: String?
    let sender: Sender
    let category: String
    let type: String
    let text: String?
    let customData: JSONValue?
    let data: JSONValue?
    let metadata: JSONValue?
    let sentAt: Int64

    init(_ message: StoredMessage) {
        id = message.id
        switch message.conversation {
        case .session(let session): (sessionId, guid, receiverId) = (session, nil, nil)
        case .group(let group): (sessionId, guid, receiverId) = (nil, group, nil)
        case .direct(let lower, let higher):
            (sessionId, guid, receiverId) = (nil, nil, message.sender.uid == lower ? higher : lower)
        }
        sender = Sender(uid: message.sender.uid, name: message.sender.name)
        category = message.category.rawValue
        type = message.type
        text = message.text
        let value = message.data.flatMap(StoredJSON.value)
        customData = message.category == .custom ? value : nil
        data = message.category == .text ? value : nil
        metadata = message.metadata.flatMap(StoredJSON.value)
        sentAt = message.sentAt
    }
}
