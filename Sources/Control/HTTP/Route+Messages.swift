import JSON
import Meeting
import Storage

private struct MessageBody: Decodable {
    var uid: String?
    let type: String
    var text: String?
    var customData: JSONValue?
    var data: JSONValue?
    var metadata: JSONValue?

    func draft() throws(APIError) -> Conversations.Draft {
        guard text == nil ? data == nil : customData == nil else {
            throw APIError(
                .badRequest, "a text goes with data, anything else is customData",
                details: [("field", text == nil ? "data" : "customData")])
        }
        return Conversations.Draft(
            type: type, text: text, data: text == nil ? customData : data, metadata: metadata)
    }
}

/// Messages of groups and sessions.
extension Route {
    static let messages: [Route] = [
        Route(.get, "/v1/groups/{guid}/messages", .apiKeyOrAuthToken, arguments: ["before", "limit"]) {
            core, request, caller throws(APIError) in
            let guid = try request.id("guid")
            _ = try await core.groups.principal(caller, in: guid)
            return try await history(of: .group(guid), core, request)
        },
        Route(.post, "/v1/groups/{guid}/messages", .apiKeyOrAuthToken) {
            core, request, caller throws(APIError) in
            let guid = try request.id("guid")
            let body = try request.decode(MessageBody.self)
            _ = try await core.groups.principal(caller, in: guid)
            let sender = try await core.conversations.sender(caller, uid: body.uid)
            let message = try await core.conversations.send(body.draft(), toGroup: guid, from: sender)
            return try .json(StoredMessageObject(message), status: 201)
        },
        Route(.get, "/v1/sessions/{sessionId}/messages", .apiKeyOrAuthToken, arguments: ["before", "limit"]) {
            core, request, caller throws(APIError) in
            let (conversation, _) = try await session(request.id("sessionId"), core, caller)
            return try await history(of: conversation, core, request)
        },
        Route(.post, "/v1/sessions/{sessionId}/messages", .apiKeyOrAuthToken) {
            core, request, caller throws(APIError) in
            let body = try request.decode(MessageBody.self)
            let (conversation, session) = try await session(request.id("sessionId"), core, caller)
            guard let session else { throw APIError(MeetingError.over) }
            let sender = try await core.conversations.sender(caller, uid: body.uid)
            let draft = try body.draft()
            guard draft.metadata == nil else {
                throw Query.refusal(of: "metadata", "is for messages to groups")
            }
            try draft.check()
            let data = try StoredJSON.text(draft.data, field: "data")
            let message = try await session.send(
                Message.Draft(type: draft.type, text: draft.text, data: data, persist: true), from: sender)
            return try .json(
                StoredMessageObject(StoredMessage(message, in: conversation)), status: 201)
        },
    ]

    private static func history(
        of conversation: Conversation, _ core: ControlCore, _ request: HTTPRequest
    ) async throws(APIError) -> HTTPResponse {
        let query = request.arguments
        let messages = try await core.conversations.history(
            of: conversation, before: query["before"], limit: query.integer("limit"))
        return try .json(DataObject(data: messages.map(StoredMessageObject.init)))
    }

    /// The history that a session's messages are in, and the session if it goes on. Errors: whoever asks is no member
    /// of its group, or isn't in.
    private static func session(
        _ id: String, _ core: ControlCore, _ caller: Caller
    ) async throws(APIError) -> (Conversation, SessionActor?) {
        let running = await core.registry.running(id)
        let group = try await core.stored { store throws(StoreError) in try await store.group(id) }
        if group != nil {
            _ = try await core.groups.principal(caller, in: id)
            return (.group(id), running)
        }
        if case .user(let token) = caller {
            guard let running else { throw APIError(MeetingError.over) }
            guard await running.isIn(token.uid) else {
                throw APIError(.notAPart, "\(token.uid) isn't in the session")
            }
        }
        return (.session(id), running)
    }
}
