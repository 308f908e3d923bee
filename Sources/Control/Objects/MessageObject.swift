import JSON
import Meeting

/// A message within a session as the API shows it.
struct MessageObject: Encodable, Sendable {
    struct Sender: Encodable, Sendable {
        let uid: String
        let name: String
        let participantId: String?
    }

    let id: String
    let sessionId: String
    let sender: Sender
    let category: String
    let type: String
    let text: String?
    let data: JSONValue?
    let sentAt: Int64

    init(_ message: Message, sessionID: String) {
        id = message.id
        sessionId = sessionID
        sender = Sender(
            uid: message.senderUID, name: message.senderName, participantId: message.sender?.rawValue)
        category = message.text == nil ? "custom" : "text"
        type = message.type
        text = message.text
        // It was written by us, from what was parsed before.
        data = message.data.flatMap { try? JSON.parse($0) }
        sentAt = message.sentAt
    }
}
