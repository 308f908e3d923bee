import JSON
import Meeting
import Storage

/// Messages to groups and users: kept, then told to those whom they are for.
struct Conversations: Sendable {
    let core: ControlCore

    /// What somebody wants to say.
    struct Draft: Sendable {
        var type: String
        /// Nil: a custom message.
        var text: String?
        var data: JSONValue?
        var metadata: JSONValue?

        func check() throws(APIError) {
            guard (1...Limit.id).contains(type.unicodeScalars.count) else {
                throw APIError(
                    .invalidMessageType, "type must be 1 to \(Limit.id) characters",
                    details: [("field", "type")])
            }
            guard let text else { return }
            do throws(MeetingError) {
                try Limit.checkLength(text, field: "text", limit: Limit.text)
            } catch {
                throw APIError(error)
            }
        }
    }

    /// Sends to a group. Who may is checked by the caller.
    func send(
        _ draft: Draft, toGroup guid: String, from sender: StoredMessage.Sender
    ) async throws(APIError) -> StoredMessage {
        var draft = draft
        if draft.type == MeetingCard.type, draft.text == nil {
            draft.data = try MeetingCard.complete(draft.data, guid: guid)
        }
        let message = try await keep(draft, in: .group(guid), from: sender)
        let members = try await core.stored { store throws(StoreError) in
            try await store.memberUIDs(of: guid)
        }
        tell(members, message)
        return message
    }

    /// Sends to a user.
    func send(
        _ draft: Draft, toUser uid: String, from sender: StoredMessage.Sender
    ) async throws(APIError) -> StoredMessage {
        let user = try await core.stored { store throws(StoreError) in try await store.user(uid) }
        guard user != nil else { throw APIError(StoreError.notFound(.user(uid))) }
        let message = try await keep(draft, in: .direct(between: sender.uid, and: uid), from: sender)
        tell([uid], message)
        return message
    }

    /// The latest messages first.
    ///
    /// - Parameter before: a message's id or a time in milliseconds since 1970; nil: the latest.
    func history(
        of conversation: Conversation, before: String?, limit: Int64?
    ) async throws(APIError) -> [StoredMessage] {
        let end: HistoryRequest.End =
            if let before { Int64(before).map(HistoryRequest.End.time) ?? .message(before) } else { .latest }
        let request = HistoryRequest(of: conversation, before: end, limit: Int(limit ?? 30))
        do throws(APIError) {
            return try await core.stored { store throws(StoreError) in try await store.history(request) }
        } catch {
            guard error.code == .badRequest, error.details.isEmpty else { throw error }
            throw Query.refusal(of: "before", "is no message of this conversation")
        }
    }

    /// Who sends, under the name that is known.
    func sender(_ caller: Route.Caller, uid: String?) async throws(APIError) -> StoredMessage.Sender {
        var name: String?
        let sender: String
        if case .user(let token) = caller {
            guard uid == nil || uid == token.uid else {
                throw APIError(.noAccess, "with an auth token one speaks for oneself")
            }
            (sender, name) = (token.uid, token.name)
        } else {
            guard let uid else { throw Query.refusal(of: "uid", "is missing") }
            try Route.check(uid, field: "uid")
            sender = uid
        }
        if name == nil {
            name = try await core.stored { store throws(StoreError) in try await store.user(sender) }?.name
        }
        return StoredMessage.Sender(uid: sender, name: name ?? sender)
    }

    // MARK: - Parts

    private func keep(
        _ draft: Draft, in conversation: Conversation, from sender: StoredMessage.Sender
    ) async throws(APIError) -> StoredMessage {
        try draft.check()
        let message = StoredMessage(
            id: RandomID.make(), conversation: conversation, sender: sender,
            category: draft.text == nil ? .custom : .text, type: draft.type, text: draft.text,
            data: try StoredJSON.text(draft.data, field: draft.text == nil ? "customData" : "data"),
            metadata: try StoredJSON.text(draft.metadata, field: "metadata"), sentAt: Clock.now())
        try await core.stored { store throws(StoreError) in try await store.addMessage(message) }
        return message
    }

    private func tell(_ uids: [String], _ message: StoredMessage) {
        let name = message.category == .text ? "textMessageReceived" : "customMessageReceived"
        guard let text = AppEvent.text(name, ReceivedMessage(message: StoredMessageObject(message))) else {
            return
        }
        core.presence.tell(uids, text, except: message.sender.uid)
    }
}

private struct ReceivedMessage: Encodable {
    let message: StoredMessageObject
}

extension MeetingCard {
    /// Reads a card of a client's, and fills in what is missing: video, and the group's own session.
    static func complete(_ data: JSONValue?, guid: String) throws(APIError) -> JSONValue {
        guard var object = data == nil ? JSONObject() : data?.objectValue else {
            throw Query.refusal(of: "customData", "must be an object")
        }
        for field in ["callType", "sessionId"] where object[field] != nil {
            guard object[field]?.stringValue != nil else {
                throw Query.refusal(of: "customData.\(field)", "must be a string")
            }
        }
        let (callType, sessionID) = (object["callType"]?.stringValue, object["sessionId"]?.stringValue)
        let card = try APIError.translating { () throws(MeetingError) in
            try MeetingCard(
                receiverID: guid, receiverType: CallReceiver.Kind.group.rawValue, type: type,
                callType: callType, sessionID: sessionID)
        }
        object["callType"] = .string(card.kind.rawValue)
        object["sessionId"] = .string(card.sessionID)
        return .object(object)
    }
}
