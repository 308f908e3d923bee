import JSON
import Meeting

struct CustomMessageParams: Decodable, Sendable {
    let receiverId: String
    let receiverType: String
    let type: String
    var customData: JSONValue?
    var metadata: JSONValue?
}

struct HistoryParams: Decodable, Sendable {
    let receiverId: String
    let receiverType: String
    var before: String?
    var limit: Int64?
}

struct StoredMessageResult: Encodable, Sendable {
    let message: StoredMessageObject
}

struct HistoryResult: Encodable, Sendable {
    let messages: [StoredMessageObject]
}

/// Messages, within a session and to groups and users.
extension Client {
    func sendMessage(_ params: MessageParams, _ reply: Reply) async throws(APIError) {
        let member = try member()
        let message = try await member.session.send(params.draft, from: member.participant)
        reply.succeed(MessageResult(message: MessageObject(message, sessionID: member.session.id)))
    }

    func sendCustomMessage(_ params: CustomMessageParams, _ reply: Reply) async throws(APIError) {
        let user = try await user()
        let draft = Conversations.Draft(
            type: params.type, text: nil, data: params.customData, metadata: params.metadata)
        let sender = try await core.conversations.sender(user, uid: nil)
        let message: StoredMessage
        switch try Self.receiver(params.receiverType, params.receiverId) {
        case .group:
            _ = try await core.groups.principal(user, in: params.receiverId)
            message = try await core.conversations.send(draft, toGroup: params.receiverId, from: sender)
        case .user:
            message = try await core.conversations.send(draft, toUser: params.receiverId, from: sender)
        }
        reply.succeed(StoredMessageResult(message: StoredMessageObject(message)))
    }

    func fetchMessages(_ params: HistoryParams, _ reply: Reply) async throws(APIError) {
        let user = try await user()
        let conversation: Conversation
        switch try Self.receiver(params.receiverType, params.receiverId) {
        case .group:
            _ = try await core.groups.principal(user, in: params.receiverId)
            conversation = .group(params.receiverId)
        case .user: conversation = .direct(between: identity?.uid ?? "", and: params.receiverId)
        }
        let messages = try await core.conversations.history(
            of: conversation, before: params.before, limit: params.limit)
        reply.succeed(HistoryResult(messages: messages.map(StoredMessageObject.init)))
    }

    // MARK: - Parts

    /// The user who speaks outside of sessions: a call token is for one session only.
    func user() async throws(APIError) -> Route.Caller {
        guard let identity, identity.kind == .auth else {
            throw APIError(.noAccess, "this needs a socket that is logged in with an auth token")
        }
        guard identity.expiresAt > Clock.now() / 1_000 else {
            throw APIError(.authTokenExpired, "the token has expired")
        }
        return .user(identity)
    }

    static func receiver(_ type: String, _ id: String) throws(APIError) -> CallReceiver.Kind {
        guard let kind = CallReceiver.Kind(rawValue: type) else {
            throw APIError(
                .invalidReceiverType, "receiverType must be user or group",
                details: [("field", "receiverType")])
        }
        try Route.check(id, field: "receiverId")
        return kind
    }
}
